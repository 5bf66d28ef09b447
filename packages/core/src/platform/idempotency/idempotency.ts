// Requests that may arrive twice. A mark is on disk before the work begins, so two requests with one key never run
// concurrently, and the response is written in the transaction of what it describes. A mark without a response expires
// after 30 s: its holder died and wrote nothing, since otherwise the response would be there.

import { MAX_TRIES, write } from '../../database/commit/write-set.ts';
import { conflict, validationError } from '../../foundation/errors.ts';
import { sha256Hex, stableJson } from '../../foundation/hash.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Eraser } from '../erasure/eraser.ts';
import type { Platform } from '../platform.ts';
import { type AnswerOnce, type NamedRequest, nameOf, type Once } from './once.ts';
import { idempotencyStatements } from './statements.ts';
import { idempotencyStore } from './store.ts';
import type { IdempotencyTables } from './tables.ts';

/** Stored responses read per step. Chosen. */
const BATCH_ROWS = 500;

/** Minimum length of an id that is searched in keys. Chosen: a shorter one may occur in any key. */
const MIN_NAME = 6;

const isPart = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** True if a text contains a name as a whole word. */
const containsName = (text: string, name: string): boolean => {
  if (name.length < MIN_NAME) return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true;
  return false;
};

/**
 * Deletes stored responses that contain an id or address of the user, or whose key does: nothing else links them to the
 * user. A repeated request then runs again. Responses without such a link expire within a day.
 */
const answerEraser = (store: Pick<ReturnType<typeof idempotencyStore>, 'answersAfter' | 'forget'>): Eraser => ({
  name: 'kept answers',
  begin: ({ scope, people, addresses }) => {
    let after: { readonly route: string; readonly key: string } | null = null;
    const ids = people.map((person) => person.slice(2));
    const idsInAnswers = ids.map((id) => JSON.stringify(id));
    // A caller may write an email address in other letters than the profile: both reach the same user.
    const inKeys = addresses.map((address) => address.toLowerCase());
    const inAnswers = inKeys.map((address) => JSON.stringify(address).slice(1, -1));
    const holds = (text: string, candidates: readonly string[]): boolean => {
      if (candidates.length === 0) return false;
      const folded = text.toLowerCase();
      return candidates.some((one) => folded.includes(one));
    };
    return async () => {
      const rows = await store.answersAfter(scope, after, BATCH_ROWS);
      const matching = rows.filter(
        ({ key, answer }) =>
          holds(key, inKeys) ||
          ids.some((id) => containsName(key, id)) ||
          (answer !== null && (idsInAnswers.some((text) => answer.includes(text)) || holds(answer, inAnswers))),
      );
      for (const row of matching) await store.forget(row);
      after = rows.at(-1) ?? null;
      return { rows: matching.length, isMore: rows.length === BATCH_ROWS };
    };
  },
});

/** How long a mark is valid and a response is stored, in milliseconds. Source: contract, Conventions. */
const MARK_MS = 30_000;
const KEPT_MS = 86_400_000;
/** Maximum characters of a key. Source: contract, Conventions. */
const MAX_KEY = 256;
/** Rows deleted per piece of maintenance. Chosen. */
const SWEEP = 200;

const TAG = 'once';

const checkKey = (field: string, key: string): void => {
  if (key.length < 1 || key.length > MAX_KEY || /\p{Cc}/u.test(key))
    throw validationError({ [field]: [`must be 1 to ${MAX_KEY} characters without control characters`] });
};

const mismatch = (field: string) =>
  validationError(
    { [field]: ['was already used with another body: use a new key for a new request'] },
    'This idempotency key was used for another body within 24 hours.',
    { reason: 'idempotency_mismatch' },
  );

export type Idempotency = {
  /**
   * Runs `work` once per key in 24 h: a request with the same body gets the first response again, as JSON. Work that
   * adds the writes of `Once` to its commit has its response stored with what it creates; otherwise the response is
   * stored after the work. Errors are not stored.
   *
   * Throws VALIDATION_ERROR `idempotency_mismatch` for another body, CONFLICT `idempotency_in_progress` while the first
   * request runs, for at most 30 s.
   */
  run<T>(
    scope: InScope,
    request: NamedRequest,
    work: (once: Once) => Promise<T>,
  ): Promise<
    { readonly isReplayed: false; readonly answer: T } | { readonly isReplayed: true; readonly answer: unknown }
  >;
  readonly answerOnce: AnswerOnce;
  readonly eraser: Eraser;
  /** Deletes some expired rows; true if more are left. */
  sweep(): Promise<boolean>;
};

