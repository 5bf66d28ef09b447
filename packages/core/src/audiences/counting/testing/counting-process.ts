import type { TestDatabase } from '../../../../test/database.ts';
import { dedupe } from '../../../events/dedupe.ts';
import { eventsEngine } from '../../../events/events.ts';
import { eventHot } from '../../../events/hot.ts';
import { bindReaction, type Item, type Reaction } from '../../../events/pipeline.ts';
import { storeEvents } from '../../../events/store-events.ts';
import type { VirtualClock } from '../../../primitives/clock.ts';
import { uuidV7Ids } from '../../../primitives/ids.ts';
import { anonymousPerson, userPerson } from '../../../primitives/person.ts';
import { type InScope, scopeOf } from '../../../primitives/scope.ts';
import { profilesEngine } from '../../../profiles/profiles.ts';
import type { EventLeaf } from '../../predicate/types.ts';
import { eventCounters, type Tallies } from '../counters.ts';

/** A process that ingests and counts. Whoever turns out to be whom is known to it from the items alone, but for `others`. */
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
  const hot = eventHot(tables);
  const profiles = profilesEngine({ storage: database.storage, tables });
  let told: Tallies | undefined;
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
      told = await plan(draft);
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
  const counters = eventCounters({ storage, tables, clock, log: { ...events.log, movingTo: profiles.movingTo } });
  return {
    events,
    profiles,
    counters,
    /** As the last batch left everybody whom it read. */
    told: (scope: InScope, person: string, name: string) => told?.({ ...scopeOf(scope), person })(name),
    /** Counts what is asked from the beginning on, until all of it is counted. */
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
