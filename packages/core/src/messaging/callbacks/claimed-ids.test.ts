import { describe, expect, it } from 'vitest';
import { textsNamed } from './claimed-ids.ts';
import { isCheapToParse, readUntrusted } from './untrusted-json.ts';

const named = (text: string | Uint8Array, isNested = false) => textsNamed(Buffer.from(text), 'id', isNested);

describe('ids in the first bytes of a callback', () => {
  it('textsNamed finds the values of a name at any depth, however the JSON is written', () => {
    for (const text of [
      '{"id":"a"}',
      '[{"x":{"id" :\r\n\t "a"}}]',
      '{"id":1,"id":null,"id":["b"],"id":"a"}',
      '"id":"a"',
    ])
      expect(named(text), text).toEqual(['a']);
    expect(named('{"id":"\\u00e9\\"\\\\"}')).toEqual(['é"\\']);
    expect(named(Buffer.from('x{"id":"a"}').subarray(1))).toEqual(['a']);
    expect(named('{"Message":"{\\"mail\\":{\\"id\\" : \\"a\\"}}"}', true)).toEqual(['a']);
  });

  it('values that are cut off, too long, empty or no text are ignored', () => {
    const odd = [
      '{"id":"a',
      '{"id":"a\\',
      '{"id"',
      '{"id":',
      '{"id":""}',
      '{"id":"\\x"}',
      '{"id":a}',
      `{"id":"${'x'.repeat(600)}"}`,
    ];
    for (const text of odd) expect(named(text), text).toEqual([]);
    expect(named('{\\"id\\":\\"a', true)).toEqual([]);
    expect(named('{"id":"a"}', true)).toEqual([]);
  });

  it('only the first 20 different ids are returned', () => {
    const many = Array.from({ length: 50 }, (_, at) => `{"id":"${at}"},{"id":"${at}"}`).join();
    expect(named(many)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
  });
});

describe('JSON that is not verified yet', () => {
  it('untrusted JSON is parsed up to 32 levels and a maximum number of values', () => {
    const list = (values: number) => Buffer.from(`[${'0,'.repeat(values - 2)}0]`);
    expect([isCheapToParse(list(100), 100), isCheapToParse(list(101), 100)]).toEqual([true, false]);
    const objects = Buffer.from(`[${'{},'.repeat(49)}{}]`);
    expect([isCheapToParse(objects, 101), isCheapToParse(objects, 99)]).toEqual([true, false]);
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    expect([isCheapToParse(nested(32), 1_000), isCheapToParse(nested(33), 1_000)]).toEqual([true, false]);
    const text = JSON.stringify({ a: ',[{'.repeat(1_000), b: '\\",' });
    expect([isCheapToParse(Buffer.from(text), 10), readUntrusted(text)]).toEqual([true, JSON.parse(text)]);
    for (const odd of ['', '{', 'undefined', '[1,]', Buffer.from([0xff])]) expect(readUntrusted(odd)).toBe(undefined);
  });
});
