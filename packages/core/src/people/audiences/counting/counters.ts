// Event counters per profile. Ingest updates them in the transaction that stores the event. Earlier events are
// backfilled from the log, which is repeatable: if ingest changes a counter meanwhile, its version differs, the write
// fails and the log is read again. Backfilling waits until every process counts the event, so events stored before that
// are in the log by then.

import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { type Write, write } from '../../../database/commit/write-set.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { type SpendWork, spendWork } from '../../../jobs/concurrency/work-slices.ts';
import { readByScope, sharedCache } from '../../../jobs/shared-cache.ts';
import type { Platform } from '../../../platform/platform.ts';
import { freshEntries, type IngestDraft, type Item, personTag } from '../../events/pipeline.ts';
import type { PersonKey } from '../../profiles/view.ts';
import { newEvaluation } from '../predicate/evaluation.ts';
import { type Facts, readsLog, recentNeeded, type Tally, tallyKey } from '../predicate/facts.ts';
import type { Mentions } from '../predicate/mentions.ts';
import type { EventLeaf } from '../predicate/types.ts';
import { type EventLog, fromLog, type SpendUnits } from './from-log.ts';
import { countingStatements } from './statements.ts';
import { countingStore } from './store.ts';
import type { CountedRow, CountingTables, PersonEventsRow } from './tables.ts';
import { isMeant, keptOf, NEVER, withEvent, withTally } from './tally.ts';

/** Maximum age of the cached list of counted events, in milliseconds. Chosen: as for triggers. */
const MAX_AGE_MS = 2_000;
/**
 * Time after which every process counts a new event and has stored its previous batches, in milliseconds. Chosen: above
 * the cache age.
 */
export const SETTLED_MS = 5_000;
/** Work units of counting one event. Measured, with a margin. */
const EVENT_UNITS = 20;
/** Profiles per slice of a backfill. Chosen: some milliseconds. */
const SLICE = 100;

export type TallyOf = Facts['tallyOf'];
export type Tallies = (person: PersonKey) => TallyOf;
/** Events that audiences count. */
export type NeededEvents = Pick<Mentions, 'events' | 'logLeaves'>;

type Counted = ReadonlyMap<string, CountedRow>;
/** A counter while a batch is planned. Version 0: no row exists. */
type State = { tally: Tally; readonly version: number; isChanged: boolean; isDeleted: boolean };

const keyOf = (person: PersonKey): string => personTag(person, person.person);
/** Accounts work to the scope where the org is unknown. */
const ownedBy =
  (spend: SpendWork) =>
  (scope: InScope): SpendUnits =>
  (units) =>
    spend(units, scopeKey(scope));

