// What projects set about callbacks: what a provider's requests are checked with. Written by projects, sealed at rest, and
// read back only as being there.

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

/** What a channel's providers take. */
export type CallbackDefinition = {
  readonly channel: Channel;
  readonly provider: string;
  /** What is set, as its own schema reads it. */
  readonly schema: z.ZodType;
  /** Of what the schema made. */
  secretsOf(settings: unknown): readonly string[];
};

/** A change that was looked at: settings of null are to be removed. */
export type CallbackChanges = readonly { readonly provider: string; readonly settings: string | null }[];

export type CallbackSettings = {
  /** False for a channel of which nothing can be set. */
  has(channel: Channel): boolean;
  states(scope: Scope, channel: Channel): Promise<Readonly<Record<string, CallbackState>>>;
  /** Throws VALIDATION_ERROR that names each field. */
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

/** What the functions of this file use. `module.ts` builds it once. */
export type CallbackSecretsContext = {
  readonly storage: Storage;
  readonly tables: CallbackTables;
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, 'seal' | 'openText'>;
  readonly definitions: readonly CallbackDefinition[];
  /** What a project gives a provider; null: this service has no public URL. */
  readonly urlOf: CallbackUrl;
  readonly log: Pick<Log, 'error'>;
};

/** What other modules use of the secrets that callbacks are checked with. */
export type CallbackSecrets = {
  readonly settings: CallbackSettings;
  /** What requests of a provider are checked with; none where nothing is set, or it does not open. */
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
      // Null takes everything away, as it does everywhere in settings.
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
        log.error({ scopeId: scope.scopeId, channel, provider, error }, 'secrets of callbacks are unreadable');
        return [];
      }
    },
  };
};

/** The sealed values of this file, for a rotation. */
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
