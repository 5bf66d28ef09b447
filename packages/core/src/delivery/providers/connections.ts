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

/** Live transports at most. Source: transports, Rules for every transport (9). */
const MAX_CONNECTIONS = 500;
/** Wall-clock limit of one call, in milliseconds. Source: transports, Rules for every transport (3). */
export const CALL_LIMIT_MS = 10_000;
/** How often it is kept that a provider accepts something, in milliseconds; ours: an hour. */
const PROVEN_EVERY_MS = 3_600_000;
/** Of mail that names no sender, in `test`. The domain can never exist. Source: RFC 2606, 2. */
const SANDBOX_FROM: Mailbox = { email: 'sender@sandbox.invalid', name: null };

/** One channel of one scope. */
export type ChannelKey = InScope & { readonly channel: Channel };

/** A circuit that is open, as any process wrote it last. */
export type OpenCircuit = DeliveryHealth['openCircuits'][number];

/** Credentials that are there, without what they are. */
export type Credential = { readonly provider: ProviderName; readonly version: number };

/** What sending asks of whoever keeps credentials. */
export type CredentialSource = {
  /**
   * Which credentials there are, those first that are to be used first, at most 10 s old, and of those that `isUrgent`
   * names as of now; one statement for all that have to be read.
   */
  load(
    keys: readonly ChannelKey[],
    isUrgent?: (key: ChannelKey) => boolean,
  ): Promise<(key: ChannelKey) => readonly Credential[]>;
  /**
   * A transport with these credentials. Throws nothing for credentials that cannot be read: their transport refuses
   * every message as a provider would.
   */
  open<C extends Channel>(key: ChannelKey & { readonly channel: C }, credential: Credential): Promise<Opened<C>>;
  /** Keeps for health what the circuit of a version does. Later than a change of version: nothing. */
  noteCircuit(key: ChannelKey, credential: Credential, change: CircuitChange): Promise<void>;
  /** Keeps that the provider accepted something with this version. */
  noteProven(key: ChannelKey, credential: Credential): Promise<void>;
  /** Names of the settings that a provider cannot do without. */
  required(provider: ProviderName): readonly string[];
};

export type Opened<C extends Channel> = {
  readonly transport: LiveTransport<MessageOf[C]>;
  /** Of text messages, where what its provider posts can be read; absent: it cannot. */
  readonly inbound?: Inbound | null;
  /** Of mail that names no sender; null: there is none. */
  readonly sender: Mailbox | null;
  readonly limitMs: number;
};

/** What carries messages of one channel for one scope, or, of push, for one platform of it. */
export type ProviderConnection<C extends Channel = Channel> = Omit<Opened<C>, 'sender'> & {
  readonly provider: ProviderName | 'sandbox';
  readonly defaultFrom: Mailbox;
  readonly circuit: Circuit;
  /** True once other credentials took its place: whatever it refused may go with them. */
  isRetired(): boolean;
  /** True where another provider of the channel takes what this one would refuse: it need not wait. */
  isCovered(now: Date): boolean;
  /** Says that a message is on its way; the returned function that it no longer is. Until then it is not closed. */
  enter(): () => void;
  /** Keeps what changed of the circuit, or that a message was accepted. Throws nothing. */
  note(change: CircuitChange | 'accepted'): void;
};

/** Messages of one channel and platform of one scope. */
export type ConnectionKey = ChannelKey & { readonly platform: Platform | undefined };

export type ConnectionOf = <C extends Channel>(
  wanted: ConnectionKey & { readonly channel: C },
) => ProviderConnection<C> | null;

export type Missing = ErrorDetails['PROVIDER_NOT_CONFIGURED'];

/** What a channel of a scope lacks for these platforms (null: not known); null where something can be sent. */
export type MissingOf = (key: ChannelKey, platforms: readonly Platform[] | null) => Missing | null;

export type ProviderConnections = {
  /** The connections of messages; null where the scope has no provider for them. */
  load(wanted: readonly ConnectionKey[]): Promise<ConnectionOf>;
  /** Asked before anything is written. */
  missing(keys: readonly ChannelKey[]): Promise<MissingOf>;
  /** Retires what a channel carries with credentials that were replaced or taken away. */
  refresh(key: ChannelKey): Promise<void>;
  /** Lets what is under way finish. Idempotent. */
  close(): Promise<void>;
};

export type ConnectionOptions = {
  readonly clock: Clock;
  readonly scopes: ScopeDirectory;
  readonly credentials: CredentialSource;
  /** What the sandbox of a scope records into. */
  readonly recorder: <C extends Channel>(
    key: ChannelKey & { readonly channel: C },
  ) => (message: MessageOf[C], request: SandboxRequest | null) => Promise<void>;
  readonly sandboxSlowMs?: number | undefined;
  readonly callLimitMs?: number | undefined;
  readonly onError: (error: unknown, key: ChannelKey) => void;
};

