import { LRUCache } from 'lru-cache';
import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import type { ErrorDetails } from '../../foundation/errors.ts';
import { type InScope, type ScopeDirectory, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { LiveTransport, Mailbox, MessageOf } from '../transports/port.ts';
import type { SandboxRequest } from '../transports/sandbox/request.ts';
import { SANDBOX_MAILS_IN_FLIGHT, sandboxTransport } from '../transports/sandbox/sandbox.ts';
import type { DeliveryHealth } from './answers.generated.ts';
import { type Circuit, type CircuitChange, circuit as newCircuit } from './circuit.ts';
import type { Inbound } from './definitions.ts';
import { isCandidate, PROVIDERS, type ProviderName, providerFor } from './names.ts';

/** Maximum number of live transports. Source: transports, Rules for every transport (9). */
const MAX_CONNECTIONS = 500;
/** Time limit of one call in milliseconds, by the wall clock. Source: transports, Rules for every transport (3). */
export const CALL_LIMIT_MS = 10_000;
/** Minimum interval between writes of `provenAt`, in milliseconds. Chosen: one hour. */
const PROVEN_EVERY_MS = 3_600_000;
/** Default sender of mail in `test`. The domain can never exist. Source: RFC 2606, 2. */
const SANDBOX_FROM: Mailbox = { email: 'sender@sandbox.invalid', name: null };

/** One channel of one scope. */
export type ChannelKey = InScope & { readonly channel: Channel };

/** An open circuit, as any process last stored it. */
export type OpenCircuit = DeliveryHealth['openCircuits'][number];

/** Configured credentials: provider and version, without the secret. */
export type Credential = { readonly provider: ProviderName; readonly version: number };

/** What sending needs from the store of credentials. */
export type CredentialSource = {
  /**
   * Loads the configured credentials in order of preference, at most 10 s old. Reads those that `isUrgent` names
   * afresh. One statement for all that have to be read.
   */
  load(
    keys: readonly ChannelKey[],
    isUrgent?: (key: ChannelKey) => boolean,
  ): Promise<(key: ChannelKey) => readonly Credential[]>;
  /**
   * Opens a transport with these credentials. Unreadable credentials throw nothing: their transport refuses every
   * message, as a provider would.
   */
  open<C extends Channel>(key: ChannelKey & { readonly channel: C }, credential: Credential): Promise<Opened<C>>;
  /** Stores the circuit state of a version for health. Does nothing once the version changed. */
  noteCircuit(key: ChannelKey, credential: Credential, change: CircuitChange): Promise<void>;
  /** Stores that the provider accepted a call with this version. */
  noteProven(key: ChannelKey, credential: Credential): Promise<void>;
  /** Names of the provider's required settings. */
  required(provider: ProviderName): readonly string[];
};

export type Opened<C extends Channel> = {
  readonly transport: LiveTransport<MessageOf[C]>;
  /** SMS: how callbacks of the provider are verified; absent if they cannot be read. */
  readonly inbound?: Inbound | null;
  /** Mail: the default sender; null: none. */
  readonly sender: Mailbox | null;
  readonly limitMs: number;
};

/** Sends messages of one channel of one scope; for push, of one platform. */
export type ProviderConnection<C extends Channel = Channel> = Omit<Opened<C>, 'sender'> & {
  readonly provider: ProviderName | 'sandbox';
  readonly defaultFrom: Mailbox;
  readonly circuit: Circuit;
  /** True once other credentials replaced these: messages that it refused may succeed with the new ones. */
  isRetired(): boolean;
  /** True if another provider of the channel can take a message that this one would refuse. */
  hasFallback(now: Date): boolean;
  /** Counts a message as under way until the returned function is called. The transport is not closed before. */
  enter(): () => void;
  /** Stores a change of the circuit, or that a message was accepted. Throws nothing. */
  note(change: CircuitChange | 'accepted'): void;
};

/** Messages of one channel and platform of one scope. */
export type ConnectionKey = ChannelKey & { readonly platform: Platform | undefined };

export type ConnectionOf = <C extends Channel>(
  keys: ConnectionKey & { readonly channel: C },
) => ProviderConnection<C> | null;

export type Missing = ErrorDetails['PROVIDER_NOT_CONFIGURED'];

/** What a channel of a scope lacks for these platforms (null: unknown); null if something can be sent. */
export type MissingOf = (key: ChannelKey, platforms: readonly Platform[] | null) => Missing | null;

export type ProviderConnections = {
  /** The connections for messages; null if the scope has no provider for them. */
  load(keys: readonly ConnectionKey[]): Promise<ConnectionOf>;
  /** Checks a send before anything is written. */
  missing(keys: readonly ChannelKey[]): Promise<MissingOf>;
  /** Retires the channel's transports whose credentials were replaced or removed. */
  refresh(key: ChannelKey): Promise<void>;
  /** Waits for calls under way. Idempotent. */
  close(): Promise<void>;
};

export type ConnectionOptions = {
  readonly clock: Clock;
  readonly scopes: ScopeDirectory;
  readonly credentials: CredentialSource;
  /** Where the sandbox of a scope records its messages. */
  readonly recorder: <C extends Channel>(
    key: ChannelKey & { readonly channel: C },
  ) => (message: MessageOf[C], request: SandboxRequest | null) => Promise<void>;
  readonly sandboxSlowMs?: number | undefined;
  readonly callLimitMs?: number | undefined;
  readonly onError: (error: unknown, key: ChannelKey) => void;
};

/** The problem of a channel without any provider. */
const noneOf = (channel: Channel): Missing => ({ channel, provider: channel, missing: PROVIDERS[channel] });

/** Pure part of `missing`. Push follows contract section 4; every other channel needs one provider. */
export const missingFor = (
  channel: Channel,
  configured: readonly ProviderName[],
  platforms: readonly Platform[] | null,
  required: (provider: ProviderName) => readonly string[],
): Missing | null => {
  const needed: readonly ProviderName[] =
    channel === 'push' ? (platforms ?? []).map((platform) => providerFor(channel, platform)) : PROVIDERS[channel];
  if (configured.length > 0 && (needed.length === 0 || needed.some((provider) => configured.includes(provider))))
    return null;
  const [first] = needed;
  return first === undefined ? noneOf(channel) : { channel, provider: first, missing: required(first) };
};

const connectionName = (key: ChannelKey, provider: string): string => `${scopeKey(key)}/${key.channel}/${provider}`;

/** Calls that still use a transport, and whether it closes after the last. */
type Usage = { users: number; isRetired: boolean; left?: () => void };

/** Circuits of the channel's other providers, from the last load; none for push. Read after each call. */
type Others = () => readonly Circuit[];
const NOBODY: readonly Circuit[] = [];

type Live = {
  readonly version: number;
  readonly circuit: Circuit;
  readonly connection: Promise<ProviderConnection>;
  retire(): void;
};

/** One live transport per version of credentials: the sandbox in `test`, the configured provider in `prod`. */
export const providerConnections = ({
  clock,
  scopes,
  credentials,
  recorder,
  sandboxSlowMs,
  callLimitMs = CALL_LIMIT_MS,
  onError,
}: ConnectionOptions): ProviderConnections => {
  const closing = new Set<Promise<void>>();
  const noting = new Set<Promise<void>>();
  const live = new LRUCache<string, Live>({ max: MAX_CONNECTIONS, dispose: ({ retire }) => retire() });

  /** Last known credentials of each channel. */
  const credentialsByChannel = new LRUCache<string, readonly Credential[]>({ max: MAX_CONNECTIONS });
  const untried = newCircuit();
  const circuitOf = (key: ChannelKey, provider: ProviderName): Circuit =>
    live.peek(connectionName(key, provider))?.circuit ?? untried;

  const note = (key: ChannelKey, write: () => Promise<void>): void => {
    const noted = write()
      .catch((error) => onError(error, key))
      .finally(() => noting.delete(noted));
    noting.add(noted);
  };

  const connectionOf = <C extends Channel>(
    key: ChannelKey & { readonly channel: C },
    { transport, sender, limitMs, inbound = null }: Opened<C>,
    credential: Credential | null,
    circuit: Circuit,
    leave: Usage,
    others: Others,
  ): ProviderConnection<C> => {
    let provenAtMs: number | null = null;
    return {
      transport,
      limitMs,
      inbound,
      provider: credential?.provider ?? 'sandbox',
      defaultFrom: sender ?? SANDBOX_FROM,
      circuit,
      isRetired: () => leave.isRetired,
      hasFallback: (now) => others().some((one) => one.refusedUntil(now) === null),
      enter: () => {
        leave.users += 1;
        return () => {
          leave.users -= 1;
          if (leave.users === 0) leave.left?.();
        };
      },
      note: (change) => {
        if (credential === null) return;
        if (change !== 'accepted') {
          note(key, () => credentials.noteCircuit(key, credential, change));
          return;
        }
        const nowMs = clock.now().getTime();
        if (provenAtMs !== null && nowMs - provenAtMs < PROVEN_EVERY_MS) return;
        provenAtMs = nowMs;
        note(key, () => credentials.noteProven(key, credential));
      },
    };
  };

  const start = <C extends Channel>(
    key: ChannelKey & { readonly channel: C },
    credential: Credential | null,
    opening: Promise<Opened<C>>,
  ): Live & { readonly connection: Promise<ProviderConnection<C>> } => {
    const leave: Usage = { users: 0, isRetired: false };
    const circuit = newCircuit();
    const channelName = connectionName(key, '');
    const others: Others = () =>
      key.channel === 'push'
        ? NOBODY
        : (credentialsByChannel.get(channelName) ?? []).flatMap(({ provider }) =>
            provider === credential?.provider ? [] : [circuitOf(key, provider)],
          );
    const connection = opening.then((opened) => connectionOf(key, opened, credential, circuit, leave, others));
    const shut = async (): Promise<void> => {
      const { transport } = await connection;
      if (leave.users > 0)
        await new Promise<void>((resolve) => {
          leave.left = resolve;
        });
      await transport.close();
    };
    const retire = (): void => {
      leave.isRetired = true;
      const closed = shut()
        .catch((error) => onError(error, key))
        .finally(() => closing.delete(closed));
      closing.add(closed);
    };
    return { version: credential?.version ?? 0, circuit, connection, retire };
  };

  const sandbox = <C extends Channel>(key: ChannelKey & { readonly channel: C }): Promise<Opened<C>> => {
    const slow = sandboxSlowMs === undefined ? {} : { slowMs: sandboxSlowMs };
    const most = key.channel === 'email' ? { maxInFlight: SANDBOX_MAILS_IN_FLIGHT } : {};
    const transport = sandboxTransport<MessageOf[C]>({ record: recorder(key), ...slow, ...most });
    return Promise.resolve({ transport, sender: SANDBOX_FROM, limitMs: callLimitMs });
  };

  const open = <C extends Channel>(
    key: ChannelKey & { readonly channel: C },
    credential: Credential | null,
  ): Promise<ProviderConnection<C>> => {
    const name = connectionName(key, credential?.provider ?? 'sandbox');
    const cachedCredentials = live.get(name);
    // An older version comes from a read before the change. Safe: the name holds the channel, and only `start` below
    // creates entries, for that channel.
    if (cachedCredentials && cachedCredentials.version >= (credential?.version ?? 0))
      return cachedCredentials.connection as Promise<ProviderConnection<C>>;
    const made = start(key, credential, credential === null ? sandbox(key) : credentials.open(key, credential));
    live.set(name, made);
    made.connection.catch(() => {
      if (live.peek(name) === made) live.delete(name);
    });
    return made.connection;
  };

  /** Messages of this channel would wait for long, so a fresh read of the credentials is worth its cost. */
  const isRefused = (key: ChannelKey): boolean => {
    const now = clock.now();
    const refuses = ({ provider }: Credential): boolean => circuitOf(key, provider).refusedUntil(now) !== null;
    const cachedCredentials = credentialsByChannel.get(connectionName(key, '')) ?? [];
    return key.channel === 'push'
      ? cachedCredentials.some(refuses)
      : cachedCredentials.length > 0 && cachedCredentials.every(refuses);
  };

  /** The configured credentials in `prod`; null in `test`, which uses the sandbox. */
  const configuredOf = async (
    keys: readonly ChannelKey[],
  ): Promise<(key: ChannelKey) => readonly Credential[] | null> => {
    const scopeAt = await scopes.load(keys.map(scopeKey));
    const isProd = ({ scopeId }: InScope): boolean => scopeAt(scopeId).environment === 'prod';
    const prod = new Map(keys.filter(isProd).map((key) => [connectionName(key, ''), key]));
    const configured = prod.size === 0 ? () => [] : await credentials.load([...prod.values()], isRefused);
    return (key) => (isProd(key) ? configured(key) : null);
  };

  /** The first provider that may send now, else the one that may send soonest; undefined without credentials. */
  const chosenOf = (key: ChannelKey, credentials: readonly Credential[]): Credential | undefined => {
    const now = clock.now();
    const waits = credentials.map(({ provider }) => circuitOf(key, provider).refusedUntil(now)?.getTime() ?? 0);
    return credentials[waits.indexOf(Math.min(...waits))];
  };

  /** Messages that wait for a retired connection use the new credentials, or fail if there are none. */
  const retireOthers = (key: ChannelKey, credentials: readonly Credential[]): void => {
    for (const provider of PROVIDERS[key.channel]) {
      const name = connectionName(key, provider);
      const cachedCredentials = live.peek(name);
      const current = credentials.find((one) => one.provider === provider);
      // A version below the live one comes from a read before the change.
      if (cachedCredentials && (current === undefined || current.version > cachedCredentials.version))
        live.delete(name);
    }
  };

  return {
    refresh: async (key) => {
      const configured = (await configuredOf([key]))(key);
      if (configured !== null) retireOthers(key, configured);
    },
    load: async (keys) => {
      const configured = await configuredOf(keys);
      const found = new Map<string, ProviderConnection>();
      const nameOf = (one: ConnectionKey): string => connectionName(one, one.platform ?? '');
      const distinct = new Map(keys.map((one) => [nameOf(one), one]));
      await Promise.all(
        [...distinct].map(async ([name, { platform, channel, ...scope }]) => {
          const key = { ...scopeOf(scope), channel };
          const own = configured(key);
          if (own === null) {
            found.set(name, await open(key, null));
            return;
          }
          credentialsByChannel.set(connectionName(key, ''), own);
          retireOthers(key, own);
          const credential = chosenOf(
            key,
            own.filter(({ provider }) => isCandidate(provider, channel, platform)),
          );
          if (credential !== undefined) found.set(name, await open(key, credential));
        }),
      );
      // Safe: a connection is stored under the name of its own channel.
      return <C extends Channel>(one: ConnectionKey & { readonly channel: C }) =>
        (found.get(nameOf(one)) ?? null) as ProviderConnection<C> | null;
    },
    missing: async (keys) => {
      const configured = await configuredOf(keys);
      return (key, platforms) => {
        const own = configured(key)?.map(({ provider }) => provider);
        return own === undefined ? null : missingFor(key.channel, own, platforms, credentials.required);
      };
    },
    close: async () => {
      live.clear();
      while (closing.size + noting.size > 0) await Promise.all([...closing, ...noting]);
    },
  };
};
