import { and, asc, count, eq, gt, lt, or } from 'drizzle-orm';
import type { StoreContext } from '../database/context.ts';
import type { PageStart } from '../foundation/page.ts';
import type { InScope } from '../foundation/scope.ts';
import type { WebhookRow, WebhookTables } from './tables.ts';

/** The columns of a webhook that may change. */
export type WebhookChange = Partial<
  Pick<
    WebhookRow,
    | 'url'
    | 'events'
    | 'description'
    | 'isActive'
    | 'sealed'
    | 'version'
    | 'disabledReason'
    | 'failingSince'
    | 'updatedAt'
  >
>;

/** Queries of webhook definitions. Not on a hot path. */
export const webhookStore = ({ db, tables: { webhooks: t } }: Pick<StoreContext<WebhookTables>, 'db' | 'tables'>) => {
  const byId = ({ scopeId }: InScope, id: string) => and(eq(t.scopeId, scopeId), eq(t.id, id));
  return {
    insert: async (row: WebhookRow): Promise<void> => {
      await db.insert(t).values(row);
    },
    count: async ({ scopeId }: InScope): Promise<number> =>
      (await db.select({ rows: count() }).from(t).where(eq(t.scopeId, scopeId))).at(0)?.rows ?? 0,
    get: async (scope: InScope, id: string): Promise<WebhookRow | undefined> =>
      (await db.select().from(t).where(byId(scope, id))).at(0),
    page: async ({ scopeId }: InScope, { after, limit }: PageStart): Promise<WebhookRow[]> =>
      db
        .select()
        .from(t)
        .where(and(eq(t.scopeId, scopeId), after === null ? undefined : gt(t.id, after)))
        .orderBy(asc(t.id))
        .limit(limit),
    /** The changed row; undefined if there is none, or its secrets changed since `version`. */
    change: async (
      scope: InScope,
      id: string,
      version: number,
      values: WebhookChange,
    ): Promise<WebhookRow | undefined> =>
      (
        await db
          .update(t)
          .set(values)
          .where(and(byId(scope, id), eq(t.version, version)))
          .returning()
      ).at(0),
    remove: async (scope: InScope, id: string): Promise<WebhookRow | undefined> =>
      (await db.delete(t).where(byId(scope, id)).returning()).at(0),
    /** Deletes pull webhooks of all scopes made before a time: closed terminals leave them behind. */
    removePulledOfAll: async (before: Date): Promise<void> => {
      await db.delete(t).where(and(eq(t.isPulled, true), lt(t.createdAt, before)));
    },
    countSealed: async (): Promise<number> => (await db.select({ rows: count() }).from(t)).at(0)?.rows ?? 0,
    /** Webhooks of all scopes in key order, after one of them. */
    sealedOfAll: async (after: WebhookRow | null, limit: number): Promise<WebhookRow[]> =>
      db
        .select()
        .from(t)
        .where(
          after === null
            ? undefined
            : or(gt(t.scopeId, after.scopeId), and(eq(t.scopeId, after.scopeId), gt(t.id, after.id))),
        )
        .orderBy(asc(t.scopeId), asc(t.id))
        .limit(limit),
    /** Stores the value encrypted with the new key, unless it changed since `was`. */
    reseal: async (row: InScope & { readonly id: string }, was: string, sealed: string): Promise<void> => {
      await db
        .update(t)
        .set({ sealed })
        .where(and(byId(row, row.id), eq(t.sealed, was)));
    },
  };
};
