import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { lru } from '../../foundation/lru.ts';
import { batcher } from '../../jobs/concurrency/batcher.ts';
import type { TenancyStatements } from './statements.ts';

/** Interval between writes of one key's last use. Chosen: it is read by people. */
const EVERY_MS = 60_000;

/** Records the last use of keys in the background. */
export type LastUsed = {
  /** Records a use of a key now, unless one was recorded within the last minute. Returns at once, throws nothing. */
  note(keyId: string, storedAt: Date | null): void;
  /** Resolves when all recorded uses are written, or failed. Throws nothing. */
  flush(): Promise<void>;
};

/**
 * One write at a time; uses recorded meanwhile go with the next one. A failed write is logged and dropped: the next
 * minute's use writes a later time anyway.
 *
 * @param maxKeys keys whose last write is remembered; a further key may be written twice in a minute
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
      // A key whose last write was forgotten may occur twice, and a plan can write a row only once.
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
