import { conflict, fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import { type AuthSettings, authSettingsChange, authSettingsOf, changeAuthSettings } from './schema.ts';
import { authSettingsStatements } from './statements.ts';
import { authSettingsStore } from './store.ts';
import { requireStorable } from './stored-text.ts';
import type { AuthSettingsTables } from './tables.ts';

export type AuthSettingsPlatform = Platform<AuthSettingsTables>;

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
export const authSettingsEngine = ({ storage, tables, clock }: AuthSettingsPlatform): AuthSettingsEngine => {
  const store = authSettingsStore({ db: storage.db, tables });
  const cache = sharedCache<InScope, AuthSettings>({
    ...{ storage, clock, topic: SETTINGS_CHANGED, nameOf: scopeKey },
    read: readByScope(storage, authSettingsStatements(tables).ofScope, ([row]) =>
      authSettingsOf(row?.settings ?? null),
    ),
  });

  return {
    load: cache.get,
    get: async (scope) => authSettingsOf((await store.of(scope))?.settings ?? null),
    update: async (scope, input) => {
      const parsed = authSettingsChange.safeParse(input);
      if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
      requireStorable(parsed.data);
      const row = await store.of(scope);
      const settings = changeAuthSettings(row?.settings ?? null, parsed.data);
      const next = { scopeId: scope.scopeId, settings, updatedAt: clock.now() };
      return cache.change(async () => {
        if (!(await store.save(next, row?.version ?? null))) throw conflict('version_changed');
        return authSettingsOf(settings);
      });
    },
    close: cache.close,
  };
};
