import { conflict, fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../platform/tenancy/sealed-rows.ts';
import {
  type AuthSettings,
  type AuthSettingsChange,
  authSettingsChange,
  authSettingsOf,
  changeAuthSettings,
} from './schema.ts';
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
  /** The secret of the captcha; null: none is stored. Throws errors of the database and of the keyring. */
  captchaSecret(scope: Scope): Promise<string | null>;
  readonly sealedValues: SealedValues;
  close(): void;
};

type Cached = { readonly settings: AuthSettings; readonly captchaSealed: string | null };

/** The row and column of a sealed captcha secret. */
const placeOf = ({ orgId, projectId, environment }: Scope): SecretPlace => ({
  ...{ orgId, projectId, environment, table: 'auth_settings', column: 'captcha_sealed', rowId: 'captcha' },
});

/** Sign-in settings of environments. */
export const authSettingsEngine = ({
  storage,
  tables,
  clock,
  keyring,
  scopes,
}: AuthSettingsPlatform): AuthSettingsEngine => {
  const store = authSettingsStore({ db: storage.db, tables });
  const cache = sharedCache<InScope, Cached>({
    ...{ storage, clock, topic: SETTINGS_CHANGED, nameOf: scopeKey },
    read: readByScope(storage, authSettingsStatements(tables).ofScope, ([row]) => ({
      settings: authSettingsOf(row?.settings ?? null),
      captchaSealed: row?.captchaSealed ?? null,
    })),
  });

  /** The secret of a changed captcha as it is stored; undefined: it is kept. Throws VALIDATION_ERROR if there is none. */
  const sealedOf = async (
    scope: Scope,
    captcha: AuthSettingsChange['captcha'],
    stored: Cached,
  ): Promise<string | null | undefined> => {
    if (captcha === undefined) return undefined;
    if (captcha === null || captcha.type === 'none') return null;
    if (captcha.secret !== undefined) return keyring.seal(placeOf(scope), captcha.secret);
    // A secret belongs to one service.
    if (stored.captchaSealed !== null && stored.settings.captcha.type === captcha.type) return undefined;
    throw validationError({ 'captcha.secret': ['is required with a new captcha service'] });
  };

  return {
    load: async (scope) => (await cache.get(scope)).settings,
    get: async (scope) => authSettingsOf((await store.of(scope))?.settings ?? null),
    update: async (scope, input) => {
      const parsed = authSettingsChange.safeParse(input);
      if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
      requireStorable(parsed.data);
      const row = await store.of(scope);
      const settings = changeAuthSettings(row?.settings ?? null, parsed.data);
      const captchaSealed = await sealedOf(scope, parsed.data.captcha, {
        settings: authSettingsOf(row?.settings ?? null),
        captchaSealed: row?.captchaSealed ?? null,
      });
      const next = {
        ...{ scopeId: scope.scopeId, settings, updatedAt: clock.now() },
        ...(captchaSealed !== undefined && { captchaSealed }),
      };
      return cache.change(async () => {
        if (!(await store.save(next, row?.version ?? null))) throw conflict('version_changed');
        return authSettingsOf(settings);
      });
    },
    captchaSecret: async (scope) => {
      const { captchaSealed } = await cache.get(scope);
      return captchaSealed === null ? null : keyring.openText(placeOf(scope), captchaSealed);
    },
    sealedValues: sealedInScopes({
      scopes,
      count: store.countOfAll,
      read: store.pageOfAll,
      valuesOf: ({ scopeId, captchaSealed: sealed }: InScope & { readonly captchaSealed: string | null }, scope) =>
        sealed === null
          ? []
          : [{ place: placeOf(scope), sealed, replace: (next) => store.reseal({ scopeId }, sealed, next) }],
    }),
    close: cache.close,
  };
};
