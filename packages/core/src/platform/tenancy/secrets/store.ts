import { and, asc, count, eq, gt, inArray, like, or, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { Environment, ProjectNames } from '../../../foundation/scope.ts';
import type { TenancyTables } from '../tables.ts';

/** Name of a sealed value; the environment is '' if it serves both. */
export type SecretName = ProjectNames & { readonly environment: Environment | ''; readonly name: string };

/** Sealed values of projects, for cold paths. */
export const secretStore = ({
  db,
  tables: { secrets },
}: {
  readonly db: StoreContext<TenancyTables>['db'];
  readonly tables: Pick<TenancyTables, 'secrets'>;
}) => {
  const inEnvironment = ({ orgId, projectId, environment }: SecretName): SQL[] => [
    eq(secrets.orgId, orgId),
    eq(secrets.projectId, projectId),
    eq(secrets.environment, environment),
  ];
  const isNamed = (name: SecretName): SQL[] => [...inEnvironment(name), eq(secrets.name, name.name)];

  return {
    addSecret: async (row: typeof secrets.$inferInsert): Promise<void> => {
      await db.insert(secrets).values(row);
    },
    sealedSecret: async (name: SecretName): Promise<string | undefined> => {
      const rows = await db
        .select({ sealed: secrets.sealed })
        .from(secrets)
        .where(and(...isNamed(name)));
      return rows.at(0)?.sealed;
    },
    /** Sets a value, whatever it was before. */
    putSecret: async ({
      sealed,
      updatedAt,
      ...name
    }: SecretName & { sealed: string; updatedAt: Date }): Promise<void> => {
      await db
        .insert(secrets)
        .values({ ...name, sealed, updatedAt })
        .onConflictDoUpdate({
          target: [secrets.orgId, secrets.projectId, secrets.environment, secrets.name],
          set: { sealed, updatedAt },
        });
    },
    /** Replaces a value if it is unchanged; returns whether it was. */
    replaceSecret: async (name: SecretName, previous: string, sealed: string, updatedAt: Date): Promise<boolean> =>
      (
        await db
          .update(secrets)
          .set({ sealed, updatedAt })
          .where(and(...isNamed(name), eq(secrets.sealed, previous)))
          .returning({ name: secrets.name })
      ).length > 0,
    /** Returns whether there was one. */
    removeSecret: async (name: SecretName): Promise<boolean> =>
      (
        await db
          .delete(secrets)
          .where(and(...isNamed(name)))
          .returning({ name: secrets.name })
      ).length > 0,
    /** Names of one environment with a prefix, in order, after a position. The prefix contains no wildcard. */
    secretsOf: async (position: SecretName, prefix: string, limit: number) =>
      db
        .select({ name: secrets.name, updatedAt: secrets.updatedAt })
        .from(secrets)
        .where(and(...inEnvironment(position), like(secrets.name, `${prefix}%`), gt(secrets.name, position.name)))
        .orderBy(asc(secrets.name))
        .limit(limit),
    /** Which of these names of one environment have a value. */
    knownSecrets: async (names: readonly SecretName[]): Promise<string[]> => {
      const [first] = names;
      if (!first) return [];
      const rows = await db
        .select({ name: secrets.name })
        .from(secrets)
        .where(
          and(
            ...inEnvironment(first),
            inArray(
              secrets.name,
              names.map(({ name }) => name),
            ),
          ),
        );
      return rows.map(({ name }) => name);
    },
    countSecrets: async (): Promise<number> => (await db.select({ rows: count() }).from(secrets)).at(0)?.rows ?? 0,
    /** Sealed values of all organizations in the order of their names, after a position. */
    allSecrets: async (after: SecretName | null, limit: number) => {
      const { orgId, projectId, environment, name } = secrets;
      const position =
        after &&
        or(
          gt(orgId, after.orgId),
          and(eq(orgId, after.orgId), gt(projectId, after.projectId)),
          and(eq(orgId, after.orgId), eq(projectId, after.projectId), gt(environment, after.environment)),
          and(
            eq(orgId, after.orgId),
            eq(projectId, after.projectId),
            eq(environment, after.environment),
            gt(name, after.name),
          ),
        );
      return db
        .select()
        .from(secrets)
        .where(position ?? undefined)
        .orderBy(asc(orgId), asc(projectId), asc(environment), asc(name))
        .limit(limit);
    },
    /** Stores the same value sealed again, unless it was changed meanwhile. */
    resealSecret: async (key: SecretName, previous: string, sealed: string): Promise<void> => {
      await db
        .update(secrets)
        .set({ sealed })
        .where(and(...isNamed(key), eq(secrets.sealed, previous)));
    },
  };
};
