import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate } from './compile.ts';
import { escapeHtml, MAX_RENDERED_BYTES, RenderError, type RenderScopes, render, renderMarked } from './render.ts';

const plain = (text: string, scopes: RenderScopes) => render(compileTemplate(text), scopes, { escapeHtml: false });
const html = (text: string, scopes: RenderScopes) => render(compileTemplate(text), scopes, { escapeHtml: true });

describe('render', () => {
  it('paths of all given scopes are rendered', () => {
    const scopes = { event: { order: { id: 'o1' } }, user: { email: 'a@b.c' }, trait: { email: 'x@y.z' } };
    expect(plain('{{event.order.id}} {{user.email}} {{trait.email}}', scopes)).toBe('o1 a@b.c x@y.z');
  });

  it('steps and secret are readable only if they are passed', () => {
    const text = '{{steps.score.text}}{{secret.TOKEN}}';
    expect(plain(text, { event: {} })).toBe('');
    expect(plain(text, { steps: { score: { text: 'high' } }, secret: { TOKEN: '-t' } })).toBe('high-t');
  });

  it('unknown roots, unresolved paths, null, objects and arrays render empty', () => {
    const trait = { nothing: null, list: [1, { a: 2 }], object: { a: 1 }, text: 'x', missing: undefined };
    const paths = [
      'nothing',
      'list',
      'list.1',
      'list.2',
      'list.00',
      'list.-1',
      'list.1e0',
      'list.length',
      'object',
      'text.length',
      'text.0',
      'missing',
      'a.b.c',
    ];
    for (const path of paths) expect(plain(`[{{trait.${path}}}]`, { trait })).toBe('[]');
    for (const path of ['trait', 'event', 'event.a', 'other.a', 'Trait.text'])
      expect(plain(`[{{${path}}}]`, { trait })).toBe('[]');
  });

  it('an array element is read by its index', () => {
    const event = { items: [{ name: 'Mug' }, { name: 'Hat', sizes: [1, 2] }], '0': 'own', grid: [[1], [2]] };
    expect(plain('{{event.items.0.name}}, {{event.items.1.sizes.1}}, {{event.0}}, {{event.grid.1.0}}', { event })).toBe(
      'Mug, 2, own, 2',
    );
    expect(plain('[{{event.items.2.name}}{{event.items.0.0}}]', { event })).toBe('[]');
  });

  it('the tag of literal braces renders as braces, whatever the values', () => {
    expect(plain("{{ '{{' }}trait.name}} is {{trait.name}}", { trait: { name: "{{ '{{' }}" } })).toBe(
      "{{trait.name}} is {{ '{{' }}",
    );
  });

  it('only own properties of an object are read', () => {
    const event = { a: 'text', f: () => 'called', d: new Date(0) };
    const scopes = { event, trait: JSON.parse('{"x":1}'), user: {} };
    const paths = [
      'constructor.constructor',
      'trait.__proto__.x',
      'event.a.toString',
      'trait.constructor.name',
      'event.toString',
      'event.f',
      'event.f.name',
      'event.d.getTime',
      'user.hasOwnProperty',
      '__proto__.event',
    ];
    for (const path of paths) expect(plain(`[{{${path}}}]`, scopes)).toBe('[]');
  });

  it('a polluted prototype is not read', () => {
    for (const name of ['leak', 'user'])
      Object.defineProperty(Object.prototype, name, { value: 'x', configurable: true });
    try {
      expect(plain('[{{trait.leak}}{{trait.a.leak}}{{user}}]', { trait: { a: {} } })).toBe('[]');
    } finally {
      for (const name of ['leak', 'user']) Reflect.deleteProperty(Object.prototype, name);
    }
  });

  it('own properties with such names, and objects without a prototype, are read', () => {
    const trait = Object.assign(Object.create(null), { constructor: 'Lego', toString: 'x' });
    expect(plain('{{trait.constructor}}{{trait.toString}}', { trait })).toBe('Legox');
  });

  it('numbers and booleans render as JSON', () => {
    const trait = { n: 129.5, big: 1e21, small: 1e-7, zero: -0, yes: true, no: false, nan: Number.NaN };
    const text = '{{trait.n}} {{trait.big}} {{trait.small}} {{trait.zero}} {{trait.yes}} {{trait.no}} {{trait.nan}}';
    expect(plain(text, { trait })).toBe('129.5 1e+21 1e-7 0 true false ');
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        expect(plain('{{trait.n}}', { trait: { n } })).toBe(JSON.stringify(n));
      }),
    );
  });

  it('values are not scanned for placeholders', () => {
    const trait = { a: '{{user.email}}', b: '{{', c: 'user.email', d: '}}' };
    expect(plain('{{trait.a}} {{trait.b}}{{trait.c}}{{trait.d}}', { trait, user: { email: 'a@b.c' } })).toBe(
      '{{user.email}} {{user.email}}',
    );
  });

  it('the default renders exactly where a path has no value', () => {
    const text = 'Hi {{trait.v | default: "there"}}!';
    for (const v of [undefined, null, '', {}, [1], Number.NaN]) expect(plain(text, { trait: { v } })).toBe('Hi there!');
    for (const v of [0, false, ' ', 'Ann', '{{trait.b}}']) expect(plain(text, { trait: { v } })).toBe(`Hi ${v}!`);
    expect(plain(text, {})).toBe('Hi there!');
    expect(plain('{{foo.v | default: "there"}}', { trait: {} })).toBe('there');
    expect(plain('[{{trait.v | default: ""}}]', {})).toBe('[]');
  });

  it('a default renders literally: unescaped, not scanned, and not marked as a value', () => {
    const text = '<p>{{trait.v | default: "<b>you & me</b>"}}</p>';
    expect(html(text, {})).toBe('<p><b>you & me</b></p>');
    expect(html(text, { trait: { v: '<b>' } })).toBe('<p>&lt;b&gt;</p>');
    const options = { escapeHtml: true };
    expect(renderMarked(compileTemplate(text), {}, options).values).toEqual([]);
    expect(renderMarked(compileTemplate(text), { trait: { v: 'x' } }, options).values).toEqual([{ start: 3, end: 4 }]);
  });

  it('defaults count into the size of the result', () => {
    const text = `{{trait.v | default: "${'x'.repeat(MAX_RENDERED_BYTES + 1)}"}}`;
    expect(() => plain(text, {})).toThrow(RenderError);
    expect(plain(text, { trait: { v: 'y' } })).toBe('y');
  });

  it('malformed braces stay text', () => {
    for (const text of ['{{{{}}}}', '{{', '{{}}', '{{'.repeat(30_000)]) expect(plain(text, {})).toBe(text);
  });

  it("values are escaped, the template's text is not", () => {
    const scopes = { trait: { name: `<b a="1" c='2'>&\`</b>` } };
    expect(html('<p>{{trait.name}}</p>', scopes)).toBe(
      '<p>&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&#96;&lt;/b&gt;</p>',
    );
    expect(plain('<p>{{trait.name}}</p>', scopes)).toBe(`<p>${scopes.trait.name}</p>`);
  });

  it('results of 65,536 bytes are accepted and larger ones rejected as too_large, without cutting', () => {
    const tooLarge = expect.objectContaining({ reason: 'too_large' });
    const filled = (value: string, times = 1) => plain('{{trait.v}}'.repeat(times), { trait: { v: value } });
    expect(filled('x'.repeat(MAX_RENDERED_BYTES))).toHaveLength(MAX_RENDERED_BYTES);
    expect(() => filled('x'.repeat(MAX_RENDERED_BYTES + 1))).toThrow(tooLarge);
    expect(filled('\u65e5'.repeat(21_845))).toHaveLength(21_845);
    expect(() => filled('\u65e5'.repeat(21_846))).toThrow(RenderError);
    expect(() => html('{{trait.v}}', { trait: { v: '<'.repeat(20_000) } })).toThrow(tooLarge);
    expect(() => plain('x'.repeat(MAX_RENDERED_BYTES + 1), {})).toThrow(tooLarge);
  });

  it('rendering stops at the size limit, however often a value is repeated', () => {
    let reads = 0;
    const trait = {
      get v() {
        reads++;
        return 'x'.repeat(10_000);
      },
    };
    expect(() => plain('{{trait.v}}'.repeat(10_000), { trait })).toThrow(RenderError);
    expect(reads).toBe(7);
  });

  it('any template renders with any values, and no value is left unescaped', () => {
    const key = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString', '0');
    const text = fc.string({
      unit: fc.constantFrom('<', '>', '&', '"', "'", '`', '{{user.a}}', 'a', '\0', '\u{1F600}'),
    });
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.double(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
      ),
    }));
    const root = fc.constantFrom('event', 'user', 'trait', 'steps', 'secret', 'constructor', '__proto__');
    const path = fc.tuple(root, fc.array(key, { maxLength: 3 })).map(([first, keys]) => [first, ...keys].join('.'));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), fc.dictionary(key, value), (paths, values) => {
        const result = html(paths.map((one) => `{{${one}}}`).join('|'), { event: values, trait: values, user: values });
        expect(result).not.toMatch(/[<>"'`]|native code|\[object/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('escapeHtml', () => {
  it('escapeHtml replaces the six characters that can end text or an attribute, reversibly', () => {
    const unit = fc.constantFrom('&', '<', '>', '"', "'", '`', 'a', 'amp;', '\u00e9');
    const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' };
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40, size: 'max' }), (text) => {
        const escaped = escapeHtml(text);
        expect(escaped).not.toMatch(/[<>"'`]/);
        expect(escaped.replaceAll(/&(#?\w+);/g, (_, name: string) => entities[name] ?? 'unknown')).toBe(text);
      }),
    );
  });
});
