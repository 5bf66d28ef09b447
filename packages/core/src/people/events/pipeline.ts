import type { CommitHook } from '../../database/commit/commit-hook.ts';
import type { Write } from '../../database/commit/write-set.ts';
import type { BeckonError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import type { SpendWork } from '../../jobs/concurrency/work-slices.ts';
import type { RunBudget } from './run-budget.ts';

/**
 * What happens to a person: an accepted event or identify call, checked and normalised; an event that the service itself
 * raised; or `changed`, traits that a step of a run changes, which is no event. Nothing of it changes any more.
 */
export type Item = {
  readonly scope: Scope;
  readonly kind: 'event' | 'identify' | 'raised' | 'changed';
  readonly id: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly module: string;
  readonly eventType: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** At most 16 KB; null members unset. */
  readonly traits: Readonly<Record<string, unknown>> | null;
  readonly context: Readonly<Record<string, unknown>> | null;
  readonly sessionId: string | null;
  readonly messageId: string | null;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  /** 0 from outside; what a run caused is one deeper than the run. */
  readonly depth: number;
  /** What it may spend on runs; absent: nothing in this service caused it. */
  readonly budget?: RunBudget | undefined;
  /** Of items that came in one request of an org with a quota, which takes all of them or none; absent: it came alone. */
  readonly request?: string | undefined;
};

/** A person as far as ingest knows one: of a view without traits, as it was read some seconds ago. */
export type PersonView = {
  readonly version: number;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly lastSeenAt: Date;
  /** These where traits were read; absent of somebody whom nobody knew. */
  readonly createdAt?: Date | undefined;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly accountEmail?: string | null | undefined;
  readonly accountPhone?: string | null | undefined;
  readonly localeOverride?: string | null | undefined;
  readonly timezoneOverride?: string | null | undefined;
  /** All of them, where a reaction asks for this scope's (`needsTraits`) or the batch changes some; else absent. */
  readonly traits?: Readonly<Record<string, unknown>> | undefined;
};

/** What a batch makes of a person. */
export type PersonChange = {
  readonly scope: InScope;
  readonly person: string;
  /** Null: nobody knew this person. */
  readonly before: PersonView | null;
  /** Null: somebody anonymous, who turned out to be a user and lives on in that user's `after`. */
  readonly after: PersonView | null;
};

/** What the reactions find out about an item, each for those after it. */
export type Entry = {
  readonly item: Item;
  /** Set when the messageId was seen in the last 72 h: the id of the event that it made. */
  duplicateOf: string | null;
  /** Whose it is, aliases resolved. */
  person: string;
  /** Names of the traits that it changed. */
  changedTraits: readonly string[];
};

/** A batch on its way to one commit. */
export type IngestDraft = {
  readonly now: Date;
  readonly entries: Entry[];
  /** By the ids of items that are not stored, and are no entries any more. */
  readonly refused: Map<string, BeckonError>;
  /** Anonymous people who turned out to be users in this batch. */
  readonly merges: Merge[];
  /** By `personTag`: everybody whom the batch concerns, as `profiles` leaves them to the reactions behind it. */
  readonly people: Map<string, PersonChange>;
  /** Who is in which audience once the batch is stored, as far as a reaction behind asked for it (`audiences` sets it). */
  isMember: (scope: InScope, person: string, audienceId: string) => boolean;
  /** Budgets of items, by id, of which a reaction gave a part to the events that it raised; of others their own holds. */
  readonly budgets: Map<string, RunBudget>;
  readonly writes: Write[];
  readonly wakes: Set<string>;
  /** What the writes weigh beyond one each: rows with large copies take the database longer than others. */
  extraWeight: number;
  /** What the host and reactions do with the commit, where the round says that it is heard. */
  readonly hooks: CommitHook[];
};

export type Merge = { readonly scope: InScope; readonly from: string; readonly to: string };

/** What a reaction may guess and remember while it loads and plans. */
export type Round = {
  /** Its guards prove a guess; once they have failed it has to read. */
  readonly isFirstTry: boolean;
  /** Within a transaction of the host's: what is read and written there may be rolled back, so nothing of it is kept. */
  readonly isJoined: boolean;
  /** Whether the draft's `hooks` is done with its commit, after which all of it is on disk; absent: it is not. */
  readonly hasHooks?: boolean;
  /**
   * Says that one commit should take so many of the items, from the first on, and 1 at least: a reaction that finds so
   * much to change that all of it would hold the event loop. Absent where items are taken one by one anyway.
   */
  readonly takeOnly?: (count: number) => void;
  /**
   * Counts work whose size follows from what tenants have defined, by org; absent: `spendWork`. Rejects or throws what ends
   * this try.
   */
  readonly spend?: SpendWork;
};

/** Tells of whose items a reaction reads the traits in `people`; from a cache, since it is asked for every batch. */
export type NeedsTraits = (scopes: readonly Scope[]) => Promise<(item: Item) => boolean>;

/**
 * One engine's part in ingest. `load` reads, set-based, what the batch touches; `plan` is pure: it looks at the batch
 * and at what was loaded, and adds writes; it returns a promise where it spends work in slices. A guard's tag is the item's
 * id or its `personTag`.
 */
export type Reaction<Loaded> = {
  readonly name: string;
  /** Absent: it looks at nobody's traits. */
  readonly needsTraits?: NeedsTraits | undefined;
  load(items: readonly Item[], round: Round): Promise<Loaded>;
  plan(draft: IngestDraft, loaded: Loaded): void | Promise<void>;
};

/** A batch of which nothing is planned yet. */
export const newDraft = (items: readonly Item[], now: Date): IngestDraft => ({
  now,
  entries: items.map((item) => ({ item, duplicateOf: null, person: '', changedTraits: [] })),
  refused: new Map(),
  merges: [],
  people: new Map(),
  isMember: () => false,
  budgets: new Map(),
  writes: [],
  wakes: new Set(),
  extraWeight: 0,
  hooks: [],
});

/**
 * What the writes of one commit may weigh: SQLite makes them in one piece. Chosen: about 25 ms, and more than 1,000 events
 * without workflows and audiences make.
 */
export const MOST_WEIGHT = 6_000;

/**
 * How many of so many things that were planned make one commit, from the first on: all of them, or where their writes are
 * too many fewer, and 1 at least. Throws nothing.
 */
export const fittingOf = (
  planned: number,
  { writes, extraWeight }: { readonly writes: readonly Write[]; readonly extraWeight: number },
  mostWeight: number = MOST_WEIGHT,
): number => {
  const weight = writes.length + extraWeight;
  return weight <= mostWeight ? planned : Math.max(1, Math.floor((planned * mostWeight) / weight));
};

/** The guard tag of everything that concerns one person of one scope. */
export const personTag = (scope: InScope, person: string): string => `${scopeKey(scope)}/${person}`;

/** The guard tag of what is counted of an org. */
export const orgTag = (orgId: string): string => `org/${orgId}`;

/** The entries that are not duplicates. */
export const freshEntries = (draft: IngestDraft): Entry[] =>
  draft.entries.filter((entry) => entry.duplicateOf === null);

/** Adds what one reaction writes. */
export type Planner = (draft: IngestDraft) => void | Promise<void>;

/** Runs planners one after another, each over what those before it found out. Throws what they throw. */
export const planInOrder = async (planners: readonly Planner[], draft: IngestDraft): Promise<void> => {
  for (const add of planners) {
    const isSliced = add(draft);
    if (isSliced !== undefined) await isSliced;
  }
};

/** A reaction with its loaded type closed over, so that reactions of several engines stand in one list. */
export type BoundReaction = {
  readonly name: string;
  readonly needsTraits?: NeedsTraits | undefined;
  load(items: readonly Item[], round: Round): Promise<Planner>;
};

/**
 * Order of the reactions that react to events from outside, to the service's own events and to changed profiles alike.
 * Memberships of audiences come first: they decide which workflows start.
 */
export const DOWNSTREAM_ORDER = ['audiences', 'waiting runs', 'workflow triggers'] as const;

/** Order of the reactions of ingest: whose an event is, then the event, then what it starts. */
export const INGEST_ORDER = [
  'dedupe',
  'quota',
  'profiles',
  'push tokens',
  'store events',
  'webhooks of identify calls',
  'conversions',
  ...DOWNSTREAM_ORDER,
  'hooks of the host',
] as const;

/** Ties a reaction's `plan` to what its `load` returns. Throws nothing. */
export const bindReaction = <Loaded>(reaction: Reaction<Loaded>): BoundReaction => ({
  name: reaction.name,
  needsTraits: reaction.needsTraits,
  load: async (items, round) => {
    const loaded = await reaction.load(items, round);
    return (draft) => reaction.plan(draft, loaded);
  },
});
