import type { InScope } from '../../foundation/scope.ts';
import type { SpendWork } from '../../jobs/concurrency/work-slices.ts';
import type { IngestDraft, Item } from '../events/pipeline.ts';
import type { PersonKey } from '../profiles/view.ts';
import type { Facts } from './predicate/facts.ts';
import type { Mentions } from './predicate/mentions.ts';
import type { EventLeaf } from './predicate/types.ts';

/** What has been counted of people, by the keys of leaves; null: nobody has counted it. */
export type Tallies = (person: PersonKey) => Facts['tallyOf'];

/** Counts of what people did, as the engine of audiences needs them. */
export type Counting = {
  /** Tells which items are counted. */
  isCounted(scopes: readonly InScope[]): Promise<(item: Item) => boolean>;
  /** Reads what has been counted of these people; `plan` adds what the batch counts, and tells how it stands then. */
  ofBatch(
    items: readonly Item[],
    people: readonly PersonKey[],
    logLeaves: (scope: InScope) => readonly EventLeaf[],
    spend?: SpendWork,
  ): Promise<{ readonly plan: (draft: IngestDraft) => Promise<Tallies> }>;
  /** As it is stored; from the log of events what is not counted yet. */
  ofPeople(scope: InScope, people: readonly string[], asked: Pick<Mentions, 'events' | 'logLeaves'>): Promise<Tallies>;
  /** Tells whether counters answer a leaf. */
  coversLeaf(scope: InScope): Promise<(leaf: EventLeaf) => boolean>;
  /** Counts what lies back, a bounded piece; answers when to go on, and null once all that is asked about is counted. */
  fill(scope: InScope, asked: Pick<Mentions, 'events'>): Promise<Date | null>;
  erase(scope: InScope, people: readonly string[]): Promise<number>;
};
