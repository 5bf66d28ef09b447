import { and, eq } from 'drizzle-orm';
import { conflict, fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import { type AuthSettings, authSettingsChange, authSettingsOf, changeAuthSettings } from './schema.ts';
import { authSettingsStatements } from './statements.ts';
import type { AuthSettingsTables } from './tables.ts';

/** Wake topic: sign-in settings changed in some process. */
const SETTINGS_CHANGED = 'auth settings';

export type AuthSettingsEngine = {
  /** At most 10 s old, and newer after a change in any process. Throws errors of the database. */
  load(scope: InScope): Promise<AuthSettings>;
  /** As they are stored now. */
  get(scope: Scope): Promise<AuthSettings>;
  /** Replaces the groups that the input names. Throws VALIDATION_ERROR, CONFLICT `version_changed`. */
  update(scope: Scope, input: unknown): Promise<AuthSettings>;
  close(): void;
};

/** Sign-in settings of environments. */
export const authSettingsEngine = ({
  storage,
  tables,
  clock,
}: Pick<Platform<AuthSettingsTables>, 'storage' | 'tables' | 'clock'>): AuthSettingsEngine => {
  const { authSettings } = tables;
  const { db } = storage;
  const cache = sharedCache<InScope, AuthSettings>({
    ...{ storage, clock, topic: SETTINGS_CHANGED, nameOf: scopeKey },
    read: readByScope(storage, authSettingsStatements(tables).ofScope, ([row]) =>
      authSettingsOf(row?.settings ?? null),
    ),
  });
  const stored = async ({ scopeId }: InScope) =>
    (await db.select().from(authSettings).where(eq(authSettings.scopeId, scopeId)))[0];

  return {
    load: cache.get,
    get: async (scope) => authSettingsOf((await stored(scope))?.settings ?? null),
    update: async (scope, input) => {
      const parsed = authSettingsChange.safeParse(input);
      if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
      const row = await stored(scope);
      const settings = changeAuthSettings(row?.settings ?? null, parsed.data);
      const { scopeId } = scope;
      const next = { settings, updatedAt: clock.now() };
      return cache.change(async () => {
        const changed = row
          ? await db
              .update(authSettings)
              .set({ ...next, version: row.version + 1 })
              .where(and(eq(authSettings.scopeId, scopeId), eq(authSettings.version, row.version)))
              .returning({ version: authSettings.version })
          : await db
              .insert(authSettings)
              .values({ ...next, scopeId, version: 1 })
              .onConflictDoNothing()
              .returning({ version: authSettings.version });
        if (changed.length === 0) throw conflict('version_changed');
        return authSettingsOf(settings);
      });
    },
    close: cache.close,
  };
};
