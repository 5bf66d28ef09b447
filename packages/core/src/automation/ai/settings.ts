// An org's own model provider: written by the operator; the key is encrypted and never returned.

import type { Storage } from '../../database/storage.ts';
import { notFound, validationError } from '../../foundation/errors.ts';
import { type UrlRules, urlProblem } from '../../foundation/net/urls.ts';
import { parse } from '../../foundation/parse.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedRows } from '../../platform/tenancy/sealed-rows.ts';
import type { AiSettings } from './answers.generated.ts';
import type { AiApi } from './api.ts';
import { aiSettingsBody, BASE_URLS } from './schema.ts';
import { type AiSettingsRow, aiStore } from './store.ts';
import type { AiTables } from './tables.ts';
import { type AiUsageCount, TOKENS_PER_DAY } from './usage.ts';

/** Last characters of a key that are shown; none of a short key. */
const SHOWN = 4;
const MIN_LENGTH_SHOWN = 12;

/** Encryption context of an org's key. */
export const aiPlaceOf = (orgId: string): SecretPlace => ({
  orgId,
  projectId: '',
  environment: '',
  table: 'ai_settings',
  column: 'sealed',
  rowId: orgId,
});

export type SettingsRules = {
  readonly usage: Pick<AiUsageCount, 'today'>;
  /** Which base URLs may be saved. */
  readonly urls: UrlRules;
  isOrg(orgId: string): Promise<boolean>;
};

export const aiSettings = (
  {
    storage,
    tables,
    clock,
    ids,
    keyring,
  }: Pick<Platform<AiTables>, 'storage' | 'tables' | 'clock' | 'ids' | 'keyring'>,
  { usage, urls, isOrg }: SettingsRules,
): AiApi => {
  const store = aiStore({ db: storage.db, tables });

  const stateOf = async (orgId: string, row: AiSettingsRow | undefined): Promise<AiSettings> => ({
    configured: row !== undefined,
    wire: row?.wire ?? null,
    baseUrl: row?.baseUrl ?? null,
    lastFour: row?.lastFour ?? null,
    models: row?.models ?? {},
    prices: row?.prices ?? {},
    keyRejectedAt: row?.faultyAt ?? null,
    keyErrorCode: row?.faultyCode ?? null,
    updatedAt: row?.updatedAt ?? null,
    sharedTokens: { today: await usage.today(orgId), perDay: TOKENS_PER_DAY },
  });
  const requireOrg = async (orgId: string): Promise<void> => {
    if (!(await isOrg(orgId))) throw notFound('org with this id');
  };

  return {
    get: async (orgId) => {
      await requireOrg(orgId);
      return stateOf(orgId, (await store.settingsOf([orgId]))[0]);
    },
    update: async (orgId, body) => {
      await requireOrg(orgId);
      const { wire, key, models, prices, ...given } = parse(aiSettingsBody, body);
      const { baseUrl = BASE_URLS[wire] } = given;
      const problem = urlProblem(new URL(baseUrl), urls);
      if (problem !== null) throw validationError({ baseUrl: [problem] });
      const row: AiSettingsRow = {
        orgId,
        wire,
        baseUrl,
        sealed: key === null ? null : await keyring.seal(aiPlaceOf(orgId), key),
        lastFour: key !== null && key.length >= MIN_LENGTH_SHOWN ? key.slice(-SHOWN) : null,
        models,
        prices,
        faultyAt: null,
        faultyCode: null,
        version: ids.next(),
        updatedAt: clock.now(),
      };
      await store.put(row);
      return stateOf(orgId, row);
    },
    delete: async (orgId) => {
      await requireOrg(orgId);
      await store.remove(orgId);
      return stateOf(orgId, undefined);
    },
  };
};

export type ProviderContext = {
  /** True if the deployment has a provider. */
  readonly hasShared: boolean;
  /** Whether an org's plan includes the deployment's provider. */
  mayShare(orgId: string): Promise<boolean>;
  readonly settings: Pick<AiApi, 'get'>;
};

/** Whether an org can use a provider, the deployment's or its own. Throws NOT_FOUND. */
export const hasProvider = async (
  { hasShared, mayShare, settings }: ProviderContext,
  orgId: string,
): Promise<boolean> => (hasShared && (await mayShare(orgId))) || (await settings.get(orgId)).configured;

/** The keys of orgs, for a rotation of the master key. */
export const sealedAiKeys = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: AiTables;
}): SealedValues => {
  const store = aiStore({ db: storage.db, tables });
  return sealedRows({
    count: store.countSealed,
    read: (after: { readonly orgId: string } | null, limit) => store.sealedOfAll(after?.orgId ?? '', limit),
    valuesOf: (rows) =>
      rows.flatMap(({ orgId, sealed }) =>
        sealed === null
          ? []
          : [{ place: aiPlaceOf(orgId), sealed, replace: (next) => store.reseal(orgId, sealed, next) }],
      ),
  });
};