/** Stored requests: `run` executes each once, `sweep` is maintenance. */
export const idempotencyEngine = ({
  storage,
  tables,
  clock,
  ids,
}: Pick<Platform<IdempotencyTables>, 'storage' | 'tables' | 'clock' | 'ids'>): Idempotency => {
  const hot = idempotencyStatements(tables);
  const store = idempotencyStore({ db: storage.db, tables });

  type Key = InScope & { readonly route: string; readonly key: string };
  type Acquired = { readonly holder: string } | { readonly answer: string };

  /** Acquires the right to respond, or returns the stored response. */
  const acquire = async (key: Key, bodyHash: string, field: string): Promise<Acquired> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const now = clock.now();
      const mark = { ...key, bodyHash, expiresAt: new Date(now.getTime() + MARK_MS) };
      const holder = ids.next();
      const begun = await storage.commit({ writes: [write(hot.begin, { ...mark, holder }, TAG)] });
      if (begun.ok) return { holder };
      const [row] = await storage.select(hot.row, [[scopeKey(key), key.route, key.key]]);
      if (!row) continue;
      if (row.expiresAt > now) {
        if (row.bodyHash !== bodyHash) throw mismatch(field);
        if (row.answer === null) throw conflict('idempotency_in_progress');
        return { answer: row.answer };
      }
      const over = { ...mark, holder: row.holder, newHolder: holder };
      const takeover = await storage.commit({ writes: [write(hot.takeOver, over, TAG)] });
      if (takeover.ok) return { holder };
    }
    throw conflict('idempotency_in_progress');
  };

  const run: Idempotency['run'] = async (scope, { key: name, route, bodyHash, field = 'idempotencyKey' }, work) => {
    checkKey(field, name);
    const key = { ...scopeOf(scope), route, key: name };
    const held = await acquire(key, bodyHash, field);
    if ('answer' in held) return { isReplayed: true, answer: JSON.parse(held.answer) };
    let isPassedOn = false;
    const until = (now: Date): Date => new Date(now.getTime() + KEPT_MS);
    const finish = (answer: unknown, now: Date) => {
      const expiresAt = until(now);
      return [write(hot.finish, { ...key, ...held, answer: JSON.stringify(answer), expiresAt }, TAG)];
    };
    const once: Once = {
      tag: TAG,
      writes: (answer, now) => {
        isPassedOn = true;
        return finish(answer, now);
      },
      lost: () => conflict('idempotency_in_progress'),
      inTransaction: async (db, answer, now) => {
        isPassedOn = true;
        const inside = idempotencyStore({ db, tables });
        if (!(await inside.finish(key, held.holder, JSON.stringify(answer), until(now))))
          throw conflict('idempotency_in_progress');
      },
    };
    try {
      const answer = await work(once);
      // If the mark expired while the work ran, the response is returned but not stored.
      if (!isPassedOn) await storage.commit({ writes: finish(answer, clock.now()) });
      return { isReplayed: false, answer };
    } catch (error) {
      // Nothing was done, or the stored response stays.
      await storage.commit({ writes: [write(hot.drop, { ...key, ...held })] }).catch(() => undefined);
      throw error;
    }
  };

  return {
    run,
    answerOnce: async (scope, { operation, input, options, revive }, work) => {
      const { idempotencyKey, adapter } = options;
      if (idempotencyKey === undefined) return work(undefined);
      const request = nameOf(idempotencyKey, adapter, operation, () => sha256Hex(stableJson(input)));
      const done = await run(scope, request, work);
      if (!done.isReplayed) return done.answer;
      adapter?.onReplayed();
      return revive(done.answer);
    },
    eraser: answerEraser(store),
    sweep: async () => (await store.sweepOfAll(clock.now(), SWEEP)) === SWEEP,
  };
};
