// Credentials of providers: projects write them, they are sealed at rest, reads return only their state, and they are
// opened once per version for a live transport.

import { isUnavailable } from '../../database/errors.ts';
import type { Storage } from '../../database/storage.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import { providerNotConfigured, validationError } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeOf } from '../../foundation/scope.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import type { MessageOf, SendOutcome } from '../transports/port.ts';
import type { DkimKey } from '../transports/smtp/dkim.ts';
import type { ProviderState, ProviderTest } from './answers.generated.ts';
import type { ProviderOf, ProviderStates } from './api.ts';
import { configured } from './configured.ts';
import type { ChannelKey, Credential, CredentialSource, OpenCircuit } from './connections.ts';
import type { Inbound, OpenSettings, OpenTransport, ProviderDefinition, ProviderDefinitions } from './definitions.ts';
import { PROVIDERS, type ProviderName } from './names.ts';
import { parseSettings } from './schema.ts';
import { placeOf } from './sealed.ts';
import { sealedProviderToken } from './shared-token.ts';
import { credentialStatements } from './statements.ts';
import { type CredentialKey, type CredentialRow, credentialStore } from './store.ts';
import type { CredentialTables } from './tables.ts';

/** Shared context of this module's functions. `module.ts` builds it once. */
export type CredentialsContext = {
  readonly storage: Storage;
  readonly tables: CredentialTables;
  readonly clock: Clock;
  /** The org's keyring: a value opens only in the row that it was sealed for. */
  readonly keyring: Pick<Keyring, 'seal' | 'openText'>;
  readonly definitions: ProviderDefinitions;
  readonly scopes: ScopeDirectory;
  readonly log: Pick<Log, 'error'>;
  /** The DKIM key of a sender's address; default none. */
  readonly dkimOf?: ((scope: InScope, address: string) => Promise<DkimKey | null>) | undefined;
};

type Change = { readonly provider: ProviderName; readonly settings: OpenSettings | null };

/** Reads and changes the credentials of providers. */
export type ProviderSettings = {
  get<C extends Channel>(scope: Scope, channel: C): Promise<ProviderStates<C>>;
  /** Throws VALIDATION_ERROR, also for an unknown provider. */
  put<C extends Channel>(scope: Scope, channel: C, body: unknown): Promise<ProviderStates<C>>;
  /** Promises: SettingsApi. */
  readonly test: (scope: Scope, channel: Channel) => Promise<{ readonly results: readonly ProviderTest[] }>;
};

export type Credentials = {
  readonly settings: ProviderSettings;
  readonly source: CredentialSource & { circuits(key: ChannelKey): Promise<readonly OpenCircuit[]> };
  /** The key that browsers of a scope subscribe with; null if Web Push is not configured. */
  vapidPublicKey(scope: InScope): Promise<string | null>;
  /** How callbacks of an SMS provider are verified, and their senders; null if it is not configured. */
  inbound(scope: InScope, provider: ProviderOf<'sms'>): Promise<Inbound | null>;
  /** Registers a listener for changes that this process makes to the credentials of a channel. */
  onChange(listener: (scope: InScope, channel: Channel) => void): void;
  close(): void;
};

const UNREADABLE: SendOutcome = {
  result: 'credential',
  code: 'credential_unreadable',
  message: 'The stored credentials cannot be decrypted. Check the master key.',
};

const refusing = <M>(name: string): OpenTransport<M> => ({
  name,
  maxInFlight: 1,
  send: async () => UNREADABLE,
  close: async () => undefined,
});

/** True if the provider's transports take messages of that channel. */
const isOf = <C extends Channel>(definition: ProviderDefinition, channel: C): definition is ProviderDefinition<C> =>
  definition.channel === channel;

