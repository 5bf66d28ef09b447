import { describe, expect, it, vi } from 'vitest';
import type { LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import type { Registration } from './registration.ts';
import { queue } from './worker.ts';

describe('a queue', () => {
  it('claims no more than it has room for, and nothing while it has none', async () => {
    const rooms = [0, 7];
    const asked: number[] = [];
    const limits: number[] = [];
    const storage: Partial<Storage> = {
      claim: async (_, limit) => {
        limits.push(limit);
        return [];
      },
      nextDueInMs: async () => null,
      wake: { signal: () => undefined, subscribe: () => () => undefined },
    };
    const work: Registration<LeaseKey, string> = {
      name: 'rows',
      // Safe: the queue gives it to the storage, which is the one above.
      claim: { id: 'rows' } as Registration<LeaseKey, string>['claim'],
      maxInHand: 64,
      room: (most) => {
        asked.push(most);
        return rooms.shift() ?? 64;
      },
      process: async () => undefined,
      commit: async () => undefined,
      giveUp: async () => undefined,
    };
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    // Safe: a queue without rows asks its storage for nothing else.
    const one = queue({ storage: storage as Storage, log, pollMs: 5 }, work);
    one.start();
    await vi.waitFor(() => expect(limits).toEqual([7]));
    expect(asked).toEqual([64, 64]);
    await one.stop(0);
  });
});
