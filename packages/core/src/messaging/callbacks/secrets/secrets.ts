// Secrets that verify a provider's requests. Written by projects, encrypted at rest, and never read back, only shown as
// present.

import { z } from 'zod';
import { isUnavailable } from '../../../database/errors.ts';
import type { Storage } from '../../../database/storage.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { fieldErrorsOf, validationError } from '../../../foundation/errors.ts';
import type { Log } from '../../../foundation/log.ts';
import { type Scope, type ScopeDirectory, scopeOf } from '../../../foundation/scope.ts';
import type { Keyring, SecretPlace } from '../../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../../platform/tenancy/sealed-rows.ts';
import type { CallbackState } from '../answers.generated.ts';
import type { CallbackTables } from '../tables.ts';
import type { CallbackUrl } from '../urls.ts';
import { type CallbackSecretKey, callbackSecretStore } from './store.ts';

/** The callback settings of a provider. */
export type CallbackDefinition = {
  readonly channel: Channel;
  readonly provider: string;
  /** Schema of the settings. */
  readonly schema: z.ZodType;
  /** Takes the schema's output. */
  secretsOf(settings: unknown): readonly string[];
};

/** A parsed change: null settings are removed. */
export type CallbackChanges = readonly { readonly provider: string; readonly settings: string | null }[];

export type CallbackSettings = {
  /** False for a channel without callback settings. */
  has(channel: Channel): boolean;
  states(scope: Scope, channel: Channel): Promise<Readonly<Record<string, CallbackState>>>;
  /** Throws VALIDATION_ERROR with each field. */
  parse(channel: Channel, body: unknown): CallbackChanges;
  put(scope: Scope, channel: Channel, changes: CallbackChanges): Promise<void>;
};

const placeOf = ({ orgId, projectId, environment }: Scope, { channel, provider }: CallbackSecretKey): SecretPlace => ({
  orgId,
  projectId,
  environment,
  table: 'callback_secrets',
  column: 'sealed',
  rowId: `${channel}/${provider}`,
});

/** Dependencies of this file. `module.ts` builds it once. */
export type CallbackSecretsContext = {
  readonly storage: Storage;
  readonly tables: CallbackTables;
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, 'seal' | 'openText'>;
  readonly definitions: readonly CallbackDefinition[];
  /** The URL to configure at a provider; null: no public URL. */
  readonly urlOf: CallbackUrl;
  readonly log: Pick<Log, 'error'>;
};

/** Functions for other modules. */
export type CallbackSecrets = {
  readonly settings: CallbackSettings;
  /** Secrets for requests of a provider; empty without settings, or if they cannot be decrypted. */
  secretsOf(scope: Scope, channel: Channel, provider: string): Promise<readonly string[]>;
};

export const callbackSecrets = (context: CallbackSecretsContext): CallbackSecrets => {
  const { storage, tables, clock, keyring, definitions, urlOf, log } = context;
  const store = callbackSecretStore({ db: storage.db, tables });
  const ofChannel = (channel: Channel) => definitions.filter((one) => one.channel === channel);

  const settings: CallbackSettings = {
    has: (channel) => ofChannel(channel).length > 0,
    states: async (scope, channel) => {
      const rows = new Map((await store.ofChannel(scope, channel)).map((row) => [row.provider, row]));
      return Object.fromEntries(
        ofChannel(channel).map(({ provider }) => {
          const updatedAt = rows.get(provider)?.updatedAt ?? null;
          return [provider, { configured: updatedAt !== null, updatedAt, url: urlOf(scope, channel, provider) }];
        }),
      );
    },
    parse: (channel, body) => {
      const own = ofChannel(channel);
      // Null removes all, as everywhere in settings.
      if (body === null) return own.map(({ provider }) => ({ provider, settings: null }));
      const shape = Object.fromEntries(own.map(({ provider, schema }) => [provider, schema.nullable().optional()]));
      const parsed = z.strictObject(shape).safeParse(body);
      if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error, 'callbacks'));
      return Object.entries(parsed.data).flatMap(([provider, value]) =>
        value === undefined ? [] : [{ provider, settings: value === null ? null : JSON.stringify(value) }],
      );
    },
    put: async (scope, channel, changes) => {
      const updatedAt = clock.now();
      const rows = await Promise.all(
        changes.map(async ({ provider, settings: json }) => {
          const key = { ...scopeOf(scope), channel, provider };
          return { key, sealed: json === null ? null : await keyring.seal(placeOf(scope, key), json) };
        }),
      );
      await storage.transaction(async (db) => {
        const inside = callbackSecretStore({ db, tables });
        for (const { key, sealed } of rows)
          await (sealed === null ? inside.remove(key) : inside.put(key, { sealed, updatedAt }));
      });
    },
  };

  return {
    settings,
    secretsOf: async (scope, channel, provider) => {
      const definition = ofChannel(channel).find((one) => one.provider === provider);
      const key = { ...scopeOf(scope), channel, provider };
      const row = definition && (await store.get(key));
      if (!definition || !row) return [];
      try {
        return definition.secretsOf(JSON.parse(await keyring.openText(placeOf(scope, key), row.sealed)));
      } catch (error) {
        if (isUnavailable(error)) throw error;
        log.error({ scopeId: scope.scopeId, channel, provider, error }, 'callback secrets cannot be decrypted');
        return [];
      }
    },
  };
};

/** The encrypted values of this file, for rotation of the master key. */
export const sealedCallbackSecrets = ({
  storage,
  tables,
  scopes,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: CallbackTables;
  readonly scopes: ScopeDirectory;
}): SealedValues => {
  const store = callbackSecretStore({ db: storage.db, tables });
  return sealedInScopes({
    scopes,
    count: store.countOfAll,
    read: store.ofAll,
    valuesOf: (row, scope) => [
      { place: placeOf(scope, row), sealed: row.sealed, replace: (next) => store.reseal(row, row.sealed, next) },
    ],
  });
};
