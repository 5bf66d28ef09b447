import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { lru } from '../../foundation/lru.ts';
import { batcher } from '../../jobs/concurrency/batcher.ts';
import type { TenancyStatements } from './statements.ts';

/** How often the use of one key is written down; ours: it is read by people. */
const EVERY_MS = 60_000;

/** Writes down when keys were used, behind the back of those who use them. */
export type LastUsed = {
  /** Notes that a key is in use now, unless that was noted within the last minute. Returns at once, throws nothing. */
  note(keyId: string, storedAt: Date | null): void;
  /** Resolves when all that was noted is written, or could not be. Throws nothing. */
  flush(): Promise<void>;
};

/**
 * One write at a time; what is noted meanwhile goes with the next one. A write that fails is dropped and told to the
 * log: the next minute's use of the key writes a later time anyway.
 *
 * @param maxKeys keys of which it remembers the last note; one more may be written twice in a minute
 */
export const lastUsed = ({
  storage,
  hot,
  clock,
  maxKeys,
  log,
}: {
  readonly storage: Pick<Storage, 'commit'>;
  readonly hot: Pick<TenancyStatements, 'noteUse'>;
  readonly clock: Clock;
  readonly maxKeys: number;
  readonly log?: Log | undefined;
}): LastUsed => {
  const noted = lru<string, number>(maxKeys);
  const uses = batcher<readonly [id: string, lastUsedAt: Date]>({
    flush: async (batch) => {
      // A key whose last note was forgotten meanwhile may come twice, and one row can be written once in a plan.
      const rows = [...new Map(batch)];
      try {
        const writes = rows.map(([id, lastUsedAt]) => write(hot.noteUse, { id, lastUsedAt }));
        await storage.commit({ writes });
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown';
        log?.warn({ keys: rows.length, reason }, 'The last use of API keys could not be written.');
      }
      return [];
    },
  });

  return {
    note: (keyId, storedAt) => {
      const now = clock.now();
      const before = Math.max(storedAt?.getTime() ?? 0, noted.get(keyId) ?? 0);
      if (now.getTime() - before < EVERY_MS) return;
      noted.set(keyId, now.getTime());
      uses.add([keyId, now]);
    },
    flush: uses.settled,
  };
};
