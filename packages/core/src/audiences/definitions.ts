// The audiences of a scope in memory, by what they mention, so that ingest looks only at those that a change can concern.
// A change of another process's shows within MAX_AGE_MS; who was judged by an older definition meanwhile is found when the
// audience is looked through once more (build.ts).

import type { Clock } from '../primitives/clock.ts';
import { lru } from '../primitives/lru.ts';
import { type InScope, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { agedCache } from '../work/concurrency/aged-cache.ts';
import { type ByValue, byValue } from './by-value.ts';
import type { AudienceHot } from './hot.ts';
import { type Mentions, mentions } from './predicate/mentions.ts';
import type { EventLeaf, Predicate, UserField } from './predicate/types.ts';
import type { AudienceStage } from './schema.ts';

/** Age at which another process's change is seen, in milliseconds; ours, as of triggers. */
const MAX_AGE_MS = 2_000;
/** Scopes whose audiences one process holds; ours. */
const MAX_SCOPES = 1_000;
/** Predicates whose mentions are remembered; ours. */
const MAX_PREDICATES = 20_000;
/** The topic that says that audiences changed somewhere. */
const AUDIENCES_CHANGED = 'audience definitions';

/** An audience that follows from what is known of people. */
export type LiveAudience = {
  readonly id: string;
  readonly name: string;
  readonly predicate: Predicate;
  readonly stage: AudienceStage | null;
  /** Of its predicate alone. */
  readonly own: Mentions;
  /** With what the audiences mention that it names, and those that they name. */
  readonly all: Mentions;
};

/** What is remembered of one scope. */
export type Live = {
  /** Every dynamic audience. */
  readonly dynamic: readonly LiveAudience[];
  readonly byId: ReadonlyMap<string, LiveAudience>;
  /** Names of the lists that somebody keeps, by id. */
  readonly lists: ReadonlyMap<string, string>;
  readonly byTrait: ReadonlyMap<string, ByValue>;
  readonly byField: ReadonlyMap<UserField, readonly LiveAudience[]>;
  readonly byEvent: ReadonlyMap<string, readonly LiveAudience[]>;
  /** By the id of a list. */
  readonly byList: ReadonlyMap<string, readonly LiveAudience[]>;
  /** Ids of dynamic audiences that another one names. */
  readonly named: ReadonlySet<string>;
  /** What all of them ask about events. */
  readonly asked: Pick<Mentions, 'events' | 'logLeaves'>;
};

export type LiveOf = (scope: InScope) => Live;

/** An audience as it is stored, as far as it matters here. */
export type StoredAudience = {
  readonly id: string;
  readonly name: string;
  readonly predicate: Predicate | null;
  readonly stage: AudienceStage | null;
};

/** What several mention together. Throws nothing. */
export const joined = (all: readonly Mentions[]): Mentions => {
  const events = new Map<string, number>();
  for (const one of all) for (const [name, kept] of one.events) events.set(name, Math.max(kept, events.get(name) ?? 0));
  return {
    traits: new Set(all.flatMap((one) => [...one.traits])),
    fields: new Set(all.flatMap((one) => [...one.fields])),
    events,
    logLeaves: all.flatMap((one): readonly EventLeaf[] => one.logLeaves),
    audiences: new Set(all.flatMap((one) => [...one.audiences])),
    isTimed: all.some((one) => one.isTimed),
    leaves: all.reduce((sum, one) => sum + one.leaves, 0),
  };
};

/**
 * The audiences whose members follow from those of another one, at any distance; with itself where there is a cycle. Throws
 * nothing.
 */
export const dependentsOf = (named: ReadonlyMap<string, ReadonlySet<string>>, id: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const look = (of: string): void => {
    for (const [one, names] of named) {
      if (!names.has(of) || found.has(one)) continue;
      found.add(one);
      look(one);
    }
  };
  look(id);
  return found;
};

const grouped = <Key>(
  dynamic: readonly LiveAudience[],
  keysOf: (audience: LiveAudience) => Iterable<Key>,
): ReadonlyMap<Key, readonly LiveAudience[]> => {
  const groups = new Map<Key, LiveAudience[]>();
  for (const audience of dynamic)
    for (const key of keysOf(audience)) {
      const group = groups.get(key);
      if (group) group.push(audience);
      else groups.set(key, [audience]);
    }
  return groups;
};

/** The audiences of one scope by what they mention. What is removed is left out. Throws nothing. */
export const liveOf = (
  rows: readonly StoredAudience[],
  mentionsOf: (row: StoredAudience & { readonly predicate: Predicate }) => Mentions = ({ predicate }) =>
    mentions(predicate),
): Live => {
  const there = rows.filter(({ stage }) => stage !== 'remove');
  const lists = new Map(there.filter(({ predicate }) => predicate === null).map(({ id, name }) => [id, name]));
  const own = new Map<string, Mentions>();
  for (const { predicate, ...row } of there) if (predicate !== null) own.set(row.id, mentionsOf({ ...row, predicate }));
  const closed = new Map<string, Mentions>();
  const closureOf = (id: string): readonly Mentions[] => {
    const known = closed.get(id);
    if (known) return [known];
    const mine = own.get(id);
    if (!mine) return [];
    const all = joined([mine, ...[...mine.audiences].flatMap(closureOf)]);
    closed.set(id, all);
    return [all];
  };
  const dynamic = there.flatMap(({ id, name, predicate, stage }): LiveAudience[] => {
    const mine = own.get(id);
    if (predicate === null || !mine) return [];
    return [{ id, name, predicate, stage, own: mine, all: closureOf(id)[0] ?? mine }];
  });
  return {
    dynamic,
    byId: new Map(dynamic.map((audience) => [audience.id, audience])),
    lists,
    byTrait: new Map(
      [...grouped(dynamic, ({ all }) => all.traits)].map(([name, those]) => [name, byValue(name, those)]),
    ),
    byField: grouped(dynamic, ({ all }) => all.fields),
    byEvent: grouped(dynamic, ({ all }) => all.events.keys()),
    byList: grouped(dynamic, ({ all }) => [...all.audiences].filter((id) => lists.has(id))),
    named: new Set(dynamic.flatMap(({ own: { audiences } }) => [...audiences])),
    asked: joined(dynamic.map((audience) => audience.own)),
  };
};

export type Definitions = {
  /** The audiences of several scopes: one statement for all that are not fresh, or all of them where it `isUrgent`. */
  load(scopes: readonly InScope[], isUrgent?: boolean): Promise<LiveOf>;
  /** What was changed is on disk. */
  changed(scope: InScope): void;
  close(): void;
};

export const audienceDefinitions = ({
  storage,
  hot,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'apart' | 'wake'>;
  readonly hot: Pick<AudienceHot, 'ofScope'>;
  readonly clock: Clock;
}): Definitions => {
  const known = lru<string, Mentions>(MAX_PREDICATES);
  const cache = agedCache<InScope, Live>({
    nameOf: scopeKey,
    read: async (scopes) => {
      const rows = await storage.select(
        hot.ofScope,
        scopes.map((scope) => [scopeKey(scope)]),
      );
      const byScope = Map.groupBy(rows, scopeKey);
      const live = new Map(
        scopes.map((scope) => {
          const versions = new Map((byScope.get(scopeKey(scope)) ?? []).map((row) => [row.id, row.version]));
          return [
            scopeKey(scope),
            liveOf(byScope.get(scopeKey(scope)) ?? [], ({ id, predicate }) => {
              const name = `${id}/${versions.get(id)}`;
              const found = known.get(name) ?? mentions(predicate);
              known.set(name, found);
              return found;
            }),
          ];
        }),
      );
      return (scope) => live.get(scopeKey(scope)) ?? liveOf([]);
    },
    clock,
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_SCOPES,
  });
  let stopListening: (() => void) | undefined;
  return {
    load: async (scopes, isUrgent = false) => {
      stopListening ??= storage.wake.subscribe((topic) => topic === AUDIENCES_CHANGED && cache.clear());
      const asked = [...new Map(scopes.map((scope) => [scopeKey(scope), scopeOf(scope)])).values()];
      // What is remembered is everybody's.
      return storage.apart(() => cache.load(asked, () => isUrgent));
    },
    changed: (scope) => {
      cache.forget(scope);
      storage.wake.signal([AUDIENCES_CHANGED]);
    },
    close: () => stopListening?.(),
  };
};

/** Whoever counts an event listens to it, also where it is the service's own. Throws nothing. */
export const audienceListener = (definitions: Pick<Definitions, 'load'>) => ({
  load: async (scopes: readonly InScope[]): Promise<(scope: InScope, name: string) => boolean> => {
    const live = await definitions.load(scopes);
    return (scope, name) => live(scope).byEvent.has(name);
  },
});
