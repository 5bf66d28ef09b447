import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { BeckonError } from './errors.ts';
import { cleanId, isObject, isPlainObject, MAX_JSON_DEPTH, normaliseFreeForm, parseJson } from './json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);

const fieldErrorsFrom = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    if (error instanceof BeckonError && error.code === 'VALIDATION_ERROR') return error.details?.['fieldErrors'];
    throw error;
  }
  return 'nothing was thrown';
};

const keysOfObjectPrototype = Reflect.ownKeys(Object.prototype).length;
afterAll(() => {
  if (Reflect.ownKeys(Object.prototype).length !== keysOfObjectPrototype)
    throw new Error('Object.prototype was changed');
});

describe('parseJson', () => {
  it('parseJson returns what JSON.parse returns for JSON of ordinary depth', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('parseJson accepts 32 levels and rejects level 33, of arrays, of objects and of both', () => {
    const wrap = (levels: number) => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`;
    for (const body of [nested(MAX_JSON_DEPTH), wrap(MAX_JSON_DEPTH)])
      expect(parseJson(bytes(body))).toBeTypeOf('object');
    for (const body of [nested(33), wrap(34), nested(15_000), `[${nested(32)}]`, `[1,[2],${nested(32)}]`]) {
      expect(fieldErrorsFrom(() => parseJson(bytes(body)))).toEqual({ body: ['Nested deeper than 32 levels.'] });
    }
  });

  it('parseJson counts levels, not brackets side by side or inside strings', () => {
    const wide = Array.from({ length: 100 }, () => [{ a: [] }]);
    const hidden = [...Array.from({ length: 40 }, () => []), '[{"'.repeat(50), '\\', '\\"[', ']'.repeat(50)];
    for (const value of [wide, hidden]) expect(parseJson(bytes(JSON.stringify(value)))).toEqual(value);
  });

  it('parseJson finds a level 33 after strings with quotes, backslashes and closing brackets', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', ']', '}', '[', 'a', '\u00e9') });
    fc.assert(
      fc.property(text, fc.constantFrom(31, 32), (before, levels) => {
        const body = bytes(`[${JSON.stringify(before)},${nested(levels)}]`);
        if (levels === 31) expect(parseJson(body)).toHaveLength(2);
        else expect(fieldErrorsFrom(() => parseJson(body))).toHaveProperty('body');
      }),
    );
  });

  it('parseJson rejects invalid JSON without quoting it', () => {
    for (const body of [
      '',
      '{',
      'undefined',
      '{"a":hunter2}',
      "{'a':1}",
      '[1,]',
      '"\u0001"',
      '{"a":1}{',
      ']'.repeat(50),
    ]) {
      expect(fieldErrorsFrom(() => parseJson(bytes(body)))).toEqual({ body: ['must be valid JSON'] });
    }
  });

  it('parseJson lists each number that is not finite', () => {
    const body = bytes(`{"a":1e400,"b":{"c":[1,-1e999]},"d":${'9'.repeat(400)},"e":1e308}`);
    expect(Object.keys(fieldErrorsFrom(() => parseJson(body)) ?? {})).toEqual(['a', 'b.c.1', 'd']);
    expect(Object.keys(fieldErrorsFrom(() => parseJson(bytes('1e400'))) ?? {})).toEqual(['body']);
    expect(Object.keys(fieldErrorsFrom(() => parseJson(bytes(`[${'1e400,'.repeat(5_000)}0]`))) ?? {})).toHaveLength(20);
  });

  it('parseJson reads invalid UTF-8 as U+FFFD and drops a byte order mark', () => {
    expect(parseJson(Uint8Array.of(0x22, 0xff, 0x61, 0xc3, 0x22))).toBe('\ufffda\ufffd');
    expect(parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBe(1);
  });

  it('parseJson keeps __proto__ as an own property that changes no prototype', () => {
    const value = parseJson(bytes('{"__proto__":{"isAdmin":true}}'));
    expect(value).not.toHaveProperty('isAdmin');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"isAdmin":true}}');
  });

  it('parseJson reads a view of a larger buffer', () => {
    expect(parseJson(bytes('xx{"a":1}yy').subarray(2, 9))).toEqual({ a: 1 });
  });
});

describe('normaliseFreeForm', () => {
  it('normaliseFreeForm returns the same object if there is nothing to change', () => {
    const value = { a: 'caf\u00e9 \u{1F600}', list: [1, null, { b: true }], constructor: 'x', prototype: 1, empty: {} };
    expect(normaliseFreeForm(value)).toBe(value);
  });

  it('normaliseFreeForm replaces lone surrogates and U+0000 in values, in a copy', () => {
    const value = { a: 'x\ud800y', list: ['\udc00', { b: '\0\0' }], n: 1, none: null, kept: '\u{1F600}' };
    const before = structuredClone(value);
    expect(normaliseFreeForm(value)).toEqual({
      a: 'x\ufffdy',
      list: ['\ufffd', { b: '\ufffd\ufffd' }],
      n: 1,
      none: null,
      kept: '\u{1F600}',
    });
    expect(value).toEqual(before);
  });

  it('normaliseFreeForm replaces lone surrogates in keys and keeps the last of two keys that become equal', () => {
    expect(normaliseFreeForm({ deep: { 'a\ud800': 1 } })).toEqual({ deep: { 'a\ufffd': 1 } });
    expect(normaliseFreeForm({ 'a\ud800': 1, 'a\udfff': 2 })).toEqual({ 'a\ufffd': 2 });
  });

  it('normaliseFreeForm rejects a key with U+0000 and the key __proto__, by their path', () => {
    const refused = (text: string) =>
      Object.keys(fieldErrorsFrom(() => normaliseFreeForm(JSON.parse(text), 'properties')) ?? {});
    expect(refused('{"a":[{"b\\u0000c":1}]}')).toEqual(['properties.a.0.b\ufffdc']);
    expect(refused('{"x":{"__proto__":{"isAdmin":true}}}')).toEqual(['properties.x.__proto__']);
    expect(refused('{"__proto__":1}')).toEqual(['properties.__proto__']);
    expect(refused('{"\\u005f_proto__":1}')).toEqual(['properties.__proto__']);
  });

  it('normaliseFreeForm accepts 32 levels and rejects 33, and so ends on a cycle', () => {
    const deep = (levels: number): unknown => JSON.parse(nested(levels));
    expect(normaliseFreeForm(deep(32))).toEqual(deep(32));
    expect(fieldErrorsFrom(() => normaliseFreeForm(deep(33), 'traits'))).toHaveProperty([`traits${'.0'.repeat(32)}`]);
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(Object.keys(fieldErrorsFrom(() => normaliseFreeForm(cycle)) ?? {})).toHaveLength(1);
  });

  it('normaliseFreeForm rejects numbers without a JSON form and keeps dates', () => {
    expect(fieldErrorsFrom(() => normaliseFreeForm({ a: Number.NaN }, 'traits'))).toHaveProperty(['traits.a']);
    expect(fieldErrorsFrom(() => normaliseFreeForm({ a: [1n] }))).toHaveProperty(['a.0']);
    const date = new Date(0);
    expect(normaliseFreeForm({ a: '\0', date })).toEqual({ a: '\ufffd', date });
  });

  it('normaliseFreeForm gives clean values for any JSON, is idempotent and leaves the rest alone', () => {
    const good = ['a', '"', '\\', '\u0001', '\n', '\u00e9', '\u65e5', '\u{1F600}', '\u2028', '\ufffd'];
    const text = fc.string({ unit: fc.constantFrom(...good, '\0', '\ud800', '\udfff') });
    const key = fc.string({ unit: fc.constantFrom(...good) });
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.array(tie('tree')), fc.dictionary(key, tie('tree'))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const once = normaliseFreeForm(value);
        const written = JSON.stringify(once);
        // JSON.stringify writes as an escape what the databases cannot store.
        expect(written).not.toMatch(/\\u0000|\\ud[89a-f]/);
        expect(normaliseFreeForm(once)).toBe(once);
        expect(JSON.stringify(value).replaceAll(/\\u0000|\\ud[89a-f]../g, '\ufffd').length).toBe(written.length);
      }),
    );
  });
});

describe('cleanId', () => {
  it('cleanId replaces lone surrogates, keeps everything else and returns null for U+0000', () => {
    expect(cleanId('a\ud800b')).toBe('a\ufffdb');
    expect(cleanId('u\u0308 \u{1F600}')).toBe('u\u0308 \u{1F600}');
    expect(cleanId('a\0b')).toBeNull();
    expect(cleanId('')).toBe('');
  });
});

describe('isObject', () => {
  it('isObject is true for objects only, not for arrays or null', () => {
    const objects = [{}, { a: 1 }, Object.create(null), new Date(0)];
    expect(objects.map(isObject)).toEqual(objects.map(() => true));
    expect([null, undefined, [], 'a', 1, true, () => 1].some(isObject)).toBe(false);
  });
});

describe('isPlainObject', () => {
  it('isPlainObject is true for objects without a class only', () => {
    expect([{}, { a: 1 }, Object.create(null)].every(isPlainObject)).toBe(true);
    expect([null, undefined, [], 'a', new Date(0), new Map(), Object.create({})].some(isPlainObject)).toBe(false);
  });
});
