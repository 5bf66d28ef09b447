import { describe, expect, it } from 'vitest';
import { eventTypes, type SeenEvent } from './event-types.ts';

const bodyOf = (events: readonly SeenEvent[], triggers: readonly string[] = []): string[] =>
  eventTypes('Events', events, triggers).split('\n').slice(2, -2);

describe('eventTypes', () => {
  it('gives each event the types of its properties, and says which may be missing', () => {
    const events = [
      { eventType: 'order.paid', properties: { amount: 3, currency: 'EUR', gift: true, note: null } },
      { eventType: 'order.paid', properties: { amount: 2, currency: 7, note: 'x' } },
      { eventType: 'cart.filled', properties: {} },
    ];
    expect(
      eventTypes('MyEvents', events, []),
    ).toBe(`// Made by \`beckon types generate\` of events that were seen: what was rare may be missing.
export interface MyEvents {
  readonly "cart.filled": Readonly<Record<string, unknown>>;
  readonly "order.paid": { readonly "amount": number; readonly "currency": number | string; readonly "gift"?: boolean; readonly "note": null | string };
}
`);
  });

  it('knows what is in objects and lists, and leaves free what is deep or has names that are data', () => {
    const deep = { a: { b: { c: { d: { e: 1 } } } } };
    const ids = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`id${index}`, index]));
    const lists = { none: [], items: [{ sku: 'a' }, { sku: 'b', count: 1 }], mixed: [1, 'x', [null]] };
    const [line] = bodyOf([{ eventType: 'e', properties: { deep, ids, lists } }]);
    for (const text of [
      'readonly "c": Readonly<Record<string, unknown>>',
      'readonly "ids": Readonly<Record<string, unknown>>',
      'readonly "none": readonly (unknown)[]',
      'readonly "items": readonly ({ readonly "count"?: number; readonly "sku": string })[]',
      'readonly "mixed": readonly (number | string | readonly (null)[])[]',
    ])
      expect(line).toContain(text);
  });

  it('comes to an end with lists that lie thousands deep', () => {
    const list: unknown = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
    expect(bodyOf([{ eventType: 'e', properties: { list } }])[0]).toContain('"list": readonly (readonly (');
  });

  it('names events that only workflows wait for, and does not change what is known of the others', () => {
    const seen = { eventType: 'a', properties: { x: 1 } };
    expect(bodyOf([seen], ['a', 'b'])).toEqual([
      '  readonly "a": { readonly "x": number };',
      '  readonly "b": Readonly<Record<string, unknown>>;',
    ]);
  });

  it('escapes names, so that none ends its text or acts on a terminal', () => {
    const name = `"; }\n\u2028\u202e\\'*/`;
    const lines = bodyOf([{ eventType: name, properties: { [name]: 1, ['__proto__']: 's', constructor: 2 } }]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`readonly "\\"; }\\n\\u2028\\u202e\\\\'*/": number`);
    expect(lines[0]).toContain('readonly "__proto__": string; readonly "constructor": number');
  });

  it('is the same for the same events in any order', () => {
    const events = [
      { eventType: 'b', properties: { z: 1, a: 'x' } },
      { eventType: 'a', properties: { k: null } },
      { eventType: 'b', properties: { a: 2, m: [true] } },
    ];
    expect(eventTypes('E', events, ['d', 'c'])).toBe(eventTypes('E', [...events].reverse(), ['c', 'd']));
  });
});
