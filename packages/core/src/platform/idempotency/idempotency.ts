// Requests that may come twice. A mark is on disk before the work begins, so that two of one key never run side by
// side, and the answer is written in the transaction of what it tells of. A mark without an answer lapses after 30 s:
// whoever held it died, and wrote nothing, since its answer would be there.

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

/** Answers looked at per step; ours. */
const LOOK = 500;

/** Characters from which on a name in a key is taken for that name; ours: a short one may stand in anybody's. */
const MIN_NAME = 6;

const isPart = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** True where a text holds a name by itself, not as a part of a longer one. */
const names = (text: string, name: string): boolean => {
  if (name.length < MIN_NAME) return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true;
  return false;
};

/**
 * Forgets kept answers that name the person or an address of theirs, or whose key does: nothing else says whom they are
 * about. A request that comes again is done again then. What tells of them in no such way lapses within a day.
 */
const answerEraser = (store: Pick<ReturnType<typeof idempotencyStore>, 'answersAfter' | 'forget'>): Eraser => ({
  name: 'kept answers',
  begin: ({ scope, people, addresses }) => {
    let after: { readonly route: string; readonly key: string } | null = null;
    const ids = people.map((person) => person.slice(2));
    const idsInAnswers = ids.map((id) => JSON.stringify(id));
    // A caller may write a mail address in other letters than the profile does: both reach the same person.
    const inKeys = addresses.map((address) => address.toLowerCase());
    const inAnswers = inKeys.map((address) => JSON.stringify(address).slice(1, -1));
    const holds = (text: string, these: readonly string[]): boolean => {
      if (these.length === 0) return false;
      const folded = text.toLowerCase();
      return these.some((one) => folded.includes(one));
    };
    return async () => {
      const rows = await store.answersAfter(scope, after, LOOK);
      const telling = rows.filter(
        ({ key, answer }) =>
          holds(key, inKeys) ||
          ids.some((id) => names(key, id)) ||
          (answer !== null && (idsInAnswers.some((text) => answer.includes(text)) || holds(answer, inAnswers))),
      );
      for (const row of telling) await store.forget(row);
      after = rows.at(-1) ?? null;
      return { rows: telling.length, isMore: rows.length === LOOK };
    };
  },
});

/** How long a mark holds and an answer is kept, in milliseconds. Source: contract, Conventions. */
const MARK_MS = 30_000;
const KEPT_MS = 86_400_000;
/** Characters of a key. Source: contract, Conventions. */
const MAX_KEY = 256;
/** Rows that one piece of upkeep forgets; ours. */
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
   * Answers `work` once per key in 24 h: the first answer again, as JSON gives it, to a request with the same body.
   * Work that adds what it is given to its own commit has its answer written with what it creates; of other work the
   * answer is written after it. What it throws is not kept.
   *
   * Throws VALIDATION_ERROR `idempotency_mismatch` for another body, CONFLICT `idempotency_in_progress` while the first
   * request still runs, for at most 30 s.
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
  /** One step of forgetting; true when more are left. */
  sweep(): Promise<boolean>;
};

/** Remembered requests: `run` answers each once, `sweep` is upkeep. */
export const idempotencyEngine = ({
  storage,
  tables,
  clock,
  ids,
}: Pick<Platform<IdempotencyTables>, 'storage' | 'tables' | 'clock' | 'ids'>): Idempotency => {
  const hot = idempotencyStatements(tables);
  const store = idempotencyStore({ db: storage.db, tables });

  type Key = InScope & { readonly route: string; readonly key: string };
  type Held = { readonly holder: string } | { readonly answer: string };

  /** The right to answer, or the answer that there is. */
  const hold = async (key: Key, bodyHash: string, field: string): Promise<Held> => {
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
      const taken = await storage.commit({ writes: [write(hot.takeOver, over, TAG)] });
      if (taken.ok) return { holder };
    }
    throw conflict('idempotency_in_progress');
  };

  const run: Idempotency['run'] = async (scope, { key: name, route, bodyHash, field = 'idempotencyKey' }, work) => {
    checkKey(field, name);
    const key = { ...scopeOf(scope), route, key: name };
    const held = await hold(key, bodyHash, field);
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
  };

  return {
    run,
    answerOnce: async (scope, { operation, asked, options, revive }, work) => {
      const { idempotencyKey, adapter } = options;
      if (idempotencyKey === undefined) return work(undefined);
      const request = nameOf(idempotencyKey, adapter, operation, () => sha256Hex(stableJson(asked)));
      const done = await run(scope, request, work);
      if (!done.isReplayed) return done.answer;
      adapter?.onReplayed();
      return revive(done.answer);
    },
    eraser: answerEraser(store),
    sweep: async () => (await store.sweepOfAll(clock.now(), SWEEP)) === SWEEP,
  };
};
