// Credentials of providers: written by projects, sealed at rest, read back only as what they are called, and opened for
// one live transport per version.

import type { Channel, Log, ProviderTest, SettingsApi } from '../api.ts';
import { providerNotConfigured, validationError } from '../errors.ts';
import type { Clock } from '../primitives/clock.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeOf } from '../primitives/scope.ts';
import { isUnavailable } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { Keyring } from '../tenancy/keyring.ts';
import type { SharedProviderToken } from '../transports/apns/token.ts';
import type { SendOutcome, Transport } from '../transports/port.ts';
import { CREDENTIALS_CHANGED, configured } from './configured.ts';
import type { ChannelKey, Credential, CredentialSource, OpenCircuit, Opened } from './connections.ts';
import type { ProviderDefinition, ProviderDefinitions } from './definitions.ts';
import { credentialHot } from './hot.ts';
import { PROVIDERS, type ProviderName } from './names.ts';
import { parseSettings, providerSettings, type SettingsChange } from './schema.ts';
import { sealedProviderToken } from './shared-token.ts';
import { type CredentialKey, type CredentialRow, credentialStore } from './store.ts';
import type { CredentialTables } from './tables.ts';

export type CredentialDeps = {
  readonly storage: Storage;
  readonly tables: CredentialTables;
  readonly clock: Clock;
  /** The org's keyring: a value opens only in the row that it was sealed for. */
  readonly secrets: Pick<Keyring, 'seal' | 'openText'>;
  readonly definitions: ProviderDefinitions;
  readonly scopes: ScopeDirectory;
  readonly log: Pick<Log, 'error'>;
};

export type Credentials = {
  readonly settings: SettingsApi;
  readonly source: CredentialSource & { circuits(key: ChannelKey): Promise<readonly OpenCircuit[]> };
  /** The key that browsers of a scope subscribe with; null where Web Push is not configured. */
  vapidPublicKey(scope: InScope): Promise<string | null>;
  /** What has to happen when credentials of a channel changed in this process. */
  onChange(listener: (scope: InScope, channel: Channel) => void): void;
  close(): void;
};

/** A kind of any provider: what is opened for a provider's name was checked by that provider's own schema. */
type AnyDefinition = Omit<ProviderDefinition<never>, 'make'> & {
  make(settings: never, sharedToken: SharedProviderToken): Promise<AnyTransport>;
};
type AnyTransport = Transport<never, never>;

const placeOf = ({ orgId, projectId, environment }: Scope, key: CredentialKey, column: 'sealed' | 'sharedToken') => ({
  orgId,
  projectId,
  environment,
  table: 'credentials',
  column,
  rowId: `${key.channel}/${key.provider}`,
});

const UNREADABLE: SendOutcome = {
  result: 'credential',
  code: 'credential_unreadable',
  message: 'The stored credentials cannot be opened.',
};

const refusing = (name: string): AnyTransport => ({
  name,
  maxInFlight: 1,
  check: () => [],
  send: async () => UNREADABLE,
  close: async () => undefined,
});

