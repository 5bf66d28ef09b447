import { and, asc, count, desc, eq, gt, inArray, isNull, notLike, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { PageStart } from '../../foundation/page.ts';
import type { ProjectNames } from '../../foundation/scope.ts';
import { ENVIRONMENTS } from '../../foundation/scope.ts';
import { ALL_PROJECTS } from './access.ts';
import type { KeyQuery } from './api.ts';
import { secretStore } from './secrets/store.ts';
import type { TenancyTables } from './tables.ts';

/** Rows of one name that a start reads. Chosen: enough for an error message that lists their ids. */
const MAX_NAMESAKES = 20;

/**
 * Organizations, projects, keys and sealed values, for cold paths; the key look-up is in statements.ts. Functions
 * without an organization serve the operator of the deployment.
 */
export const tenancyStore = ({
  db,
  tables: { orgs, projects, scopes, apiKeys, apiKeyGrants, ...tables },
}: Pick<StoreContext<TenancyTables>, 'db' | 'tables'>) => ({
  ...secretStore({ db, tables }),

  /** Inserts the org unless its id exists. */
  addOrg: async (row: typeof orgs.$inferInsert): Promise<void> => {
    await db.insert(orgs).values(row).onConflictDoNothing();
  },
  /** Organizations by id. */
  orgs: async ({ after, limit }: PageStart) =>
    db
      .select()
      .from(orgs)
      .where(after === null ? undefined : gt(orgs.orgId, after))
      .orderBy(asc(orgs.orgId))
      .limit(limit),
  /** Up to `MAX_NAMESAKES` organizations with this id or this name: that of the id first, then the oldest. */
  orgsLike: async ({ id, name }: { readonly id: string; readonly name: string | null }) =>
    db
      .select({ id: orgs.orgId, name: orgs.name })
      .from(orgs)
      .where(name === null ? eq(orgs.orgId, id) : or(eq(orgs.orgId, id), eq(orgs.name, name)))
      .orderBy(desc(eq(orgs.orgId, id)), asc(orgs.createdAt), asc(orgs.orgId))
      .limit(MAX_NAMESAKES),
  /** Names of plans, by those of the orgs that there are. */
  planNames: async (orgIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const rows = await db
      .select({ orgId: orgs.orgId, plan: orgs.plan })
      .from(orgs)
      .where(inArray(orgs.orgId, [...orgIds]));
    return new Map(rows.map(({ orgId, plan }) => [orgId, plan]));
  },
  /** Returns whether the organization exists. */
  setPlan: async (orgId: string, plan: string): Promise<boolean> =>
    (await db.update(orgs).set({ plan }).where(eq(orgs.orgId, orgId)).returning({ orgId: orgs.orgId })).length > 0,
  hasSeveralOrgs: async (): Promise<boolean> => (await db.select({ orgId: orgs.orgId }).from(orgs).limit(2)).length > 1,
  /** The numbers of every scope. */
  scopeIdsOfAll: async (): Promise<number[]> => (await db.select({ id: scopes.id }).from(scopes)).map(({ id }) => id),
  /** The existing ones of these organizations. */
  knownOrgs: async (ids: readonly string[]): Promise<Set<string>> => {
    const rows = await db
      .select({ orgId: orgs.orgId })
      .from(orgs)
      .where(inArray(orgs.orgId, [...ids]));
    return new Set(rows.map((row) => row.orgId));
  },

  /** With the scopes of its environments; false: a project with this id exists. Only inside a transaction. */
  addProject: async (row: Omit<typeof projects.$inferInsert, 'projectKey'>): Promise<boolean> => {
    const { orgId, projectId } = row;
    const returned = { projectKey: projects.projectKey };
    const [made] = await db.insert(projects).values(row).onConflictDoNothing().returning(returned);
    if (!made) return false;
    await db.insert(scopes).values(ENVIRONMENTS.map((environment) => ({ orgId, projectId, environment, ...made })));
    return true;
  },
  /** As `orgsLike`, for the projects of an organization. */
  projectsLike: async (orgId: string, { id, name }: { readonly id: string; readonly name: string | null }) =>
    db
      .select({ id: projects.projectId, name: projects.name })
      .from(projects)
      .where(
        and(
          eq(projects.orgId, orgId),
          name === null ? eq(projects.projectId, id) : or(eq(projects.projectId, id), eq(projects.name, name)),
        ),
      )
      .orderBy(desc(eq(projects.projectId, id)), asc(projects.createdAt), asc(projects.projectId))
      .limit(MAX_NAMESAKES),
  /** Projects of one organization or of all, by id. */
  projects: async (orgId: string | undefined, { after, limit }: PageStart) =>
    db
      .select()
      .from(projects)
      .where(
        and(
          orgId === undefined ? undefined : eq(projects.orgId, orgId),
          after === null ? undefined : gt(projects.projectId, after),
        ),
      )
      .orderBy(asc(projects.projectId))
      .limit(limit),
  /** Those of these projects that exist, each with its org. */
  knownProjects: async (ids: readonly string[]): Promise<ProjectNames[]> =>
    db
      .select({ orgId: projects.orgId, projectId: projects.projectId })
      .from(projects)
      .where(inArray(projects.projectId, [...ids])),

  addKey: async (
    row: typeof apiKeys.$inferInsert,
    grants: readonly { orgId: string; projectId: string }[],
  ): Promise<void> => {
    await db.insert(apiKeys).values(row);
    await db.insert(apiKeyGrants).values(grants.map((grant) => ({ ...grant, keyId: row.id })));
  },
  /** Keys with a grant for the organization that the reader covers, by id. Each absent condition holds for all keys. */
  keys: async ({ orgId, reader }: Pick<KeyQuery, 'orgId' | 'reader'>, { after, limit }: PageStart) => {
    // `or` without conditions would match every key.
    if (reader?.grants.length === 0) return [];
    const grants = and(
      orgId === undefined ? undefined : eq(apiKeyGrants.orgId, orgId),
      reader &&
        or(
          ...reader.grants.map((held) =>
            and(
              eq(apiKeyGrants.orgId, held.orgId),
              held.projectId === ALL_PROJECTS ? undefined : eq(apiKeyGrants.projectId, held.projectId),
            ),
          ),
        ),
    );
    const granted = db.select({ id: apiKeyGrants.keyId }).from(apiKeyGrants).where(grants);
    return db
      .select()
      .from(apiKeys)
      .where(
        and(
          grants && inArray(apiKeys.id, granted),
          reader && eq(apiKeys.environment, reader.environment),
          after === null ? undefined : gt(apiKeys.id, after),
        ),
      )
      .orderBy(asc(apiKeys.id))
      .limit(limit);
  },
  keyById: async (id: string) => (await db.select().from(apiKeys).where(eq(apiKeys.id, id))).at(0),
  /** Grants of these keys, for one organization or all; ordered by organization and project. */
  grants: async (keyIds: readonly string[], orgId?: string) =>
    db
      .select()
      .from(apiKeyGrants)
      .where(
        and(inArray(apiKeyGrants.keyId, [...keyIds]), orgId === undefined ? undefined : eq(apiKeyGrants.orgId, orgId)),
      )
      .orderBy(asc(apiKeyGrants.orgId), asc(apiKeyGrants.projectId)),
  /** Revokes a key; a revoked one keeps its first time. */
  revokeKey: async (id: string, at: Date): Promise<void> => {
    await db
      .update(apiKeys)
      .set({ revokedAt: at })
      .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)));
  },
});

