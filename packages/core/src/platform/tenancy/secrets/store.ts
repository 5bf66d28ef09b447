import { and, asc, count, eq, gt, inArray, like, or, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { Environment, ProjectNames } from '../../../foundation/scope.ts';
import type { TenancyTables } from '../tables.ts';

/** A sealed value by its name; '' as the environment of what serves both. */
export type SecretName = ProjectNames & { readonly environment: Environment | ''; readonly name: string };

/** Sealed values of projects at rest: cold paths only. */
export const secretStore = ({
  db,
  tables: { secrets },
}: {
  readonly db: StoreContext<TenancyTables>['db'];
  readonly tables: Pick<TenancyTables, 'secrets'>;
}) => {
  const within = ({ orgId, projectId, environment }: SecretName): SQL[] => [
    eq(secrets.orgId, orgId),
    eq(secrets.projectId, projectId),
    eq(secrets.environment, environment),
  ];
  const isNamed = (name: SecretName): SQL[] => [...within(name), eq(secrets.name, name.name)];

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
    /** Sets a value, whatever it was. */
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
    /** Whether the value was still `was`; if so it is another one. */
    replaceSecret: async (name: SecretName, was: string, sealed: string, updatedAt: Date): Promise<boolean> =>
      (
        await db
          .update(secrets)
          .set({ sealed, updatedAt })
          .where(and(...isNamed(name), eq(secrets.sealed, was)))
          .returning({ name: secrets.name })
      ).length > 0,
    /** Whether there was one. */
    removeSecret: async (name: SecretName): Promise<boolean> =>
      (
        await db
          .delete(secrets)
          .where(and(...isNamed(name)))
          .returning({ name: secrets.name })
      ).length > 0,
    /** Names of one environment that begin so, in order, behind one of them. The prefix holds no wildcard. */
    secretsOf: async (behind: SecretName, prefix: string, limit: number) =>
      db
        .select({ name: secrets.name, updatedAt: secrets.updatedAt })
        .from(secrets)
        .where(and(...within(behind), like(secrets.name, `${prefix}%`), gt(secrets.name, behind.name)))
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
            ...within(first),
            inArray(
              secrets.name,
              names.map(({ name }) => name),
            ),
          ),
        );
      return rows.map(({ name }) => name);
    },
    countSecrets: async (): Promise<number> => (await db.select({ rows: count() }).from(secrets)).at(0)?.rows ?? 0,
    /** Sealed values of all orgs in the order of their names, behind one of them. */
    allSecrets: async (after: SecretName | null, limit: number) => {
      const { orgId, projectId, environment, name } = secrets;
      const behind =
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
        .where(behind ?? undefined)
        .orderBy(asc(orgId), asc(projectId), asc(environment), asc(name))
        .limit(limit);
    },
    /** Puts the same value there sealed anew, unless it was changed since `was`. */
    resealSecret: async (key: SecretName, was: string, sealed: string): Promise<void> => {
      await db
        .update(secrets)
        .set({ sealed })
        .where(and(...isNamed(key), eq(secrets.sealed, was)));
    },
  };
};
