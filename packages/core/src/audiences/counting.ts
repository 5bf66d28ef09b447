import type { IngestDraft, Item, Round } from '../events/pipeline.ts';
import type { InScope } from '../primitives/scope.ts';
import type { PersonKey } from '../profiles/view.ts';
import type { Live, LiveOf } from './definitions.ts';
import type { PersonFacts } from './judge.ts';

/** What has been counted of a person, by the keys of leaves. */
export type TallyOf = PersonFacts['tallyOf'];
export type Tallies = (person: PersonKey) => TallyOf;

/** Counts of what people did, as the engine of audiences needs them. */
export type Counting = {
  /** Reads what has been counted of these people; `plan` adds what the batch counts, and tells how it stands then. */
  ofBatch(
    items: readonly Item[],
    people: readonly PersonKey[],
    liveOf: LiveOf,
    round: Round,
  ): Promise<{ readonly plan: (draft: IngestDraft) => Tallies }>;
  /** As it is stored. */
  ofPeople(scope: InScope, people: readonly string[], live: Live): Promise<Tallies>;
  /** Counts what lies back, a bounded piece; false: all that audiences of the scope ask about is counted. */
  fill(scope: InScope, live: Live): Promise<boolean>;
};

/** Of whoever counts nothing: what events say is unknown. */
export const noCounting: Counting = {
  ofBatch: async () => ({ plan: () => () => () => null }),
  ofPeople: async () => () => () => null,
  fill: async () => false,
};