export const credentialsEngine = (context: CredentialsContext): Credentials => {
  const { storage, tables, clock, keyring, definitions, scopes, log } = context;
  const scopeAt = async ({ scopeId }: InScope): Promise<Scope> => (await scopes.load([scopeId]))(scopeId);
  const store = credentialStore({ db: storage.db, tables });
  const known = configured({ storage, hot: credentialStatements(tables), clock });
  const listeners: ((scope: InScope, channel: Channel) => void)[] = [];
  const definitionOf = <C extends Channel>(channel: C, provider: ProviderName): ProviderDefinition<C> => {
    const definition: ProviderDefinition = definitions[provider];
    if (!isOf(definition, channel)) throw new TypeError(`${provider} is no provider of ${channel}`);
    return definition;
  };

  const stateOf = (provider: ProviderName, row: CredentialRow | undefined): ProviderState => ({
    provider,
    configured: row !== undefined,
    lastFour: row?.lastFour ?? null,
    verifiedAt: row?.provenAt ?? null,
    updatedAt: row?.updatedAt ?? null,
    version: row?.version ?? null,
  });

  const read: ProviderSettings['get'] = async <C extends Channel>(scope: Scope, channel: C) => {
    const rows = await store.ofChannel(scope, channel);
    const states = Object.fromEntries(
      PROVIDERS[channel].map((provider) => [
        provider,
        stateOf(
          provider,
          rows.find((row) => row.provider === provider),
        ),
      ]),
    );
    // Safe: one state under the name of each of the channel's providers.
    return states as ProviderStates<C>;
  };

  /** The changes in a body; settings of null remove a provider. */
  const checked = (channel: Channel, body: unknown): Change[] => {
    const change = parseSettings(channel, body);
    const changes = PROVIDERS[channel].flatMap((provider): Change[] => {
      const input = change[provider];
      if (input === undefined) return [];
      return [{ provider, settings: input === null ? null : definitionOf(channel, provider).read(input) }];
    });
    const problems = changes.flatMap(({ provider, settings }) =>
      (settings?.problems() ?? []).map(({ field, message }) => [`${provider}.${field}`, [message]] as const),
    );
    if (problems.length > 0) throw validationError(Object.fromEntries(problems));
    return changes;
  };

  const write = async (scope: Scope, channel: Channel, changes: readonly Change[]): Promise<void> => {
    const updatedAt = clock.now();
    const rows = await Promise.all(
      changes.map(async ({ provider, settings }) => {
        const key = { ...scopeOf(scope), channel, provider };
        const sealed = settings === null ? null : await keyring.seal(placeOf(scope, key, 'sealed'), settings.json);
        return { key, sealed, lastFour: settings?.lastFour ?? null };
      }),
    );
    await known.change(() =>
      storage.transaction(async (db) => {
        const inside = credentialStore({ db, tables });
        for (const { key, sealed, lastFour } of rows) {
          if (sealed === null) await inside.remove(key, updatedAt);
          else await inside.put(key, { sealed, lastFour, updatedAt });
        }
      }),
    );
    for (const listener of listeners) listener(scope, channel);
  };

  type Opened<C extends Channel> = { readonly settings: OpenSettings<C>; readonly version: number };

  /** The opened settings, parsed by their schema; null if unreadable. Throws database errors. */
  const opened = async <C extends Channel>(key: CredentialKey, channel: C): Promise<Opened<C> | null> => {
    const row = await store.get(key);
    if (!row?.sealed) return null;
    try {
      const text = await keyring.openText(placeOf(await scopeAt(key), key, 'sealed'), row.sealed);
      return { settings: definitionOf(channel, key.provider).read(JSON.parse(text)), version: row.version };
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error(
        { scopeId: key.scopeId, channel: key.channel, provider: key.provider, error },
        'credentials are unreadable',
      );
      return null;
    }
  };

  const transportOf = async <C extends Channel>(key: CredentialKey, channel: C) => {
    const found = await opened(key, channel);
    if (!found) return { transport: refusing<MessageOf[C]>(key.provider), sender: null, inbound: null, version: 0 };
    const { settings, version } = found;
    const place = placeOf(await scopeAt(key), key, 'sharedToken');
    const sharedToken = sealedProviderToken({ store, secrets: keyring, key, version, place });
    const { sender, inbound } = settings;
    const dkimOf = (address: string) => context.dkimOf?.(key, address) ?? Promise.resolve(null);
    return { transport: await settings.make({ sharedToken, dkimOf }), sender, inbound, version };
  };

  const keyOf = (key: ChannelKey, { provider }: Pick<Credential, 'provider'>): CredentialKey => ({
    ...scopeOf(key),
    channel: key.channel,
    provider,
  });

  const probe = async (key: CredentialKey): Promise<ProviderTest> => {
    const { transport, version } = await transportOf(key, key.channel);
    try {
      const answer = version === 0 ? UNREADABLE : await transport.probe?.();
      const isProven = answer?.result === 'accepted';
      if (isProven) await store.prove(key, version, clock.now());
      const refusal = answer === undefined || answer.result === 'accepted' ? null : answer;
      return {
        provider: key.provider,
        ok: answer === undefined ? null : isProven,
        code: refusal?.code ?? null,
        message: refusal?.message ?? null,
      };
    } finally {
      await transport.close();
    }
  };

  return {
    settings: {
      get: read,
      put: async (scope, channel, body) => {
        await write(scope, channel, checked(channel, body));
        return read(scope, channel);
      },
      test: async (scope, channel) => {
        if (scope.environment === 'test')
          return { results: [{ provider: 'sandbox', ok: true, code: null, message: null }] };
        const rows = await store.ofChannel(scope, channel);
        const names = PROVIDERS[channel].filter((name) => rows.some(({ provider }) => provider === name));
        if (names.length === 0)
          throw providerNotConfigured({ channel, provider: channel, missing: [...PROVIDERS[channel]] });
        const keys = names.map((provider) => ({ ...scopeOf(scope), channel, provider }));
        return { results: await Promise.all(keys.map(probe)) };
      },
    },
    source: {
      load: known.load,
      open: async <C extends Channel>(key: ChannelKey & { readonly channel: C }, credential: Credential) => {
        const channel: C = key.channel;
        const { transport, sender, inbound } = await transportOf(keyOf(key, credential), channel);
        return { transport, sender, inbound, limitMs: definitions[credential.provider].limitMs };
      },
      noteCircuit: (key, credential, { until, code }) =>
        store.setCircuit(keyOf(key, credential), credential.version, until, code),
      noteProven: (key, credential) => store.prove(keyOf(key, credential), credential.version, clock.now()),
      required: (provider) => definitions[provider].required,
      circuits: async (key) =>
        (await store.ofChannel(key, key.channel)).flatMap(({ provider, circuitUntil, circuitCode }) =>
          circuitUntil === null ? [] : [{ provider, until: circuitUntil, code: circuitCode ?? 'unknown' }],
        ),
    },
    vapidPublicKey: async (scope) => {
      const found = await opened({ ...scopeOf(scope), channel: 'push', provider: 'webpush' }, 'push');
      return found?.settings.publicKey ?? null;
    },
    inbound: async (scope, provider) => {
      const found = await opened({ ...scopeOf(scope), channel: 'sms', provider }, 'sms');
      return found?.settings.inbound ?? null;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
    close: known.close,
  };
};
