import { type InScope, type Scope, scopeKey } from '../primitives/scope.ts';
import type { Write } from '../storage/write-set.ts';

/** One accepted event or identify call, checked and normalised; nothing of it changes any more. */
export type Item = {
  readonly scope: Scope;
  readonly kind: 'event' | 'identify';
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
  readonly entries: readonly Entry[];
  /** Anonymous people who turned out to be users in this batch. */
  readonly merges: Merge[];
  readonly writes: Write[];
  readonly wakes: Set<string>;
};

export type Merge = { readonly scope: InScope; readonly from: string; readonly to: string };

/** A reaction may guess on the first try what its guards will prove, and has to read once they have failed. */
export type Round = { readonly isFirstTry: boolean };

/**
 * One engine's part in ingest. `load` reads, set-based, what the batch touches; `plan` is pure: it looks at the batch
 * and at what was loaded, and adds writes. A guard's tag is the item's id or its `personTag`.
 */
export type Reaction<Loaded> = {
  readonly name: string;
  load(items: readonly Item[], round: Round): Promise<Loaded>;
  plan(draft: IngestDraft, loaded: Loaded): void;
};

/** The guard tag of everything that concerns one person of one scope. */
export const personTag = (scope: InScope, person: string): string => `${scopeKey(scope)}/${person}`;

/** The entries that are not duplicates. */
export const freshEntries = (draft: IngestDraft): Entry[] =>
  draft.entries.filter((entry) => entry.duplicateOf === null);

/** A reaction with its loaded type closed over, so that reactions of several engines stand in one list. */
export type BoundReaction = {
  readonly name: string;
  load(items: readonly Item[], round: Round): Promise<(draft: IngestDraft) => void>;
};

/** Ties a reaction's `plan` to what its `load` returns. Throws nothing. */
export const bindReaction = <Loaded>(reaction: Reaction<Loaded>): BoundReaction => ({
  name: reaction.name,
  load: async (items, round) => {
    const loaded = await reaction.load(items, round);
    return (draft) => reaction.plan(draft, loaded);
  },
});
