import type { CommitHook } from '../../database/commit/commit-hook.ts';
import type { Write } from '../../database/commit/write-set.ts';
import type { BeckonError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import type { SpendWork } from '../../jobs/concurrency/work-slices.ts';
import type { RunBudget } from './run-budget.ts';

/**
 * Input of the reactions, immutable: an accepted event or identify call, checked and normalized; `raised`, an event
 * that Beckon raised; or `changed`, trait changes by a workflow step, which is not an event.
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
  /** At most 16 KB. A null member removes a trait. */
  readonly traits: Readonly<Record<string, unknown>> | null;
  readonly context: Readonly<Record<string, unknown>> | null;
  readonly sessionId: string | null;
  readonly messageId: string | null;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  /** 0 for events from outside; the depth of the run plus one for events it caused. */
  readonly depth: number;
  /** How many runs the event may start; absent if its cause is outside Beckon. */
  readonly budget?: RunBudget | undefined;
  /**
   * Id of the request, set for orgs with a quota, which accepts all items of a request or none; absent if the item came
   * alone.
   */
  readonly request?: string | undefined;
};

/** Profile columns that ingest needs. Without traits it may be some seconds old. */
export type PersonView = {
  readonly version: number;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly lastSeenAt: Date;
  /** The following columns are loaded together with traits; absent if the profile did not exist. */
  readonly createdAt?: Date | undefined;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly accountEmail?: string | null | undefined;
  readonly accountPhone?: string | null | undefined;
  readonly localeOverride?: string | null | undefined;
  readonly timezoneOverride?: string | null | undefined;
  /**
   * All traits, if a reaction needs them for this scope (`needsTraits`) or the batch changes some; otherwise absent.
   */
  readonly traits?: Readonly<Record<string, unknown>> | undefined;
};

/** A profile before and after the batch. */
export type PersonChange = {
  readonly scope: InScope;
  readonly person: string;
  /** Null: the profile did not exist. */
  readonly before: PersonView | null;
  /** Null: an anonymous profile that was merged into a user, whose `after` includes it. */
  readonly after: PersonView | null;
};

/** An item with what the reactions found out; each reaction reads what earlier ones set. */
export type Entry = {
  readonly item: Item;
  /** Id of the event stored under the same messageId in the last 72 h; null if there is none. */
  duplicateOf: string | null;
  /** The profile, after resolving aliases. */
  person: string;
  /** Names of the traits that the item changed. */
  changedTraits: readonly string[];
};

/** Working state of a batch until its commit. */
export type IngestDraft = {
  readonly now: Date;
  readonly entries: Entry[];
  /** Items that are not stored, by id. They are no longer in `entries`. */
  readonly refused: Map<string, BeckonError>;
  /** Anonymous profiles merged into users by this batch. */
  readonly merges: Merge[];
  /** By `personTag`: every profile that the batch affects. `profiles` fills it for downstream reactions. */
  readonly people: Map<string, PersonChange>;
  /**
   * Membership after the batch, for the audiences that a downstream reaction requested. The audiences reaction sets it.
   */
  isMember: (scope: InScope, person: string, audienceId: string) => boolean;
  /**
   * By item id: remaining budgets of items whose reaction passed a part to events it raised. Other items keep their
   * own.
   */
  readonly budgets: Map<string, RunBudget>;
  readonly writes: Write[];
  readonly wakes: Set<string>;
  /** Weight beyond one per write, for rows with large copies, which take the database longer. */
  extraWeight: number;
  /** Hooks of the commit. They run only if the round has `hasHooks`. */
  readonly hooks: CommitHook[];
};

export type Merge = { readonly scope: InScope; readonly from: string; readonly to: string };

