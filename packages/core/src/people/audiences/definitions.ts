// Cached audience definitions of a scope, indexed by what they mention, so that ingest only evaluates audiences that a
// change can affect. Another process's change is visible within MAX_AGE_MS; the second walk of a build (build.ts)
// corrects users evaluated with an older definition. The time zone `org` is replaced by the project's zone here, for
// memory and SQL alike; the stored predicate keeps `org`.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { withoutDeadline } from '../../foundation/deadline.ts';
import { lru } from '../../foundation/lru.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { DynamicAudience } from './by-value.ts';
import { type ByValue, byValue } from './by-value.ts';
import { type Mentions, mentions } from './predicate/mentions.ts';
import { type EventLeaf, inOrgZone, type Predicate, type UserField } from './predicate/types.ts';
import type { AudienceStage } from './schema.ts';
import type { AudienceStatements } from './statements.ts';
import type { AudienceRow } from './tables.ts';

/** Maximum age of cached definitions, in milliseconds. Chosen: as for triggers. */
const MAX_AGE_MS = 2_000;
/** Maximum cached scopes per process. Chosen: bounds the memory. */
const MAX_SCOPES = 1_000;
/** Predicates per statement. Chosen: some hundred kilobytes if all are long. */
const READ_AT_ONCE = 16;
/** Work units of reading and indexing a leaf. Measured, with a margin. */
const LEAF_UNITS = 10;
/** Topic on which processes report changed audiences. */
const AUDIENCES_CHANGED = 'audience definitions';

/** Cached definitions of one scope. */
export type AudienceIndex = {
  /** Every dynamic audience. */
  readonly dynamic: readonly DynamicAudience[];
  readonly byId: ReadonlyMap<string, DynamicAudience>;
  /** Names of static lists, by id. */
  readonly lists: ReadonlyMap<string, string>;
  readonly byTrait: ReadonlyMap<string, ByValue>;
  readonly byField: ReadonlyMap<UserField, readonly DynamicAudience[]>;
  readonly byEvent: ReadonlyMap<string, readonly DynamicAudience[]>;
  /** By the id of a static list. */
  readonly byList: ReadonlyMap<string, readonly DynamicAudience[]>;
  /** Ids of dynamic audiences that another one refers to. */
  readonly named: ReadonlySet<string>;
  /** Events that all audiences need. */
  readonly needed: Pick<Mentions, 'events' | 'logLeaves'>;
  /** The project's time zone, which audiences name as `org`; null: UTC, or no audience uses it. */
  readonly orgTimezone: string | null;
};

export type AudienceIndexOf = (scope: InScope) => AudienceIndex;

/** The stored columns of an audience that matter here. */
export type StoredAudience = {
  readonly id: string;
  readonly name: string;
  readonly predicate: Predicate | null;
  readonly stage: AudienceStage | null;
};

/** Union of several mentions. Throws nothing. */
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
    usesOrgZone: all.some((one) => one.usesOrgZone),
    leaves: all.reduce((sum, one) => sum + one.leaves, 0),
  };
};

/**
 * Audiences that depend on the given ones, transitively. A given one is included only if it depends on another. Throws
 * nothing.
 */
export const dependentsOf = (
  named: ReadonlyMap<string, ReadonlySet<string>>,
  ids: Iterable<string>,
): ReadonlySet<string> => {
  const found = new Set<string>();
  const look = (of: string): void => {
    for (const [one, names] of named) {
      if (!names.has(of) || found.has(one)) continue;
      found.add(one);
      look(one);
    }
  };
  for (const id of ids) look(id);
  return found;
};

const grouped = <Key>(
  dynamic: readonly DynamicAudience[],
  keysOf: (audience: DynamicAudience) => Iterable<Key>,
): ReadonlyMap<Key, readonly DynamicAudience[]> => {
  const groups = new Map<Key, DynamicAudience[]>();
  for (const audience of dynamic)
    for (const key of keysOf(audience)) {
      const group = groups.get(key);
      if (group) group.push(audience);
      else groups.set(key, [audience]);
    }
  return groups;
};

