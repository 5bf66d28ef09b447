import { and, count, desc, eq, gte, inArray, lt, or, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AuditTables } from './tables.ts';

export type AuditRow = AuditTables['authAudit']['$inferSelect'];
export type AuditFilter = TimeRange & {
  readonly actor: string | null;
  readonly action: string | null;
  readonly target: string | null;
  readonly result: string | null;
};

/** The audit log as it is listed and cut; cold paths only. */
export const auditStore = ({ db, tables: { authAudit } }: Pick<StoreContext<AuditTables>, 'db' | 'tables'>) => {
  const matching = ({ scopeId }: InScope, { actor, action, target, result, fromMs, toMs }: AuditFilter): SQL[] => [
    eq(authAudit.scopeId, scopeId),
    ...(actor === null ? [] : [eq(authAudit.actor, actor)]),
    ...(action === null ? [] : [eq(authAudit.action, action)]),
    ...(target === null ? [] : [eq(authAudit.target, target)]),
    ...(result === null ? [] : [eq(authAudit.result, result)]),
    ...(fromMs === null ? [] : [gte(authAudit.at, new Date(fromMs))]),
    ...(toMs === null ? [] : [lt(authAudit.at, new Date(toMs))]),
  ];
  return {
    list: (
      scope: InScope,
      filter: AuditFilter,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<AuditRow[]> =>
      db
        .select()
        .from(authAudit)
        .where(and(...matching(scope, filter), after === null ? undefined : lt(authAudit.id, after)))
        .orderBy(desc(authAudit.id))
        .limit(limit),
    count: async (scope: InScope, filter: AuditFilter): Promise<number> => {
      const rows = await db
        .select({ count: count() })
        .from(authAudit)
        .where(and(...matching(scope, filter)));
      return rows[0]?.count ?? 0;
    },
    /** Deletes entries of a scope with ids below `below`. Returns their number. */
    expire: async ({ scopeId }: InScope, below: string, limit: number): Promise<number> => {
      const old = db
        .select({ id: authAudit.id })
        .from(authAudit)
        .where(and(eq(authAudit.scopeId, scopeId), lt(authAudit.id, below)))
        .limit(limit);
      const rows = await db
        .delete(authAudit)
        .where(and(eq(authAudit.scopeId, scopeId), inArray(authAudit.id, old)))
        .returning({ id: authAudit.id });
      return rows.length;
    },
    /** Entries by or about these accounts. */
    erase: async ({ scopeId }: InScope, ids: readonly string[], limit: number): Promise<number> => {
      if (ids.length === 0) return 0;
      const about = or(
        inArray(authAudit.target, [...ids]),
        inArray(
          authAudit.actor,
          ids.map((id) => `user:${id}`),
        ),
      );
      const found = db
        .select({ id: authAudit.id })
        .from(authAudit)
        .where(and(eq(authAudit.scopeId, scopeId), about))
        .limit(limit);
      const rows = await db
        .delete(authAudit)
        .where(and(eq(authAudit.scopeId, scopeId), inArray(authAudit.id, found)))
        .returning({ id: authAudit.id });
      return rows.length;
    },
  };
};

export type AuditStore = ReturnType<typeof auditStore>;