export const credentialsEngine = (deps: CredentialDeps): Credentials => {
  const { storage, tables, clock, secrets, definitions, scopes, log } = deps;
  const scopeAt = async ({ scopeId }: InScope): Promise<Scope> => (await scopes.load([scopeId]))(scopeId);
  const store = credentialStore({ db: storage.db, tables });
  const known = configured({ storage, hot: credentialHot(tables), clock });
  const listeners: ((scope: InScope, channel: Channel) => void)[] = [];
  // Safe: only settings that the provider's own schema made are ever given to it.
  const definitionOf = (provider: ProviderName): AnyDefinition => definitions[provider] as unknown as AnyDefinition;

  const stateOf = (provider: ProviderName, row: CredentialRow | undefined) => ({
    provider,
    configured: row !== undefined,
    lastFour: row?.lastFour ?? null,
    provenAt: row?.provenAt ?? null,
    updatedAt: row?.updatedAt ?? null,
    version: row?.version ?? null,
  });

  const read: SettingsApi['get'] = async (scope, channel) => {
    const rows = await store.ofChannel(scope, channel);
    return Object.fromEntries(
      PROVIDERS[channel].map((provider) => [
        provider,
        stateOf(
          provider,
          rows.find((row) => row.provider === provider),
        ),
      ]),
    );
  };

  const checked = (channel: Channel, body: unknown): SettingsChange => {
    const change = parseSettings(channel, body);
    const problems = Object.entries(change).flatMap(([name, settings]) => {
      const provider = PROVIDERS[channel].find((one) => one === name);
      if (provider === undefined || settings === null || settings === undefined) return [];
      // Safe: `parseSettings` made these by the schema of this provider.
      return definitionOf(provider)
        .check(settings as never)
        .map(({ field, message }) => [`${name}.${field}`, [message]] as const);
    });
    if (problems.length > 0) throw validationError(Object.fromEntries(problems));
    return change;
  };

  const write = async (scope: Scope, channel: Channel, change: SettingsChange): Promise<void> => {
    const updatedAt = clock.now();
    const rows = await Promise.all(
      PROVIDERS[channel].flatMap((provider) => {
        const settings = change[provider];
        if (settings === undefined) return [];
        const key = { ...scopeOf(scope), channel, provider };
        return [
          (async () => ({
            key,
            sealed:
              settings === null ? null : await secrets.seal(placeOf(scope, key, 'sealed'), JSON.stringify(settings)),
            // Safe: as above.
            lastFour: settings === null ? null : definitionOf(provider).lastFour(settings as never),
          }))(),
        ];
      }),
    );
    try {
      await storage.transaction(async (db) => {
        const inside = credentialStore({ db, tables });
        for (const { key, sealed, lastFour } of rows) {
          if (sealed === null) await inside.remove(key, updatedAt);
          else await inside.put(key, { sealed, lastFour, updatedAt });
        }
      });
    } finally {
      // Also when it failed: a commit whose answer was lost may have happened.
      known.forget();
    }
    storage.wake.signal([CREDENTIALS_CHANGED]);
    for (const listener of listeners) listener(scope, channel);
  };

  /** What was sealed, read by its schema; null where it cannot be. Throws what the database throws. */
  const opened = async (key: CredentialKey): Promise<{ settings: unknown; version: number } | null> => {
    const row = await store.get(key);
    if (!row?.sealed) return null;
    try {
      const text = await secrets.openText(placeOf(await scopeAt(key), key, 'sealed'), row.sealed);
      return { settings: providerSettings[key.provider].parse(JSON.parse(text)), version: row.version };
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error(
        { scopeId: key.scopeId, channel: key.channel, provider: key.provider, error },
        'credentials are unreadable',
      );
      return null;
    }
  };

  const transportOf = async (key: CredentialKey) => {
    const found = await opened(key);
    const kind = definitionOf(key.provider);
    // Safe: what refuses everything never looks at its settings.
    if (!found) return { transport: refusing(key.provider), sender: null, kind, settings: null as never, version: 0 };
    const sharedToken = sealedProviderToken({
      store,
      secrets,
      key,
      version: found.version,
      place: placeOf(await scopeAt(key), key, 'sharedToken'),
    });
    // Safe: `opened` read them by the schema of this provider.
    const settings = found.settings as never;
    const transport = await kind.make(settings, sharedToken);
    return { transport, sender: kind.sender(settings), kind, settings, version: found.version };
  };

  const keyOf = (key: ChannelKey, { provider }: Pick<Credential, 'provider'>): CredentialKey => ({
    ...scopeOf(key),
    channel: key.channel,
    provider,
  });

  const probe = async (key: CredentialKey): Promise<ProviderTest> => {
    const { transport, settings, version } = await transportOf(key);
    try {
      const answer = version === 0 ? UNREADABLE : await transport.probe?.(settings);
      const isProven = answer?.result === 'accepted';
      if (isProven) await store.prove(key, version, clock.now());
      const told = answer === undefined || answer.result === 'accepted' ? null : answer;
      return {
        provider: key.provider,
        ok: answer === undefined ? null : isProven,
        code: told?.code ?? null,
        message: told?.message ?? null,
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
        const { transport, sender, kind } = await transportOf(keyOf(key, credential));
        // Safe: the provider is one of this channel's, so its transport takes this channel's messages.
        return { transport, sender, limitMs: kind.limitMs } as unknown as Opened<C>;
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
      const found = await opened({ ...scopeOf(scope), channel: 'push', provider: 'webpush' });
      const settings = found && providerSettings.webpush.safeParse(found.settings);
      return settings?.success ? settings.data.publicKey : null;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
    close: known.close,
  };
};