/** Event counters. Throws nothing. */
export const eventCounters = ({
  storage,
  tables,
  clock,
  log,
}: Pick<Platform<CountingTables>, 'storage' | 'tables' | 'clock'> & { readonly log: EventLog }) => {
  const hot = countingStatements(tables);
  const store = countingStore({ storage, tables });
  const logged = fromLog(log);
  const cache = sharedCache<InScope, Counted>({
    storage,
    clock,
    topic: null,
    nameOf: scopeKey,
    read: readByScope(storage, hot.ofScopes, (rows) => new Map(rows.map((row) => [row.eventType, row]))),
    maxAgeMs: MAX_AGE_MS,
  });

  const read = async (people: readonly PersonKey[]): Promise<ReadonlyMap<string, readonly PersonEventsRow[]>> =>
    Map.groupBy(
      await storage.select(
        hot.ofPeople,
        people.map((one) => [one.scopeId, one.person]),
      ),
      (row) => personTag(row, row.person),
    );

  const readLog = async (
    people: readonly PersonKey[],
    neededOf: (scope: InScope) => readonly EventLeaf[],
    spendFor: (scope: InScope) => SpendUnits = ownedBy(spendWork),
  ): Promise<ReadonlyMap<string, Map<string, Tally>>> => {
    const found = new Map<string, Map<string, Tally>>();
    for (const ofScope of Map.groupBy(people, scopeKey).values()) {
      const [first] = ofScope;
      if (first === undefined) continue;
      const scope = scopeOf(first);
      const leaves = new Map(neededOf(scope).map((leaf) => [tallyKey(leaf), leaf]));
      for (const [key, leaf] of leaves) {
        const tallies = await logged.meant(
          scope,
          ofScope.map(({ person }) => person),
          leaf,
          clock.now(),
          spendFor(scope),
        );
        for (const [person, tally] of tallies) {
          const tag = personTag(scope, person);
          const own = found.get(tag) ?? new Map<string, Tally>();
          found.set(tag, own.set(key, tally));
        }
      }
    }
    return found;
  };

  const writesOf = (person: PersonKey, eventType: string, { tally, version, isChanged, isDeleted }: State): Write[] => {
    const tag = keyOf(person);
    const key = { ...scopeOf(person), person: person.person, eventType };
    if (isDeleted) return version === 0 ? [] : [write(hot.deleteMerged, { ...key, version }, tag)];
    if (!isChanged) return [];
    return version === 0
      ? [write(hot.insert, { ...key, ...tally, version: 1 }, tag)]
      : [write(hot.change, { ...key, ...tally, version }, tag)];
  };

  /** Working state of a batch's counters until its commit. */
  const planning = (
    counted: (scope: InScope) => Counted,
    rows: ReadonlyMap<string, readonly PersonEventsRow[]>,
    fromIt: ReadonlyMap<string, Map<string, Tally>>,
    neededOf: (scope: InScope) => readonly EventLeaf[],
  ) => {
    const people = new Map<string, { readonly key: PersonKey; readonly states: Map<string, State> }>();
    const byEvent = new Map<number, Map<string, readonly EventLeaf[]>>();
    const leavesAbout = (scope: InScope, eventType: string): readonly EventLeaf[] => {
      const known = byEvent.get(scopeKey(scope)) ?? Map.groupBy(neededOf(scope), ({ event }) => event);
      byEvent.set(scopeKey(scope), known);
      return known.get(eventType) ?? [];
    };
    const statesOf = (key: PersonKey): Map<string, State> => {
      const known = people.get(keyOf(key));
      if (known) return known.states;
      const own = (rows.get(keyOf(key)) ?? []).map(({ eventType, total, recent, version }): [string, State] => [
        eventType,
        { tally: { total, recent }, version, isChanged: false, isDeleted: false },
      ]);
      const states = new Map(own);
      people.set(keyOf(key), { key, states });
      return states;
    };
    const put = (key: PersonKey, eventType: string, change: (tally: Tally) => Tally): void => {
      const states = statesOf(key);
      const known = states.get(eventType);
      const tally = change(known?.tally ?? NEVER);
      states.set(eventType, { tally, version: known?.version ?? 0, isChanged: true, isDeleted: false });
    };
    return {
      /** Returns the work units that it used. */
      event: (key: PersonKey, item: Item): number => {
        const evaluation = newEvaluation();
        evaluation.units += EVENT_UNITS;
        const row = counted(key).get(item.eventType);
        if (row) put(key, item.eventType, (tally) => withEvent(tally, item.timestamp, row.recentLimit));
        for (const leaf of leavesAbout(key, item.eventType)) {
          if (!isMeant(leaf, item, evaluation)) continue;
          const own = fromIt.get(keyOf(key));
          const name = tallyKey(leaf);
          const known = own?.get(name) ?? NEVER;
          evaluation.units += known.recent.length;
          own?.set(name, withEvent(known, item.timestamp, Number.POSITIVE_INFINITY));
        }
        return evaluation.units;
      },
      merge: (from: PersonKey, to: PersonKey): void => {
        for (const [eventType, state] of statesOf(from)) {
          const recentLimit = counted(to).get(eventType)?.recentLimit ?? state.tally.recent.length;
          put(to, eventType, (tally) => withTally(tally, state.tally, recentLimit));
          state.isDeleted = true;
        }
        for (const [name, tally] of fromIt.get(keyOf(from)) ?? []) {
          const own = fromIt.get(keyOf(to));
          own?.set(name, withTally(own.get(name) ?? NEVER, tally, Number.POSITIVE_INFINITY));
        }
      },
      writes: (): readonly Write[] =>
        [...people.values()].flatMap(({ key, states }) =>
          [...states].flatMap(([eventType, state]) => writesOf(key, eventType, state)),
        ),
      tallies: (key: PersonKey): TallyOf => {
        const own = fromIt.get(keyOf(key));
        return (name) => {
          const fromLeaf = own?.get(name);
          if (fromLeaf) return fromLeaf;
          if (!counted(key).get(name)?.isBackfilled) return null;
          return statesOf(key).get(name)?.tally ?? NEVER;
        };
      },
    };
  };

  const fillSlice = async (scope: InScope, row: CountedRow, people: readonly string[]): Promise<void> => {
    const done = await commitPlanned(storage, people, {
      plan: async () => {
        // Versions before the log: a change in between fails the guards.
        const rows = await read(people.map((person) => ({ ...scopeOf(scope), person })));
        const tallies = await logged.counted(scope, people, row.eventType, row.recentLimit);
        const writes = people.flatMap((person) => {
          const key = { ...scopeOf(scope), person };
          const stored = (rows.get(keyOf(key)) ?? []).find(({ eventType }) => eventType === row.eventType);
          const tally = tallies.get(person);
          if (!tally) return [];
          const isSame =
            stored?.total === tally.total && JSON.stringify(stored.recent) === JSON.stringify(tally.recent);
          const state = { tally, version: stored?.version ?? 0, isChanged: !isSame, isDeleted: false };
          return writesOf(key, row.eventType, state);
        });
        return { writes };
      },
    });
    // A profile with constant events; the next slice tries again.
    if (!done.ok) throw new Error('counters changed while they were filled');
  };

  return {
    /**
     * Counts events of an ingest batch.
     *
     * @param people all profiles that the batch may affect, including anonymous ones that it merges
     * @param logLeaves leaves of a scope's audiences that need the log
     * @param spend accounts work by org
     * @returns `plan` adds the writes and returns the tallies after the batch; throws nothing
     */
    ofBatch: async (
      items: readonly Item[],
      people: readonly PersonKey[],
      logLeaves: (scope: InScope) => readonly EventLeaf[],
      spend: SpendWork = spendWork,
    ): Promise<{ readonly plan: (draft: IngestDraft) => Promise<Tallies> }> => {
      const counted = await cache.load([...items.map(({ scope }) => scope), ...people]);
      const orgs = new Map(items.map(({ scope }) => [scopeKey(scope), scope.orgId]));
      const [rows, fromIt] = await Promise.all([
        read(people.filter((one) => counted(one).size > 0)),
        readLog(
          people.filter((one) => logLeaves(one).length > 0),
          logLeaves,
          (scope) => (units) => spend(units, orgs.get(scopeKey(scope))),
        ),
      ]);
      return {
        plan: async (draft) => {
          // A failed guard plans again: the loaded tallies must stay unchanged.
          const copy = new Map([...fromIt].map(([tag, own]): [string, Map<string, Tally>] => [tag, new Map(own)]));
          const plan = planning(counted, rows, copy, logLeaves);
          for (const { scope, from, to } of draft.merges)
            plan.merge({ ...scopeOf(scope), person: from }, { ...scopeOf(scope), person: to });
          for (const { item, person } of freshEntries(draft))
            if (person !== '' && item.kind !== 'changed') {
              const rest = spend(plan.event({ ...scopeOf(item.scope), person }, item), item.scope.orgId);
              if (rest !== undefined) await rest;
            }
          draft.writes.push(...plan.writes());
          return plan.tallies;
        },
      };
    },
    /** Decides which items are counted. Up to two seconds old, and the same for a batch that is counted at once. */
    isCounted: async (scopes: readonly InScope[]): Promise<(item: Pick<Item, 'scope' | 'eventType'>) => boolean> => {
      const counted = await cache.load(scopes);
      return ({ scope, eventType }) => counted(scopeOf(scope)).has(eventType);
    },
    /** Tallies of these profiles, from counters or else from the log; never unknown. */
    ofPeople: async (
      scope: InScope,
      people: readonly string[],
      { events, logLeaves }: NeededEvents,
    ): Promise<Tallies> => {
      const counted = (await cache.load([scope]))(scopeOf(scope));
      const keys = people.map((person): PersonKey => ({ ...scopeOf(scope), person }));
      const isCounted = (name: string, needed: number): boolean => {
        const row = counted.get(name);
        return row?.isBackfilled === true && row.recentLimit >= keptOf(needed);
      };
      const lacking = [...events].filter(([name, needed]) => !isCounted(name, needed));
      const [rows, fromIt] = await Promise.all([
        events.size > lacking.length ? read(keys) : new Map<string, readonly PersonEventsRow[]>(),
        readLog(keys, () => logLeaves),
      ]);
      const whole = new Map<string, ReadonlyMap<string, Tally>>();
      for (const [name, needed] of lacking) whole.set(name, await logged.counted(scope, people, name, keptOf(needed)));
      return (key) => (name) => {
        const own = fromIt.get(keyOf(key))?.get(name);
        if (own) return own;
        const direct = whole.get(name);
        if (direct) return direct.get(key.person) ?? NEVER;
        return (rows.get(keyOf(key)) ?? []).find(({ eventType }) => eventType === name) ?? NEVER;
      };
    },
    /** Decides whether counters cover a leaf; SQL cannot evaluate the others. Up to two seconds old. */
    coversLeaf: async (scope: InScope): Promise<(leaf: EventLeaf) => boolean> => {
      const counted = (await cache.load([scope]))(scopeOf(scope));
      return (leaf) => {
        const row = counted.get(leaf.event);
        return !readsLog(leaf) && row?.isBackfilled === true && row.recentLimit >= keptOf(recentNeeded(leaf));
      };
    },
    /**
     * Makes the counters match what the scope's audiences need: starts missing ones, deletes unused ones, and backfills
     * one slice.
     *
     * @returns when to continue, possibly now; null if all counters are complete. Throws storage errors
     */
    fill: async (scope: InScope, { events }: Pick<NeededEvents, 'events'>): Promise<Date | null> => {
      const now = clock.now();
      const rows = await store.ofScope(scope);
      const known = new Map(rows.map((row) => [row.eventType, row]));
      const unasked = rows.filter(({ eventType }) => !events.has(eventType)).map(({ eventType }) => eventType);
      if (unasked.length > 0) await store.forget(scope, unasked);
      let isNew = false;
      for (const [eventType, needed] of events) {
        if ((known.get(eventType)?.recentLimit ?? 0) >= keptOf(needed)) continue;
        await store.begin(scope, eventType, keptOf(needed), now);
        isNew = true;
      }
      if (isNew || unasked.length > 0) cache.forget(scope);
      if (isNew) return new Date(now.getTime() + SETTLED_MS);
      const open = rows.filter(({ eventType, isBackfilled }) => events.has(eventType) && !isBackfilled);
      const [row] = open.toSorted((a, b) => a.countedSince.getTime() - b.countedSince.getTime());
      if (!row) return null;
      const from = row.countedSince.getTime() + SETTLED_MS;
      if (now.getTime() < from) return new Date(from);
      const people = await store.peopleAfter(scope, row.cursor, SLICE);
      await fillSlice(scope, row, people);
      await store.advance(row, people.length < SLICE ? null : (people.at(-1) ?? null));
      if (people.length < SLICE) cache.forget(scope);
      return now;
    },
    /** Deletes the counters of these profiles; returns how many. */
    erase: store.erase,
  };
};
