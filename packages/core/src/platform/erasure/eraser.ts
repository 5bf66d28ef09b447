import type { InScope } from '../../foundation/scope.ts';

/** A user to be erased within one scope. */
export type ErasedPerson = {
  readonly scope: InScope;
  readonly userId: string;
  /** Profile keys: of the user, and of every anonymous profile merged into it; an eraser gets some at a time. */
  readonly people: readonly string[];
  /** Email addresses and phone numbers, which identify the user wherever they are stored. */
  readonly addresses: readonly string[];
};

/** Result of one transaction. */
export type Erased = {
  /** Rows that contained data of the user and no longer do. */
  readonly rows: number;
  readonly isMore: boolean;
};

/** Erases what one module stores about users. */
export type Eraser = {
  readonly name: string;
  /** Starts the erasure of a user: each call of the returned function is one short transaction. Idempotent. */
  begin(person: ErasedPerson): () => Promise<Erased>;
};

/** Order in which erasers run. */
export const ERASER_ORDER = [
  // Found by data of the profile.
  'kept answers',
  'accounts',
  'profile',
  'runs',
  'sends',
  'devices',
  'callbacks',
  'geofence crossings',
  'live activities',
  'suppressions',
  'subscriptions',
  'frequency caps',
  'audiences',
  'webhook deliveries',
  'raised events',
  'events',
  // Derived from events: while one event is left, they would be derived again.
  'samples of active people',
  // Last: a worker that resumes an erasure finds the user's other ids by the aliases.
  'aliases',
] as const;

/** Rows per transaction. Chosen: some milliseconds. */
export const SLICE = 200;

/** An eraser that finds up to `SLICE` rows anew in every transaction. */
export const sliced = (name: string, erase: (person: ErasedPerson) => Promise<number>): Eraser => ({
  name,
  begin: (person) => async () => {
    const rows = await erase(person);
    return { rows, isMore: rows > 0 };
  },
});
