import type { VirtualClock } from '../../../../src/foundation/clock.ts';
import { uuidV7Ids } from '../../../../src/foundation/ids.ts';
import { anonymousPerson, userPerson } from '../../../../src/foundation/person.ts';
import { type InScope, scopeOf } from '../../../../src/foundation/scope.ts';
import { eventCounters, type Tallies } from '../../../../src/people/audiences/counting/counters.ts';
import type { EventLeaf } from '../../../../src/people/audiences/predicate/types.ts';
import { dedupe } from '../../../../src/people/events/dedupe.ts';
import { eventsEngine } from '../../../../src/people/events/events.ts';
import { bindReaction, type Item, type Reaction } from '../../../../src/people/events/pipeline.ts';
import { eventReader } from '../../../../src/people/events/reads.ts';
import { eventStatements } from '../../../../src/people/events/statements.ts';
import { storeEvents } from '../../../../src/people/events/store-events.ts';
import { profilesEngine } from '../../../../src/people/profiles/profiles.ts';
import type { TestDatabase } from '../../database.ts';

/** A process that ingests and counts. It knows merges from the items only, except for `others`. */
export const countingProcess = (
  database: TestDatabase,
  clock: VirtualClock,
  {
    logLeaves = [],
    others = [],
    beforeCommit,
  }: { logLeaves?: readonly EventLeaf[]; others?: readonly string[]; beforeCommit?: () => Promise<void> } = {},
) => {
  const { tables } = database;
  const storage = {
    ...database.storage,
    commit: async (plan: Parameters<typeof database.storage.commit>[0]) => {
      await beforeCommit?.();
      return database.storage.commit(plan);
    },
  };
  const hot = eventStatements(tables);
  const profiles = profilesEngine({ storage: database.storage, tables });
  let lastTallies: Tallies | undefined;
  const peopleOf = (items: readonly Item[]) =>
    items.flatMap(({ scope, userId, anonymousId }) =>
      [
        ...(userId === null ? [] : [userPerson(userId)]),
        ...(anonymousId === null ? [] : [anonymousPerson(anonymousId)]),
        ...others,
      ].map((person) => ({ ...scopeOf(scope), person })),
    );
  const counting: Reaction<Awaited<ReturnType<typeof counters.ofBatch>>> = {
    name: 'counting',
    load: (items) => counters.ofBatch(items, peopleOf(items), () => logLeaves),
    plan: async (draft, { plan }) => {
      lastTallies = await plan(draft);
    },
  };
  const behind = [bindReaction(counting)];
  const events = eventsEngine({
    storage: database.storage,
    tables,
    clock,
    ids: uuidV7Ids(clock),
    reactions: [
      bindReaction(dedupe(database.storage, hot)),
      bindReaction(profiles.reactionBefore(behind)),
      bindReaction(storeEvents(hot)),
      ...behind,
    ],
  });
  const counters = eventCounters({
    storage,
    tables,
    clock,
    log: { ...eventReader({ storage, tables }), movingTo: profiles.movingTo },
  });
  return {
    events,
    profiles,
    counters,
    /** Tallies after the last batch for all profiles that it loaded. */
    lastTallies: (scope: InScope, person: string, name: string) => lastTallies?.({ ...scopeOf(scope), person })(name),
    /** Backfills the requested counters completely. */
    fillAll: async (scope: InScope, asked: ReadonlyMap<string, number>): Promise<void> => {
      for (;;) {
        const next = await counters.fill(scope, { events: asked });
        if (next === null) return;
        if (next > clock.now()) clock.advance(next.getTime() - clock.now().getTime());
      }
    },
    counted: async (scope: InScope) => {
      const rows = await database.storage.db.select().from(tables.personEvents);
      return new Map(
        rows
          .filter(({ scopeId }) => scopeId === scope.scopeId)
          .map(({ person, eventType, total, recent }): [string, unknown] => [
            `${person} ${eventType}`,
            { total, recent },
          ]),
      );
    },
  };
};
