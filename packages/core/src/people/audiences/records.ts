// CRUD of audiences. Every change holds the scope's lock, so that concurrent changes cannot use one name twice or
// together create a cycle.

import type { Db, Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { DEFINITION_CAPS } from '../../foundation/definition-caps.ts';
import { capReached, conflict, notFound, validationError } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import type { Ids } from '../../foundation/ids.ts';
import { idOf, listPage } from '../../foundation/page.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { AudienceSummary } from '../profiles/answers.generated.ts';
import type { Audience } from './answers.generated.ts';
import type { AudiencesApi } from './api.ts';
import { type Definitions, dependentsOf } from './definitions.ts';
import { mentions } from './predicate/mentions.ts';
import { leafCount, type Predicate } from './predicate/types.ts';
import { type AudienceStatus, NO_AUDIENCE, parseAudience, parseAudiencePatch } from './schema.ts';
import type { AudienceStatements } from './statements.ts';
import { type AudienceStore, audienceStore } from './store.ts';
import type { AudienceRow, AudienceTables } from './tables.ts';

/** Name of the queue that builds audiences, and its wake topic. */
export const AUDIENCES = 'audiences';

export type RecordDeps = {
  readonly storage: Storage;
  readonly tables: AudienceTables;
  readonly hot: Pick<AudienceStatements, 'members' | 'record'>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Workflows of the scope's project that refer to an audience. */
  readonly workflowsNaming: (scope: Scope, audienceId: string) => Promise<readonly AudienceSummary[]>;
  /** To be called after a committed change. */
  readonly changed: () => void;
};

type Records = Pick<AudiencesApi, 'create' | 'list' | 'get' | 'update' | 'delete'>;

const statusOf = ({ stage }: AudienceRow): AudienceStatus => (stage === 'build' ? 'computing' : 'ready');

const viewOf = (
  { orgId, projectId, environment }: Scope,
  row: AudienceRow,
  counted: { readonly memberCount: number; readonly countedAt: Date },
): Audience => ({
  id: row.id,
  orgId,
  projectId,
  environment,
  name: row.name,
  description: row.description,
  kind: row.kind,
  predicate: row.predicate,
  ...counted,
  status: statusOf(row),
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** Columns that make the worker recompute a dynamic audience. */
const buildColumns = (now: Date) => ({ stage: 'build', cursor: null, dueAt: now, leaseUntil: null }) as const;

/** References of each dynamic audience. */
const namesOf = (rows: readonly AudienceRow[]): Map<string, ReadonlySet<string>> =>
  new Map(rows.flatMap(({ id, predicate }) => (predicate === null ? [] : [[id, mentions(predicate).audiences]])));

export type RebuildDeps = {
  readonly storage: Pick<Storage, 'dialect' | 'wake'>;
  readonly tables: AudienceTables;
  readonly clock: Clock;
  readonly definitions: Pick<Definitions, 'changed'>;
};

/**
 * Recomputes the audiences of a scope that use the time zone `org`, and those that depend on them. Call it in the
 * transaction that changes the zone; it does nothing if no audience uses `org`. Throws database errors.
 *
 * @returns to be called after the commit: refreshes cached definitions and wakes the worker
 */
export const rebuildInNewZone = async (
  { storage, tables, clock, definitions }: RebuildDeps,
  scope: InScope,
  db: Db,
): Promise<() => void> => {
  const store = audienceStore({ db, dialect: storage.dialect, tables });
  await store.lock(scope);
  const rows = await store.all(scope);
  const zoned = rows.filter(({ predicate }) => predicate !== null && mentions(predicate).usesOrgZone);
  if (zoned.length === 0) return () => undefined;
  const ids = zoned.map(({ id }) => id);
  await store.update(
    scope,
    [...new Set([...ids, ...dependentsOf(namesOf(rows), ids)])],
    buildColumns(clock.now()),
    true,
  );
  return () => {
    definitions.changed();
    storage.wake.signal([AUDIENCES]);
  };
};

export const audienceRecords = (deps: RecordDeps): Records => {
  const { storage, tables, hot, clock, ids } = deps;
  const storeOn = (db: Storage['db']) => audienceStore({ db, dialect: storage.dialect, tables });
  const outside = storeOn(storage.db);

  const inTransaction = async <T>(scope: Scope, work: (inside: AudienceStore) => Promise<T>): Promise<T> => {
    const done = await storage.transaction(async (db) => {
      const inside = storeOn(db);
      await inside.lock(scope);
      return work(inside);
    });
    deps.changed();
    storage.wake.signal([AUDIENCES]);
    return done;
  };
  const findAudience = async (from: AudienceStore, scope: Scope, id: string): Promise<AudienceRow> => {
    const row = await from.get(scope, id);
    if (!row) throw notFound('audience with this id', scope);
    return row;
  };
  const refuseDuplicateName = async (inside: AudienceStore, scope: Scope, name: string): Promise<void> => {
    const [duplicate] = await inside.page(scope, { name, kind: null, isReady: null }, { after: null, limit: 1 });
    if (duplicate) throw conflict('exists', { id: duplicate.id });
  };
  /** References of all audiences including this one; rejects unknown audiences and cycles. */
  const referencesAfter = async (
    inside: AudienceStore,
    scope: Scope,
    { id, predicate }: Pick<AudienceRow, 'id' | 'predicate'>,
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
    const rows = await inside.all(scope);
    refuseLeaves(rows, id, predicate);
    const own = predicate === null ? new Set<string>() : mentions(predicate).audiences;
    const there = new Set(rows.map((row) => row.id));
    if ([...own].some((one) => one !== id && !there.has(one))) throw validationError({ predicate: [NO_AUDIENCE] });
    const named = namesOf(rows).set(id, own);
    if (dependentsOf(named, [id]).has(id))
      throw validationError({ predicate: ['refers to itself, directly or through another audience'] });
    return named;
  };
  /**
   * Rejects a predicate above the cap on leaves. An environment already above the cap may replace a predicate by one
   * with as many leaves.
   */
  const refuseLeaves = (rows: readonly AudienceRow[], id: string, predicate: Predicate | null): void => {
    const before = rows.find((row) => row.id === id)?.predicate ?? null;
    const own = leafCount(predicate);
    const all = rows.reduce((sum, row) => sum + (row.id === id ? own : leafCount(row.predicate)), before ? 0 : own);
    if (own > leafCount(before) && all > DEFINITION_CAPS.audienceLeaves.max)
      throw capReached('predicate', DEFINITION_CAPS.audienceLeaves);
  };
  const counted = async (scope: Scope, row: AudienceRow): Promise<Audience> => {
    const countedAt = clock.now();
    const [counted] = await storage.query(hot.members, { ...scopeOf(scope), audienceId: row.id });
    return viewOf(scope, row, { memberCount: counted?.members ?? 0, countedAt });
  };
  const building = (predicate: Predicate | null) => (predicate === null ? {} : buildColumns(clock.now()));

  return {
    create: async (scope, body) => {
      const { name, description = null, predicate = null } = parseAudience(body);
      const now = clock.now();
      const row: AudienceRow = {
        ...{ ...scopeOf(scope), id: ids.next(), name, description, kind: predicate === null ? 'static' : 'dynamic' },
        ...{ predicate, version: 1, stage: null, cursor: null, createdAt: now, updatedAt: now },
        ...{ dueAt: null, leaseUntil: null, fence: 0, ...building(predicate) },
      };
      await inTransaction(scope, async (inside) => {
        const filter = { name: null, kind: null, isReady: null };
        if ((await inside.count(scope, filter)) >= DEFINITION_CAPS.audiences.max)
          throw capReached('name', DEFINITION_CAPS.audiences);
        await refuseDuplicateName(inside, scope, name);
        await referencesAfter(inside, scope, row);
        await inside.insert(row);
      });
      return viewOf(scope, row, { memberCount: 0, countedAt: now });
    },

    list: async (scope, { name, kind, status, ...query } = {}) => {
      const isReady = status === undefined ? null : status === 'ready';
      const filter = { name: name ?? null, kind: kind ?? null, isReady };
      const { data, pagination } = await listPage(query, {
        binding: `audiences/${scopeKey(scope)}/${stableJson(filter)}`,
        read: (place) => outside.page(scope, filter, place),
        count: () => outside.count(scope, filter),
        positionOf: idOf,
      });
      return { data: await Promise.all(data.map((row) => counted(scope, row))), pagination };
    },

    get: async (scope, id) => {
      const [row] = await storage.select(hot.record, [[scopeKey(scope), id]]);
      if (!row) throw notFound('audience with this id', scope);
      return counted(scope, row);
    },

    update: async (scope, id, body) => {
      const { predicate, ...given } = parseAudiencePatch(body);
      const row = await inTransaction(scope, async (inside) => {
        const current = await findAudience(inside, scope, id);
        if (predicate !== undefined && current.kind === 'static')
          throw validationError({ predicate: ['is not allowed for a static audience'] });
        const next = {
          name: given.name ?? current.name,
          description: given.description === undefined ? current.description : given.description,
          predicate: predicate ?? current.predicate,
        };
        const { name, description, predicate: before } = current;
        if (stableJson(next) === stableJson({ name, description, predicate: before })) return current;
        if (next.name !== name) await refuseDuplicateName(inside, scope, next.name);
        const isOther = stableJson(next.predicate) !== stableJson(before);
        const built = isOther ? building(next.predicate) : {};
        const changes = { ...next, ...built, version: current.version + 1, updatedAt: clock.now() };
        const named = isOther ? await referencesAfter(inside, scope, { id, predicate: next.predicate }) : null;
        await inside.update(scope, [id], changes, isOther);
        if (named) await inside.update(scope, [...dependentsOf(named, [id])], built, true);
        return { ...current, ...changes };
      });
      return counted(scope, row);
    },

    delete: async (scope, id) => {
      const workflows = await deps.workflowsNaming(scope, id);
      return inTransaction(scope, async (inside) => {
        const { name } = await findAudience(inside, scope, id);
        const audiences = (await inside.all(scope))
          .filter(({ predicate }) => predicate !== null && mentions(predicate).audiences.has(id))
          .map((row) => ({ id: row.id, name: row.name }));
        if (workflows.length + audiences.length > 0) throw conflict('in_use', { audiences, workflows });
        const now = clock.now();
        // Its name is free at once; the worker deletes the members.
        const removal = { name: id, stage: 'remove', dueAt: now, leaseUntil: null, updatedAt: now } as const;
        await inside.update(scope, [id], removal, true);
        return { id, name };
      });
    },
  };
};
