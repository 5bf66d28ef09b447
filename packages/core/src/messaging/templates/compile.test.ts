import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate, templateCache } from './compile.ts';

/** The distinct paths of a template, in order of appearance. */
const pathsOf = (text: string) => [...new Set(compileTemplate(text).placeholders.map(({ path }) => path))];

describe('compileTemplate', () => {
  it('a text is split into literals and placeholders', () => {
    expect(compileTemplate('Hi {{trait.name}}, {{ event.order.id }}!')).toEqual({
      literals: ['Hi ', ', ', '!'],
      placeholders: [
        { root: 'trait', keys: ['name'], path: 'trait.name' },
        { root: 'event', keys: ['order', 'id'], path: 'event.order.id' },
      ],
    });
  });

  it('white space is allowed inside braces and names, line breaks included', () => {
    expect(pathsOf('{{ \n\ttrait.first name }}')).toEqual(['trait.first name']);
  });

  it.each([
    '',
    'plain',
    '{{',
    '}}',
    '{{}}',
    '{{ }}',
    '{{{{}}}}',
    '{{a..b}}',
    '{{.a}}',
    '{{a.}}',
    '{{a}',
    '{a}}',
    '{{a{b}}',
    '{{a}b}}',
    '{ {a} }',
    '}}{{',
  ])('%j is kept as text', (text) => {
    expect(compileTemplate(text)).toEqual({ literals: [text], placeholders: [] });
  });

  it.each(["{{ '{{' }}", '{{"{{"}}', "{{  '{{'\n}}"])('%j is an escaped pair of braces', (tag) => {
    expect(compileTemplate(tag)).toEqual({ literals: ['{{'], placeholders: [] });
    expect(compileTemplate(`a ${tag}trait.x}} {{trait.y}}${tag}`)).toEqual({
      literals: ['a {{trait.x}} ', '{{'],
      placeholders: [expect.objectContaining({ path: 'trait.y' })],
    });
  });

  it('an incomplete escape of braces is kept as text', () => {
    for (const text of ["{{ '{{ }}", "{{ '{{'"])
      expect(compileTemplate(text)).toEqual({ literals: [text], placeholders: [] });
  });

  it('a placeholder beside stray braces is found', () => {
    expect(compileTemplate('{{{a.b}}}').literals).toEqual(['{', '}']);
    expect(compileTemplate('{{ {{a.b}} }}').literals).toEqual(['{{ ', ' }}']);
    expect(compileTemplate('{{a}{{b.c}}').literals).toEqual(['{{a}', '']);
  });

  it.each([
    ['{{trait.name | default: "there"}}', 'trait.name', 'there'],
    ["{{trait.name|default:'there'}}", 'trait.name', 'there'],
    ['{{ trait.name  |  default :  "a | b, \'c\'" }}', 'trait.name', "a | b, 'c'"],
    ['{{trait.name | default: ""}}', 'trait.name', ''],
    ['{{trait.name | default: " \n "}}', 'trait.name', ' \n '],
  ])('the default of %s is read', (text, path, fallback) => {
    expect(compileTemplate(text).placeholders).toEqual([expect.objectContaining({ path, fallback })]);
    expect(pathsOf(text)).toEqual(['trait.name']);
  });

  it.each([
    'trait.a | default: there',
    'trait.a | default: "there',
    'trait.a | default: "there" | upper',
    'trait.a | default "there"',
    'trait.a | Default: "there"',
    'trait.a | upper',
    'trait.a|b',
  ])('{{%s}} is read as a name without default', (path) => {
    expect(compileTemplate(`{{${path}}}`).placeholders).toEqual([
      expect.objectContaining({ path, fallback: undefined }),
    ]);
  });

  it.each(['{{ | default: "there"}}', '{{a. | default: "there"}}', '{{trait.a | default: "{x}"}}'])(
    '%s is kept as text, with its default',
    (text) => {
      expect(compileTemplate(text)).toEqual({ literals: [text], placeholders: [] });
    },
  );

  it('a path with an unknown root is kept and has no value', () => {
    expect(compileTemplate('{{constructor.constructor}}').placeholders).toEqual([
      { root: null, keys: ['constructor'], path: 'constructor.constructor' },
    ]);
  });

  it('no character of a text is lost and each placeholder is found', () => {
    const text = fc.string({
      unit: fc.constantFrom('{', '}', '{{', '}}', 'a', '.', '{{a.b}}', '\u{1F600}'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, (source) => {
        const { literals, placeholders } = compileTemplate(source);
        expect(literals).toHaveLength(placeholders.length + 1);
        const braced = placeholders.map(({ path }) => `{{${path}}}`);
        expect(literals.map((literal, n) => literal + (braced[n] ?? '')).join('')).toBe(source);
        for (const literal of literals) expect(literal).not.toMatch(/\{\{a+(\.a+)*\}\}|\{\{a\.b\}\}/);
      }),
      { numRuns: 500 },
    );
  });

  it('the worst braces take linear time', () => {
    const hostile = ['{{', '{{a', '{', '{{a}', '{{ ', '{{{}'].flatMap((unit) => {
      const text = unit.repeat(100_000 / unit.length);
      return [text, `${text}}}`, text + ' '.repeat(100_000)];
    });
    const started = process.cpuUsage();
    for (const text of hostile) expect(compileTemplate(text).literals.join('').length).toBeGreaterThan(90_000);
    const { user } = process.cpuUsage(started);
    // Quadratic time would be minutes; 1 s leaves a margin for a busy machine.
    expect(user).toBeLessThan(1_000_000);
  });
});

describe('template defaults', () => {
  it('defaults take linear time, whatever follows them', () => {
    const started = process.cpuUsage();
    for (const unit of ['|', '| default: "', '"', ' ', '\t|default:']) {
      const long = unit.repeat(100_000 / unit.length);
      for (const text of [`{{a | default: "${long}}}`, `{{a${long}}}`, `{{a|default:""${long}x}}`])
        expect(compileTemplate(text).placeholders).toHaveLength(1);
    }
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });
});

describe('placeholders', () => {
  it('each path is listed once, in order, including those with an unknown root', () => {
    expect(pathsOf('{{user.email}} {{foo.bar}} {{event.a}} {{ user.email }}')).toEqual([
      'user.email',
      'foo.bar',
      'event.a',
    ]);
  });
});

describe('templateCache', () => {
  it('a text is compiled once while it is recently used', () => {
    const cached = templateCache(2);
    const first = cached('{{event.a}}');
    expect(cached('{{event.a}}')).toBe(first);
    cached('{{event.b}}');
    cached('{{event.c}}');
    expect(cached('{{event.a}}')).not.toBe(first);
    expect(cached('{{event.a}}')).toEqual(first);
  });

  it('texts that would fill memory are not cached', () => {
    const cached = templateCache(2);
    const long = 'x'.repeat(10_000);
    expect(cached(long)).not.toBe(cached(long));
    expect(cached(long)).toEqual(compileTemplate(long));
  });

  it('the empty text is cached', () => {
    const cached = templateCache(2);
    expect(cached('')).toBe(cached(''));
  });
});
