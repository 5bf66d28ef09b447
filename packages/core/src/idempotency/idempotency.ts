// Requests that may come twice. A mark is on disk before the work begins, so that two of one key never run side by
// side, and the answer is written in the transaction of what it tells of. A mark without an answer lapses after 30 s:
// whoever held it died, and wrote nothing, since its answer would be there.

import type { IdempotencyApi } from '../api.ts';
import { conflict, validationError } from '../errors.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Ids } from '../primitives/ids.ts';
import { type InScope, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { MAX_TRIES, write } from '../storage/write-set.ts';
import { idempotencyHot } from './hot.ts';
import type { OnceWrites } from './once.ts';
import { idempotencyStore } from './store.ts';
import type { IdempotencyTables } from './tables.ts';

/** How long a mark holds and an answer is kept, in milliseconds. Source: contract, Conventions. */
const MARK_MS = 30_000;
const KEPT_MS = 86_400_000;
/** Characters of a key. Source: contract, Conventions. */
const MAX_KEY = 256;
/** Rows that one piece of upkeep forgets; ours. */
const SWEEP = 200;

export type IdempotencyDeps = {
  readonly storage: Storage;
  readonly tables: IdempotencyTables;
  readonly clock: Clock;
  readonly ids: Ids;
};

const TAG = 'once';

const checkKey = (key: string): void => {
  if (key.length < 1 || key.length > MAX_KEY || /\p{Cc}/u.test(key))
    throw validationError({ 'Idempotency-Key': [`must be 1 to ${MAX_KEY} characters without control characters`] });
};

const mismatch = () =>
  validationError(
    { 'Idempotency-Key': ['was used for another body'] },
    'This Idempotency-Key was used for another body within 24 hours.',
    { reason: 'idempotency_mismatch' },
  );

/** Remembered requests: `run` answers each once, `sweep` is upkeep. */
export const idempotencyEngine = ({
  storage,
  tables,
  clock,
  ids,
}: IdempotencyDeps): IdempotencyApi & { sweep(): Promise<boolean> } => {
  const hot = idempotencyHot(tables);
  const store = idempotencyStore({ db: storage.db, tables });

  type Key = InScope & { readonly route: string; readonly key: string };
  type Held = { readonly holder: string } | { readonly answer: string };

  /** The right to answer, or the answer that there is. */
  const hold = async (key: Key, bodyHash: string): Promise<Held> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const now = clock.now();
      const mark = { ...key, bodyHash, expiresAt: new Date(now.getTime() + MARK_MS) };
      const holder = ids.next();
      const begun = await storage.commit({ writes: [write(hot.begin, { ...mark, holder }, TAG)] });
      if (begun.ok) return { holder };
      const [row] = await storage.select(hot.row, [[scopeKey(key), key.route, key.key]]);
      if (!row) continue;
      if (row.expiresAt > now) {
        if (row.bodyHash !== bodyHash) throw mismatch();
        if (row.answer === null) throw conflict('idempotency_in_progress');
        return { answer: row.answer };
      }
      const over = { ...mark, holder: row.holder, newHolder: holder };
      const taken = await storage.commit({ writes: [write(hot.takeOver, over, TAG)] });
      if (taken.ok) return { holder };
    }
    throw conflict('idempotency_in_progress');
  };

  return {
    run: async (scope, { key: name, route, bodyHash }, work) => {
      checkKey(name);
      const key = { ...scopeOf(scope), route, key: name };
      const held = await hold(key, bodyHash);
      if ('answer' in held) return { isReplayed: true, answer: JSON.parse(held.answer) };
      let isPassedOn = false;
      const until = (now: Date): Date => new Date(now.getTime() + KEPT_MS);
      const finish = (answer: unknown, now: Date) => {
        const expiresAt = until(now);
        return [write(hot.finish, { ...key, ...held, answer: JSON.stringify(answer), expiresAt }, TAG)];
      };
      const once: OnceWrites = {
        tag: TAG,
        writes: (answer, now) => {
          isPassedOn = true;
          return finish(answer, now);
        },
        lost: () => conflict('idempotency_in_progress'),
        inside: async (db, answer, now) => {
          isPassedOn = true;
          const inside = idempotencyStore({ db, tables });
          if (!(await inside.finish(key, held.holder, JSON.stringify(answer), until(now))))
            throw conflict('idempotency_in_progress');
        },
      };
      try {
        const answer = await work(once);
        // Where the mark lapsed while the work ran, the answer is told and not kept.
        if (!isPassedOn) await storage.commit({ writes: finish(answer, clock.now()) });
        return { isReplayed: false, answer };
      } catch (error) {
        // Nothing was done, or its answer is there and stays.
        await storage.commit({ writes: [write(hot.drop, { ...key, ...held })] }).catch(() => undefined);
        throw error;
      }
    },
    sweep: async () => (await store.sweepOfAll(clock.now(), SWEEP)) === SWEEP,
  };
};
