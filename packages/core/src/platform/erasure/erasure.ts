// Erases a user everywhere. A request is a due row that a worker claims. The worker runs module by module and slice by
// slice, and repeats all of it until nothing is found, since work that was in hand at the start may have written since.
// If it dies, another worker starts over.

import { type Claimed, claimable } from '../../database/statements/claim.ts';
import { notFound } from '../../foundation/errors.ts';
import { type Person, userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { Platform } from '../platform.ts';
import type { Erasure, ErasureRequested } from './answers.generated.ts';
import type { ErasedPerson, Eraser } from './eraser.ts';
import { erasureStore } from './store.ts';
import type { ErasureRow, ErasureTables } from './tables.ts';

export const ERASURES_QUEUE = 'erasures';

/** Users that one worker erases concurrently. Chosen. */
const MAX_IN_HAND = 4;
/** Maximum passes over all modules. Chosen: data written after that belongs to a new profile. */
const MAX_PASSES = 10;
/**
 * Profile keys passed to a module at once. Chosen: a statement can bind some 30,000 values, and each step stays short.
 */
const MAX_NAMES = 500;
/** When a failed erasure is tried again, in milliseconds. Chosen. */
const RETRY_MS = 3_600_000;

/** What erasure uses of other modules. */
export type ErasureNeeds = {
  /** In the order in which they run. */
  readonly erasers: readonly Eraser[];
  /** True if there is any data of a user. */
  readonly isKnown: (scope: Scope, userId: string) => Promise<boolean>;
  /** All known profile keys and addresses of a user. */
  readonly describe: (scope: InScope, userId: string) => Promise<ErasedPerson>;
};

/** True if a module has rows of a profile. */
export type Trace = (scope: Scope, person: Person) => Promise<boolean>;

/** True if any module has rows of a user. Stops at the first one that has. */
export const isKnownTo = async (traces: readonly Trace[], scope: Scope, userId: string): Promise<boolean> => {
  const person = userPerson(userId);
  for (const hasRows of traces) if (await hasRows(scope, person)) return true;
  return false;
};

/** Splits a user's profile keys, of which devices can create any number. */
const inParts = (person: ErasedPerson): ErasedPerson[] =>
  Array.from({ length: Math.ceil(person.people.length / MAX_NAMES) }, (_, at) => ({
    ...person,
    people: person.people.slice(at * MAX_NAMES, (at + 1) * MAX_NAMES),
  }));

export const erasureEngine = ({
  storage,
  tables,
  clock,
  ids,
  erasers,
  isKnown,
  describe,
}: Pick<Platform<ErasureTables>, 'storage' | 'tables' | 'clock' | 'ids'> & ErasureNeeds) => {
  const store = erasureStore({ db: storage.db, tables });

  const eraseOnce = async (person: ErasedPerson, signal: AbortSignal): Promise<number> => {
    let rows = 0;
    const parts = inParts(person);
    for (const eraser of erasers)
      for (const part of parts) {
        const erase = eraser.begin(part);
        for (let isMore = true; isMore; ) {
          signal.throwIfAborted();
          const erased = await erase();
          rows += erased.rows;
          ({ isMore } = erased);
        }
      }
    return rows;
  };

  const eraseAll = async (row: ErasureRow, signal: AbortSignal): Promise<void> => {
    // Null if the worker died after erasing and before cleaning the files; the user is then unknown.
    if (row.userId !== null) {
      const person = await describe(row, row.userId);
      for (let pass = 0; pass < MAX_PASSES && (await eraseOnce(person, signal)) > 0; pass += 1);
      await store.forget(row);
    }
  };

  const registration: Registration<ErasureRow, Claimed<ErasureRow>> = {
    name: ERASURES_QUEUE,
    claim: claimable(ERASURES_QUEUE, tables.erasures),
    maxInHand: MAX_IN_HAND,
    // A stopping worker leaves the next slice to another one.
    process: async (rows, done, { draining }) => {
      for (const row of rows) await eraseAll(row, draining);
      // Once for all rows: on SQLite it blocks other writers.
      await storage.scrub();
      for (const row of rows) done(row, row);
    },
    commit: async (rows) => {
      for (const row of rows) await store.finish(row, clock.now());
    },
    deadLetter: (row) => store.putOff(row, new Date(clock.now().getTime() + RETRY_MS)),
  };

  return {
    /** Contract: ProfilesApi. */
    api: {
      erase: async (scope: Scope, userId: string): Promise<ErasureRequested> => {
        const pending = await store.pendingOf(scope, userId);
        if (pending !== undefined) return { erasureId: pending };
        if (!(await isKnown(scope, userId))) throw notFound('user with this id', scope);
        const id = ids.next();
        const now = clock.now();
        const row = { ...scopeOf(scope), id, userId, createdAt: now, finishedAt: null, dueAt: now };
        await store.insert({ ...row, leaseUntil: null, fence: 0 });
        storage.wake.signal([ERASURES_QUEUE]);
        return { erasureId: id };
      },
      erasure: async (scope: Scope, id: string): Promise<Erasure> => {
        const row = await store.get(scope, id);
        if (!row) throw notFound('erasure with this id', scope);
        const { createdAt, finishedAt } = row;
        return { id, status: finishedAt === null ? 'pending' : 'done', createdAt, finishedAt };
      },
    },
    registration,
  };
};
