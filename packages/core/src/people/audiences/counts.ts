import type { InScope } from '../../foundation/scope.ts';
import type { SpendWork } from '../../jobs/concurrency/work-slices.ts';
import type { IngestDraft, Item } from '../events/pipeline.ts';
import type { PersonKey } from '../profiles/view.ts';
import type { Facts } from './predicate/facts.ts';
import type { Mentions } from './predicate/mentions.ts';
import type { EventLeaf } from './predicate/types.ts';

/** Tallies of profiles by leaf key; null: not counted, so unknown. */
export type Tallies = (person: PersonKey) => Facts['tallyOf'];

/** Event counts, as audiences use them. */
export type Counting = {
  /** Decides which items are counted. */
  isCounted(scopes: readonly InScope[]): Promise<(item: Item) => boolean>;
  /** Loads the counters of these profiles; `plan` adds the counts of the batch and returns the tallies after it. */
  ofBatch(
    items: readonly Item[],
    people: readonly PersonKey[],
    logLeaves: (scope: InScope) => readonly EventLeaf[],
    spend?: SpendWork,
  ): Promise<{ readonly plan: (draft: IngestDraft) => Promise<Tallies> }>;
  /** Stored tallies; events that are not counted are read from the log. */
  ofPeople(scope: InScope, people: readonly string[], needed: Pick<Mentions, 'events' | 'logLeaves'>): Promise<Tallies>;
  /** Decides whether counters cover a leaf. */
  coversLeaf(scope: InScope): Promise<(leaf: EventLeaf) => boolean>;
  /** Backfills one slice; returns when to continue, or null once all requested events are counted. */
  fill(scope: InScope, needed: Pick<Mentions, 'events'>): Promise<Date | null>;
  erase(scope: InScope, people: readonly string[]): Promise<number>;
};