/** What no provider at all lacks: any of them. */
const noneOf = (channel: Channel): Missing => ({ channel, provider: channel, missing: PROVIDERS[channel] });

/** Pure part of `missing`: what contract section 4 says of push, and of every other channel its one provider. */
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

/** Who still uses a transport, and whether it goes when nobody does. */
type Leave = { users: number; isRetired: boolean; left?: () => void };

/** The others that may carry the same messages, as they were known last; of push nobody does. Asked after each call. */
type Others = () => readonly Circuit[];
const NOBODY: readonly Circuit[] = [];

type Live = {
  readonly version: number;
  readonly circuit: Circuit;
  readonly connection: Promise<ProviderConnection>;
  retire(): void;
};

/** One live transport per credential version: the sandbox in `test`, what is configured in `prod`. */
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

  /** Which credentials a channel was found to have last. */
  const standing = new LRUCache<string, readonly Credential[]>({ max: MAX_CONNECTIONS });
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
    leave: Leave,
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
      isCovered: (now) => others().some((one) => one.refusedUntil(now) === null),
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
    const leave: Leave = { users: 0, isRetired: false };
    const circuit = newCircuit();
    const channelName = connectionName(key, '');
    const others: Others = () =>
      key.channel === 'push'
        ? NOBODY
        : (standing.get(channelName) ?? []).flatMap(({ provider }) =>
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
    const known = live.get(name);
    // An older version is what somebody read before the change. Safe: the name holds the channel, and only `start`
    // below makes entries, of that channel.
    if (known && known.version >= (credential?.version ?? 0)) return known.connection as Promise<ProviderConnection<C>>;
    const made = start(key, credential, credential === null ? sandbox(key) : credentials.open(key, credential));
    live.set(name, made);
    made.connection.catch(() => {
      if (live.peek(name) === made) live.delete(name);
    });
    return made.connection;
  };

  /** Messages of it would be put off for long: what another process may have changed just now is worth a look. */
  const isRefused = (key: ChannelKey): boolean => {
    const now = clock.now();
    const refuses = ({ provider }: Credential): boolean => circuitOf(key, provider).refusedUntil(now) !== null;
    const known = standing.get(connectionName(key, '')) ?? [];
    return key.channel === 'push' ? known.some(refuses) : known.length > 0 && known.every(refuses);
  };

  /** What is configured in `prod`; null in `test`, which the sandbox serves. */
  const configuredOf = async (
    keys: readonly ChannelKey[],
  ): Promise<(key: ChannelKey) => readonly Credential[] | null> => {
    const scopeAt = await scopes.load(keys.map(scopeKey));
    const isProd = ({ scopeId }: InScope): boolean => scopeAt(scopeId).environment === 'prod';
    const prod = new Map(keys.filter(isProd).map((key) => [connectionName(key, ''), key]));
    const configured = prod.size === 0 ? () => [] : await credentials.load([...prod.values()], isRefused);
    return (key) => (isProd(key) ? configured(key) : null);
  };

  /** The first that may go now, else the one that may go first; undefined: there is none. */
  const chosenOf = (key: ChannelKey, credentials: readonly Credential[]): Credential | undefined => {
    const now = clock.now();
    const waits = credentials.map(({ provider }) => circuitOf(key, provider).refusedUntil(now)?.getTime() ?? 0);
    return credentials[waits.indexOf(Math.min(...waits))];
  };

  /** What waits for a retired connection goes with new credentials, or is told that there are none. */
  const retireOthers = (key: ChannelKey, credentials: readonly Credential[]): void => {
    for (const provider of PROVIDERS[key.channel]) {
      const name = connectionName(key, provider);
      const known = live.peek(name);
      const current = credentials.find((one) => one.provider === provider);
      // A version that is lower than the live one is what somebody read before the change.
      if (known && (current === undefined || current.version > known.version)) live.delete(name);
    }
  };

  return {
    refresh: async (key) => {
      const configured = (await configuredOf([key]))(key);
      if (configured !== null) retireOthers(key, configured);
    },
    load: async (wanted) => {
      const configured = await configuredOf(wanted);
      const found = new Map<string, ProviderConnection>();
      const nameOf = (one: ConnectionKey): string => connectionName(one, one.platform ?? '');
      const distinct = new Map(wanted.map((one) => [nameOf(one), one]));
      await Promise.all(
        [...distinct].map(async ([name, { platform, channel, ...scope }]) => {
          const key = { ...scopeOf(scope), channel };
          const own = configured(key);
          if (own === null) {
            found.set(name, await open(key, null));
            return;
          }
          standing.set(connectionName(key, ''), own);
          retireOthers(key, own);
          const credential = chosenOf(
            key,
            own.filter(({ provider }) => isCandidate(provider, channel, platform)),
          );
          if (credential !== undefined) found.set(name, await open(key, credential));
        }),
      );
      // Safe: a connection is found under the name of its own channel.
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