/** Data keys, each wrapped by a master key. */
export const dataKeyStore = ({ db, tables: { dataKeys } }: Pick<StoreContext<TenancyTables>, 'db' | 'tables'>) => ({
  /** The wrapped keys of an organization, oldest first. */
  ofOrg: async (orgId: string) =>
    db
      .select({ kid: dataKeys.kid, wrapped: dataKeys.wrapped, createdAt: dataKeys.createdAt })
      .from(dataKeys)
      .where(eq(dataKeys.orgId, orgId))
      .orderBy(asc(dataKeys.createdAt), asc(dataKeys.kid)),
  /** Adds a key unless the organization has one with this name: a second process reads the first one's. */
  addUnlessThere: async (row: typeof dataKeys.$inferInsert): Promise<void> => {
    await db.insert(dataKeys).values(row).onConflictDoNothing();
  },
  /** Stores the same key wrapped again, unless it was changed since `was`. */
  rewrap: async ({ orgId, kid }: { orgId: string; kid: string }, was: string, wrapped: string): Promise<void> => {
    await db
      .update(dataKeys)
      .set({ wrapped })
      .where(and(eq(dataKeys.orgId, orgId), eq(dataKeys.kid, kid), eq(dataKeys.wrapped, was)));
  },
  /** Number of keys wrapped by another master key than this one. */
  countOthers: async (masterKey: string): Promise<number> =>
    (
      await db
        .select({ rows: count() })
        .from(dataKeys)
        .where(notLike(dataKeys.wrapped, `v1.${masterKey}.%`))
    ).at(0)?.rows ?? 0,
  /** Organizations with a key wrapped by another master key than this one, in order, after one of them. */
  orgsOfOthers: async (masterKey: string, after: string, limit: number): Promise<string[]> => {
    const rows = await db
      .select({ orgId: dataKeys.orgId })
      .from(dataKeys)
      .where(and(notLike(dataKeys.wrapped, `v1.${masterKey}.%`), gt(dataKeys.orgId, after)))
      .groupBy(dataKeys.orgId)
      .orderBy(asc(dataKeys.orgId))
      .limit(limit);
    return rows.map(({ orgId }) => orgId);
  },
});