/** Builds a Live in steps; yields the work units of each step. */
function* building(
  rows: readonly StoredAudience[],
  mentionsOf: (row: StoredAudience & { readonly predicate: Predicate }) => Mentions,
  orgTimezone: string | null,
): Generator<number, AudienceIndex> {
  const there = rows.filter(({ stage }) => stage !== 'remove');
  const lists = new Map(there.filter(({ predicate }) => predicate === null).map(({ id, name }) => [id, name]));
  const own = new Map<string, Mentions>();
  for (const { predicate, ...row } of there) {
    if (predicate === null) continue;
    const mine = mentionsOf({ ...row, predicate });
    own.set(row.id, mine);
    yield mine.leaves * LEAF_UNITS;
  }
  const closed = new Map<string, Mentions>();
  const close = function* (id: string): Generator<number, void> {
    const mine = own.get(id);
    if (closed.has(id) || !mine) return;
    // Stored predicates have no cycle; this ends one created by two concurrent processes.
    closed.set(id, mine);
    const named: Mentions[] = [];
    for (const one of mine.audiences) {
      yield* close(one);
      const all = closed.get(one);
      if (all) named.push(all);
    }
    if (named.length === 0) return;
    const all = joined([mine, ...named]);
    closed.set(id, all);
    yield all.traits.size + named.reduce((sum, { traits, logLeaves }) => sum + traits.size + logLeaves.length, 0);
  };
  for (const id of own.keys()) yield* close(id);
  const dynamic: DynamicAudience[] = [];
  for (const { id, name, predicate: stored, stage } of there) {
    const mine = own.get(id);
    if (stored === null || !mine) continue;
    const predicate = mine.usesOrgZone ? inOrgZone(stored, orgTimezone) : stored;
    dynamic.push({ id, name, predicate, stored, stage, own: mine, all: closed.get(id) ?? mine });
    if (mine.usesOrgZone) yield mine.leaves;
  }
  const byTrait = grouped(dynamic, ({ all }) => all.traits);
  yield dynamic.reduce((sum, { all }) => sum + all.traits.size, 0);
  const byValues = new Map<string, ByValue>();
  for (const [name, those] of byTrait) {
    byValues.set(name, byValue(name, those));
    yield those.length * 2;
  }
  return {
    dynamic,
    byId: new Map(dynamic.map((audience) => [audience.id, audience])),
    lists,
    byTrait: byValues,
    byField: grouped(dynamic, ({ all }) => all.fields),
    byEvent: grouped(dynamic, ({ all }) => all.events.keys()),
    byList: grouped(dynamic, ({ all }) => [...all.audiences].filter((id) => lists.has(id))),
    named: new Set(dynamic.flatMap(({ own: { audiences } }) => [...audiences])),
    needed: joined(dynamic.map((audience) => audience.own)),
    orgTimezone,
  };
}

/** Indexes the audiences of one scope. Removed ones are left out. Throws nothing. */
export const indexAudiences = (rows: readonly StoredAudience[], orgTimezone: string | null = null): AudienceIndex => {
  const pieces = building(rows, ({ predicate }) => mentions(predicate), orgTimezone);
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
};

const NOTHING = indexAudiences([]);

/** A predicate as read; null: a static list. */
type Read = { readonly version: number; readonly predicate: Predicate | null; readonly mentions: Mentions | null };
/** What was read of a scope; `versions` shows whether anything changed. */
type Found = { readonly versions: string; readonly read: ReadonlyMap<string, Read>; readonly usesOrgZone: boolean };
type Held = Found & { readonly index: AudienceIndex };

type Row = Pick<AudienceRow, 'id' | 'name' | 'kind' | 'version' | 'stage'>;

export type Definitions = {
  /** Definitions of several scopes: one statement for all stale ones, or for all if `isUrgent`. */
  load(scopes: readonly InScope[], isUrgent?: boolean): Promise<AudienceIndexOf>;
  /** To be called after a committed change. */
  changed(): void;
  /** A predicate as evaluated now: with the project's time zone in place of `org`. */
  resolve(scope: InScope, predicate: Predicate): Promise<Predicate>;
  close(): void;
};

/**
 * Reads the time zone in the settings of each scope; null: none. Not cached, because a build caused by a change of the
 * zone needs the new one.
 */
export type LoadOrgZones = (scopes: readonly InScope[]) => Promise<(scope: InScope) => string | null>;