/** What a reaction may assume and cache while it loads and plans. */
export type Round = {
  /**
   * True on the first try: a reaction may guess, because guards verify it. False after a failed guard: it must read.
   */
  readonly isFirstTry: boolean;
  /** True in a host's transaction, which may roll back: nothing read or written there may be cached. */
  readonly isJoined: boolean;
  /** True if the draft's `hooks` run with the commit. Absent: they do not. */
  readonly hasHooks?: boolean;
  /**
   * Limits the commit to the first `count` items, at least 1. A reaction calls it if the whole batch would block the
   * event loop. Absent if items are committed one at a time anyway.
   */
  readonly takeOnly?: (count: number) => void;
  /**
   * Counts work whose size depends on a tenant's definitions, by org. Default: `spendWork`. Rejects or throws to abort
   * the try.
   */
  readonly spend?: SpendWork;
};

/** Decides for which items the reaction reads traits in `people`. Reads a cache, because every batch calls it. */
export type NeedsTraits = (scopes: readonly Scope[]) => Promise<(item: Item) => boolean>;

/**
 * A module's part in ingest. `load` reads in bulk what the batch affects. `plan` is pure: it adds writes based on the
 * batch and the loaded rows, and returns a promise only if it works in slices. A guard's tag is the item's id or its
 * `personTag`.
 */
export type Reaction<Loaded> = {
  readonly name: string;
  /** Absent: the reaction reads no traits. */
  readonly needsTraits?: NeedsTraits | undefined;
  load(items: readonly Item[], round: Round): Promise<Loaded>;
  plan(draft: IngestDraft, loaded: Loaded): void | Promise<void>;
};

/** A new draft without plans. */
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
 * Maximum weight of one commit, which SQLite executes in one piece. Chosen: about 25 ms, and more than 1,000 events
 * without workflows and audiences need.
 */
export const MAX_WEIGHT = 6_000;

/**
 * How many of the planned items, from the first on, make one commit: all, or fewer if their writes exceed the maximum
 * weight, but at least 1. Throws nothing.
 */
export const fittingOf = (
  planned: number,
  { writes, extraWeight }: { readonly writes: readonly Write[]; readonly extraWeight: number },
  maxWeight: number = MAX_WEIGHT,
): number => {
  const weight = writes.length + extraWeight;
  return weight <= maxWeight ? planned : Math.max(1, Math.floor((planned * maxWeight) / weight));
};

/** Guard tag of all writes of one profile. */
export const personTag = (scope: InScope, person: string): string => `${scopeKey(scope)}/${person}`;

/** Guard tag of an org's counters. */
export const orgTag = (orgId: string): string => `org/${orgId}`;

/** The entries that are not duplicates. */
export const freshEntries = (draft: IngestDraft): Entry[] =>
  draft.entries.filter((entry) => entry.duplicateOf === null);

/** Adds the writes of one reaction. */
export type Planner = (draft: IngestDraft) => void | Promise<void>;

/** Runs planners in order; each sees the results of the previous ones. Rethrows their errors. */
export const planInOrder = async (planners: readonly Planner[], draft: IngestDraft): Promise<void> => {
  for (const add of planners) {
    const isSliced = add(draft);
    if (isSliced !== undefined) await isSliced;
  }
};

/** A reaction with its loaded type hidden, so that reactions of several modules fit one list. */
export type BoundReaction = {
  readonly name: string;
  readonly needsTraits?: NeedsTraits | undefined;
  load(items: readonly Item[], round: Round): Promise<Planner>;
};

/**
 * Order of the downstream reactions, which react to client events, raised events and changed profiles alike. Audience
 * memberships come first, because they decide which workflows start.
 */
export const DOWNSTREAM_ORDER = ['audiences', 'waiting runs', 'workflow triggers'] as const;

/** Order of all ingest reactions: resolve the profile, store the event, then start what it triggers. */
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

/** Connects a reaction's `plan` to the result of its `load`. Throws nothing. */
export const bindReaction = <Loaded>(reaction: Reaction<Loaded>): BoundReaction => ({
  name: reaction.name,
  needsTraits: reaction.needsTraits,
  load: async (items, round) => {
    const loaded = await reaction.load(items, round);
    return (draft) => reaction.plan(draft, loaded);
  },
});
