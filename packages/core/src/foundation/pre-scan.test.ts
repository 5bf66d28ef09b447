import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBeckonError } from './errors.ts';
import { isTruncated, parseJson, truncateObject, utf8Bytes } from './json.ts';
import { type BodyShape, PRE_SCAN_FROM_BYTES, preScan } from './pre-scan.ts';

const SHAPE: BodyShape = { names: ['userId', 'traits', 'context', 'n'], cut: ['traits', 'context'] };
const CAP = 16_384;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Padding with white space makes a body large. */
const large = (text: string): Uint8Array => bytesOf(`${text}${' '.repeat(PRE_SCAN_FROM_BYTES)}`);
const read = (text: string): unknown => parseJson(large(text), SHAPE);
const fieldsOf = (text: string): Readonly<Record<string, readonly string[]>> => {
  try {
    read(text);
  } catch (error) {
    if (isBeckonError(error, 'VALIDATION_ERROR')) return error.details?.fieldErrors ?? {};
    throw error;
  }
  return {};
};
const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join();
const traitsOf = (value: unknown) => (value as { traits: Readonly<Record<string, unknown>> }).traits;

describe('preScan', () => {
  it('a large body parses like a small one, without the members that no route reads', () => {
    const key = fc.constantFrom('userId', 'traits', 'context', 'n', 'other', 'trait', 'ünread', '\\"', '');
    const member = fc.tuple(key, fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(fc.array(member, { maxLength: 12 }), fc.constantFrom('', ' ', '\n\t '), (members, space) => {
        const object = Object.fromEntries(members.filter(([, value]) => JSON.stringify(value).length < 4_000));
        const text = `${space}{${Object.entries(object)
          .map(
            ([name, value]) =>
              `${space}${JSON.stringify(name)}${space}:${space}${JSON.stringify(value, null, space.length)}`,
          )
          .join(`${space},`)}${space}}`;
        const known = Object.entries(object).filter(([name]) => SHAPE.names.includes(name));
        expect(read(text)).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(known))));
      }),
    );
  });

  it('a small body is parsed whole', () => {
    expect(parseJson(bytesOf('{"other":1}'), SHAPE)).toEqual({ other: 1 });
    expect(parseJson(bytesOf('[1]'), SHAPE)).toEqual([1]);
    expect(read('{"other":1}')).toEqual({});
  });

  it('a large body is read with escaped member names, and the last of duplicate members counts', () => {
    expect(read('{"\\u0075serId":"a","n":1,"n":2,"\\u006e\\u006e":3}')).toEqual({ userId: 'a', n: 2 });
    expect(read('{"userId":"a\\"}{","n":1}')).toEqual({ userId: 'a"}{', n: 1 });
    expect(read('\ufeff{"n":1}')).toEqual({ n: 1 });
  });

  it.each(['', '[1]', '1', '"a"', 'null'])('a large body must be an object, not %j', (text) => {
    expect(Object.keys(fieldsOf(text))).toEqual(['body']);
  });

  it.each([
    ...[
      '{',
      '{"n":1',
      '{"n"}',
      '{"n":}',
      '{"n":1,}',
      '{,}',
      '{"n":1}}',
      '{"n":1}{',
      '{n:1}',
      '{"n" 1}',
      '{"n":1 "o":2}',
    ],
    ...['{"n":"a}', '{"traits":{"a":1', '{"traits":{"a"}}', '{"traits":{"a":1,}}', '{"traits":{a:1}}', '{"n":tru}'],
  ])('a large body must be valid JSON: %s', (text) => {
    expect(fieldsOf(text)).toEqual({ body: [expect.any(String)] });
  });

  it('a large body is rejected for a member above the size limit', () => {
    expect(Object.keys(fieldsOf(`{"userId":"${'x'.repeat(CAP)}"}`))).toEqual(['userId']);
    expect(Object.keys(fieldsOf(`{"traits":[${many(CAP, () => '1')}]}`))).toEqual(['traits']);
    expect(fieldsOf(`{"userId":"${'x'.repeat(CAP - 2)}"}`)).toEqual({});
  });

  it('a large body is rejected for a level 33, even in a member that no route reads', () => {
    expect(Object.keys(fieldsOf(`{"other":${'['.repeat(40)}${']'.repeat(40)}}`))).toEqual(['body']);
  });

  describe('traits', () => {
    const keptOf = (traits: string) => traitsOf(read(`{"n":1,"traits":${traits},"userId":"u"}`));
    const plain = (traits: string) => truncateObject(JSON.parse(traits), CAP);
    const cutOf = (traits: string) => truncateObject(keptOf(traits), CAP);

    it.each([
      ['tiny ones', `{${many(95_000, (at) => `"k${at}":1`)}}`],
      ['long ones', `{${many(40, (at) => `"k${at}":"${'é\\n\\u0001x'.repeat(200)}"`)}}`],
      ['one that is too long', `{"a":1,"b":"${'x'.repeat(500_000)}","c":2}`],
      ['one that is too long and last', `{"a":1,"b":"${'\\u0001'.repeat(100_000)}"}`],
      ['one of too many parts', `{"a":1,"b":[${many(100_000, () => '[]')}],"c":2}`],
      ['one of too many parts and last', `{"a":1,"b":{${many(50_000, (at) => `"${at}":1`)}}}`],
      ['nothing but one of too many parts', `{"b":[${many(100_000, () => '1')}],"c":2}`],
    ])('traits of a large body are cut to 16 KB and marked: %s', (_, traits) => {
      expect(cutOf(traits)).toEqual(plain(traits));
      expect(cutOf(traits)).toMatchObject({ _truncated: true });
      expect(utf8Bytes(cutOf(traits))).toBeLessThanOrEqual(CAP);
    });

    it('traits of a large body that fit are kept without a mark', () => {
      const fitting = `{"bio":"${'x'.repeat(16_374)}"}`;
      expect(cutOf(fitting)).toEqual(JSON.parse(fitting));
      expect(isTruncated(keptOf(fitting))).toBe(false);
      expect(cutOf(`{"bio":"${'\\u0078'.repeat(16_374)}"}`)).toEqual(JSON.parse(fitting));
    });

    it('a _truncated member that the device wrote is removed', () => {
      expect(cutOf('{"_truncated":true,"a":1}')).toEqual({ a: 1 });
      expect(cutOf(`{"_truncated":false,${many(95_000, (at) => `"k${at}":1`)}}`)).toMatchObject({ _truncated: true });
    });

    it('traits of a large body are stored as they would be after a full parse', () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 400 });
      const value = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text, { maxLength: 30 }), fc.jsonValue());
      const traits = fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), value), {
        maxLength: 60,
      });
      fc.assert(
        fc.property(traits, (members) => {
          // Numeric names are ordered first after parsing, which would keep other members.
          const named = members.map(([name, one]): [string, unknown] => [`k${name}`, one]);
          const json = JSON.stringify(Object.fromEntries(named));
          expect(cutOf(json)).toEqual(plain(json));
        }),
        { numRuns: 60 },
      );
    });
  });

  it('a large body is reduced in little time', () => {
    const body = bytesOf(
      `{"userId":"u","traits":{${many(95_000, (at) => `"k${at}":1`)}},${many(30_000, (at) => `"x${at}":1`)}}`,
    );
    expect(body.length).toBeGreaterThan(1_000_000);
    expect(preScan(body, SHAPE)?.bytes.length).toBeLessThan(5 * CAP);
  });
});