export const audienceDefinitions = ({
  storage,
  hot,
  clock,
  loadOrgZones,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly hot: Pick<AudienceStatements, 'ofScope' | 'predicates'>;
  readonly clock: Clock;
  readonly loadOrgZones: LoadOrgZones;
}): Definitions => {
  // Predicates may be long and many: unchanged ones are not read again.
  const last = lru<number, Held>(MAX_SCOPES);

  /** Predicates of these rows, by id. */
  const predicatesOf = async (scope: InScope, rows: readonly Row[], before: Found['read']): Promise<Found['read']> => {
    const found = new Map<string, Read>();
    const missing: Row[] = [];
    for (const row of rows) {
      const known = before.get(row.id);
      if (known?.version === row.version) found.set(row.id, known);
      else if (row.kind === 'static') found.set(row.id, { version: row.version, predicate: null, mentions: null });
      else missing.push(row);
    }
    for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
      const part = missing.slice(from, from + READ_AT_ONCE);
      for (const row of await storage.select(
        hot.predicates,
        part.map(({ id }) => [scopeKey(scope), id]),
      )) {
        const { version, predicate } = row;
        const mine = predicate === null ? null : mentions(predicate);
        found.set(row.id, { version, predicate, mentions: mine });
        const rest = spendWork((mine?.leaves ?? 1) * LEAF_UNITS, scopeKey(scope));
        if (rest !== undefined) await rest;
      }
    }
    return found;
  };

  const findPredicates = async (scope: InScope, rows: readonly Row[]): Promise<Found> => {
    const versions = JSON.stringify(rows.map(({ id, name, version, stage }) => [id, version, stage, name]));
    const before = last.get(scopeKey(scope));
    if (before?.versions === versions) return before;
    const read = await predicatesOf(scope, rows, before?.read ?? new Map());
    return { versions, read, usesOrgZone: [...read.values()].some((one) => one.mentions?.usesOrgZone === true) };
  };

  const indexFrom = async (
    scope: InScope,
    rows: readonly Row[],
    found: Found,
    orgTimezone: string | null,
  ): Promise<AudienceIndex> => {
    const { versions, read, usesOrgZone } = found;
    const before = last.get(scopeKey(scope));
    if (before?.versions === versions && before.index.orgTimezone === orgTimezone) return before.index;
    const stored = rows.flatMap(({ id, name, stage }): StoredAudience[] => {
      const one = read.get(id);
      return one ? [{ id, name, stage, predicate: one.predicate }] : [];
    });
    const pieces = building(stored, ({ id, predicate }) => read.get(id)?.mentions ?? mentions(predicate), orgTimezone);
    for (;;) {
      const { done, value } = pieces.next();
      if (done) {
        last.set(scopeKey(scope), { versions, read, usesOrgZone, index: value });
        return value;
      }
      const rest = spendWork(value, scopeKey(scope));
      if (rest !== undefined) await rest;
    }
  };

  const cache = sharedCache<InScope, AudienceIndex>({
    storage,
    clock,
    topic: AUDIENCES_CHANGED,
    nameOf: scopeKey,
    // The deadline of one caller must not end a read that others share.
    read: (scopes: readonly InScope[]) =>
      withoutDeadline(async () => {
        const rows = await storage.select(
          hot.ofScope,
          scopes.map((scope) => [scopeKey(scope)]),
        );
        const byScope = Map.groupBy(rows, scopeKey);
        const found = new Map<InScope, Found>();
        for (const scope of scopes) found.set(scope, await findPredicates(scope, byScope.get(scopeKey(scope)) ?? []));
        const zoned = scopes.filter((scope) => found.get(scope)?.usesOrgZone);
        const zoneOf = zoned.length === 0 ? null : await loadOrgZones(zoned);
        const index = new Map<number, AudienceIndex>();
        for (const [scope, one] of found) {
          const zone = one.usesOrgZone && zoneOf !== null ? zoneOf(scope) : null;
          index.set(scopeKey(scope), await indexFrom(scope, byScope.get(scopeKey(scope)) ?? [], one, zone));
        }
        return (scope: InScope) => index.get(scopeKey(scope)) ?? NOTHING;
      }),
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_SCOPES,
  });
  return {
    load: (scopes, isUrgent = false) => cache.load(scopes, () => isUrgent),
    changed: cache.changed,
    resolve: async (scope, predicate) =>
      mentions(predicate).usesOrgZone ? inOrgZone(predicate, (await loadOrgZones([scope]))(scope)) : predicate,
    close: cache.close,
  };
};

/** Subscribes to the events that audiences count, including raised events. Throws nothing. */
export const audienceListener = (definitions: Pick<Definitions, 'load'>) => ({
  load: async (scopes: readonly InScope[]): Promise<(scope: InScope, name: string) => boolean> => {
    const index = await definitions.load(scopes);
    return (scope, name) => index(scope).byEvent.has(name);
  },
});
