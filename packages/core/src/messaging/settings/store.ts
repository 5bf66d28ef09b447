import { and, eq } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { SettingsTables } from './tables.ts';

/** Settings as they are changed; cold paths only. */
export const settingsStore = ({ db, tables: { settings } }: Pick<StoreContext<SettingsTables>, 'db' | 'tables'>) => ({
  /** Null: not set. */
  get: async ({ scopeId }: InScope, name: string): Promise<unknown> => {
    const rows = await db
      .select({ value: settings.value })
      .from(settings)
      .where(and(eq(settings.scopeId, scopeId), eq(settings.name, name)));
    return rows[0]?.value ?? null;
  },
  put: async ({ scopeId }: InScope, name: string, value: unknown, updatedAt: Date): Promise<void> => {
    await db
      .insert(settings)
      .values({ scopeId, name, value, updatedAt })
      .onConflictDoUpdate({ target: [settings.scopeId, settings.name], set: { value, updatedAt } });
  },
  remove: async ({ scopeId }: InScope, name: string): Promise<void> => {
    await db.delete(settings).where(and(eq(settings.scopeId, scopeId), eq(settings.name, name)));
  },
});
