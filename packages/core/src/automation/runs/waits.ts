// Resumes runs that wait for an event, in the transaction that stores the event. Waits are read by index for the
// profiles of a batch, and only for events that a workflow of the project may wait for. Event and timeout race for the
// run's row: the first writer wins. Once a worker leased the run, it has timed out.

import { write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { anonymousPerson, userPerson } from '../../foundation/person.ts';
import { type InProject, type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { type SpendWork, spendWork } from '../../jobs/concurrency/work-slices.ts';
import { freshEntries, type IngestDraft, type Item, personTag, type Reaction } from '../../people/events/pipeline.ts';
import { fitsFilters } from '../../people/events/property-filters.ts';
import { RUNS } from './start.ts';
import type { RunStatements } from './statements.ts';
import type { RunRow } from './store.ts';

export type WaitDeps = {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: Pick<RunStatements, 'awaiting' | 'wake'>;
  /** Whether a workflow of the project may wait for an event of that name; from a cache. */
  loadAwaited(projects: readonly InProject[]): Promise<(project: InProject, eventType: string) => boolean>;
  /** Users into which anonymous ids were merged, by `personTag` of the anonymous profile. */
  usersOf(keys: readonly AnonymousKey[]): Promise<ReadonlyMap<string, string>>;
};

export type AnonymousKey = { readonly scope: InScope; readonly anonymousId: string };

type Waiting = Pick<
  RunRow,
  'scopeId' | 'id' | 'person' | 'cursor' | 'awaitsEvent' | 'awaitsFilters' | 'waitingSince' | 'dueAt'
>;
/** Waiting runs by `waitKey`. */
type Loaded = { readonly waiting: ReadonlyMap<string, readonly Waiting[]>; readonly spend: SpendWork };
/** Work units of evaluating a wait with its filters. Measured, with a margin. */
const WAIT_UNITS = 10;

const waitKey = (scope: InScope, person: string, eventType: string): string =>
  `${personTag(scope, person)}\n${eventType}`;

/** Resumes runs that wait for an event. Each is resumed once, by the first matching event. */
export const wakeRuns = ({ storage, hot, loadAwaited, usersOf }: WaitDeps): Reaction<Loaded> => {
  /** All profiles that an event may belong to, through stored aliases and those of this batch. */
  const peopleOf = async (items: readonly Item[], awaited: readonly Item[]) => {
    const anonymous = awaited.flatMap(({ scope, userId, anonymousId }): AnonymousKey[] =>
      userId === null && anonymousId !== null ? [{ scope, anonymousId }] : [],
    );
    const known = anonymous.length === 0 ? new Map<string, string>() : new Map(await usersOf(anonymous));
    // A profile merged in this batch brings its runs to the user.
    const merged = new Map<string, string[]>();
    for (const { kind, scope, userId, anonymousId } of items) {
      if (kind !== 'identify' || userId === null || anonymousId === null) continue;
      const [from, to] = [anonymousPerson(anonymousId), userPerson(userId)];
      if (!known.has(personTag(scope, from))) known.set(personTag(scope, from), userId);
      const tag = personTag(scope, to);
      merged.set(tag, [...(merged.get(tag) ?? []), from]);
    }
    return ({ scope, userId, anonymousId }: Item): readonly string[] => {
      const own = anonymousId === null ? null : anonymousPerson(anonymousId);
      const user = userId ?? (own === null ? null : (known.get(personTag(scope, own)) ?? null));
      const people: readonly string[] = [own, user === null ? null : userPerson(user)].filter((one) => one !== null);
      const brought = user === null ? [] : (merged.get(personTag(scope, userPerson(user))) ?? []);
      return [...people, ...brought];
    };
  };

  const wake = (draft: IngestDraft, item: Item, run: Waiting): void => {
    const { id, eventType, properties } = item;
    const { cursor, waitingSince } = run;
    const wokenBy = { id, eventType, properties };
    draft.writes.push(
      write(hot.wake, { ...scopeOf(run), id: run.id, cursor, waitingSince, dueAt: draft.now, wokenBy }),
    );
    draft.wakes.add(RUNS);
  };

  return {
    name: 'waiting runs',
    load: async (items, { spend = spendWork }) => {
      const nobody: Loaded = { waiting: new Map(), spend };
      const events = items.filter(({ kind }) => kind !== 'changed');
      if (events.length === 0) return nobody;
      const isAwaited = await loadAwaited(scopesOf(events));
      const awaited = events.filter(({ scope, eventType }) => isAwaited(scope, eventType));
      if (awaited.length === 0) return nobody;
      const people = await peopleOf(events, awaited);
      const keys = new Map<string, SelectKey>();
      for (const item of awaited)
        for (const person of people(item))
          keys.set(waitKey(item.scope, person, item.eventType), [scopeKey(item.scope), person, item.eventType]);
      const runs = await storage.select(hot.awaiting, [...keys.values()]);
      return { waiting: Map.groupBy(runs, (run) => waitKey(run, run.person, run.awaitsEvent ?? '')), spend };
    },
    plan: async (draft, { waiting, spend }) => {
      if (waiting.size === 0) return;
      const woken = new Set<string>();
      const merged = Map.groupBy(draft.merges, (one) => personTag(one.scope, one.to));
      for (const { item, person } of freshEntries(draft)) {
        if (item.kind === 'changed') continue;
        const { scope, eventType, properties, receivedAt } = item;
        const before = merged.get(personTag(scope, person)) ?? [];
        const runs = [person, ...before.map(({ from }) => from)].flatMap(
          (one) => waiting.get(waitKey(scope, one, eventType)) ?? [],
        );
        for (const run of runs) {
          const rest = spend(WAIT_UNITS, scope.orgId);
          if (rest !== undefined) await rest;
          const isInTime = run.dueAt !== null && receivedAt < run.dueAt;
          if (!isInTime || woken.has(run.id) || !fitsFilters(run.awaitsFilters ?? {}, properties)) continue;
          woken.add(run.id);
          wake(draft, item, run);
        }
      }
    },
  };
};

const scopesOf = (items: readonly Item[]): readonly Scope[] => [
  ...new Map(items.map(({ scope }) => [scopeKey(scope), scope])).values(),
];
