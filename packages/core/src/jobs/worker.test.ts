import { describe, expect, it, vi } from 'vitest';
import type { LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import type { Registration } from './registration.ts';
import { queue } from './worker.ts';

describe('a queue', () => {
  it('a queue claims no more rows than its limit, and nothing while the limit is 0', async () => {
    const claimLimits = [0, 7];
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
      // Safe: the queue passes it to the storage above.
      claim: { id: 'rows' } as Registration<LeaseKey, string>['claim'],
      maxInHand: 64,
      claimLimit: (most) => {
        asked.push(most);
        return claimLimits.shift() ?? 64;
      },
      process: async () => undefined,
      commit: async () => undefined,
      deadLetter: async () => undefined,
    };
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    // Safe: a queue without rows uses nothing else of its storage.
    const one = queue({ storage: storage as Storage, log, pollMs: 5 }, work);
    one.start();
    await vi.waitFor(() => expect(limits).toEqual([7]));
    expect(asked).toEqual([64, 64]);
    await one.stop(0);
  });
});
