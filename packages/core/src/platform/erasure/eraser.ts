import type { InScope } from '../../foundation/scope.ts';

/** Somebody who is to be erased, within one scope. */
export type ErasedPerson = {
  readonly scope: InScope;
  readonly userId: string;
  /** Person keys: of the user, and of everybody anonymous who turned out to be them; an eraser is told of some at a time. */
  readonly people: readonly string[];
  /** Mail addresses and telephone numbers: they tell of the person wherever they stand. */
  readonly addresses: readonly string[];
};

/** What one transaction erased. */
export type Erased = {
  /** Rows that told of the person, and tell so no longer. */
  readonly rows: number;
  readonly isMore: boolean;
};

/** What one engine keeps of people. */
export type Eraser = {
  readonly name: string;
  /** Begins to erase somebody: each call of what it answers is one short transaction. Doing it again does no harm. */
  begin(person: ErasedPerson): () => Promise<Erased>;
};

/** Order in which erasers run. */
export const ERASER_ORDER = [
  // These are found by what the profile says.
  'kept answers',
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
  // Made of events: while one is left, they would be made again.
  'samples of active people',
  // Last: a worker that continues an erasure finds the person's other ids by the aliases.
  'aliases',
] as const;

/** Rows of one transaction; ours: some milliseconds. */
export const SLICE = 200;

/** An eraser whose every transaction looks for up to `SLICE` rows anew. */
export const sliced = (name: string, erase: (person: ErasedPerson) => Promise<number>): Eraser => ({
  name,
  begin: (person) => async () => {
    const rows = await erase(person);
    return { rows, isMore: rows > 0 };
  },
});
