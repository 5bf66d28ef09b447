import { describe, expect, it } from 'vitest';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import type { WebhookStatements } from '../statements.ts';
import { bodyReader } from './bodies.ts';

/** What rows of a claim say, over these bodies by scope and event. */
const given = (bodies: readonly (readonly [scopeId: number, id: string, body: string])[], isBroken = false) => {
  const asked: (readonly SelectKey[])[] = [];
  const bodiesOf = bodyReader({
    storage: {
      // Safe: nothing else is read.
      select: (async (_, keys: readonly SelectKey[]) => {
        asked.push(keys);
        if (isBroken) throw new Error('cannot be read');
        return bodies
          .filter(([scopeId, id]) => keys.some(([scope, event]) => scope === scopeId && event === id))
          .map(([scopeId, id, body]) => ({ scopeId, id, body }));
      }) as Storage['select'],
    },
    // Safe: a statement is only handed on.
    hot: {} as WebhookStatements,
  });
  return { bodiesOf, asked };
};

describe('bodies', () => {
  it('the bodies of a claim are read in one query, once per event, and are the same bytes for every webhook', async () => {
    const { bodiesOf, asked } = given([
      [1, 'seen', 'ä'],
      [2, 'seen', 'other'],
    ]);
    const rows = [
      { scopeId: 1, eventId: 'seen' },
      { scopeId: 1, eventId: 'seen' },
      { scopeId: 2, eventId: 'seen' },
      { scopeId: 1, eventId: 'gone' },
    ];
    const bodies = bodiesOf(rows);
    expect(asked).toHaveLength(1);
    await bodies.isRead;
    const [first, second, elsewhere, gone] = rows.map(bodies.of);
    expect([first?.toString(), elsewhere?.toString(), gone]).toEqual(['ä', 'other', null]);
    expect(second).toBe(first);
    expect(asked).toEqual([
      [
        [1, 'seen'],
        [2, 'seen'],
        [1, 'gone'],
      ],
    ]);
  });

  it('a failed read of bodies fails each delivery of the claim', async () => {
    const { bodiesOf, asked } = given([], true);
    const row = { scopeId: 1, eventId: 'seen' };
    const bodies = bodiesOf([row, row]);
    await bodies.isRead;
    for (const _ of 'ab') expect(() => bodies.of(row)).toThrow('cannot be read');
    expect(asked).toHaveLength(1);
  });
});
