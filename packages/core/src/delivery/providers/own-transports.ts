// Transports of the host program in `prod`. Each takes the place of the provider whose messages it sends, and uses the
// same connections: circuit, limiter, deadline. It has no row, so its state belongs to this process.

import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import { validationError } from '../../foundation/errors.ts';
import { type Scope, type ScopeDirectory, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Mailbox } from '../transports/port.ts';
import type { ProviderState, ProviderTest } from './answers.generated.ts';
import type { ProviderStates } from './api.ts';
import type { ChannelKey, Credential, CredentialSource, OpenCircuit, Opened } from './connections.ts';
import type { Credentials } from './credentials.ts';
import { PROVIDERS, type ProviderName, providerFor } from './names.ts';
import type { OwnTransport, OwnTransports } from './own-transport.ts';

/** Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** Constant, because there are no credentials that could change. */
const VERSION = 1;

type Slot = OwnTransport<never> & { readonly from?: Mailbox };
type Known = { circuit: OpenCircuit | null; provenAt: Date | null };

const slotsOf = ({ push = {}, email, sms }: OwnTransports): ReadonlyMap<ProviderName, Slot> => {
  const configured = [
    [providerFor('push', 'ios'), push.ios],
    [providerFor('push', 'android'), push.android],
    [providerFor('push', 'web'), push.web],
    [providerFor('email', undefined), email],
    [providerFor('sms', undefined), sms],
  ] as const;
  // Safe: a slot receives only messages of its own channel.
  return new Map(configured.flatMap(([name, own]) => (own ? [[name, own as unknown as Slot] as const] : [])));
};

/** Name of a provider for the host program: its own transport's name, else the provider's. */
export type NameProvider = (channel: Channel, platform: Platform | undefined, provider?: ProviderName) => string;

/** Puts a host's transports in front of stored credentials; without any it returns the credentials themselves. */
export const withOwnTransports = (
  credentials: Credentials,
  own: OwnTransports,
  { clock, scopes }: { readonly clock: Clock; readonly scopes: ScopeDirectory },
): Credentials & { readonly nameProvider: NameProvider } => {
  const slots = slotsOf(own);
  const nameProvider: NameProvider = (channel, platform, provider = providerFor(channel, platform)) =>
    slots.get(provider)?.name ?? provider;
  if (slots.size === 0) return { ...credentials, nameProvider };

  const { source, settings } = credentials;
  const ownOf = (channel: Channel) => PROVIDERS[channel].filter((provider) => slots.has(provider));
  const known = new Map<string, Known>();
  const knownOf = (key: ChannelKey, provider: string): Known => {
    const name = `${scopeKey(key)}/${provider}`;
    const found = known.get(name) ?? { circuit: null, provenAt: null };
    known.set(name, found);
    return found;
  };

  const open = async <C extends Channel>(key: ChannelKey & { readonly channel: C }, { name, make, ...slot }: Slot) => {
    const scope = (await scopes.load([scopeKey(key)]))(scopeKey(key));
    const opened = { transport: await make(scope), sender: slot.from ?? null, limitMs: slot.limitMs ?? LIMIT_MS };
    // Safe: the slot belongs to a provider of this channel.
    return opened as unknown as Opened<C>;
  };

  const stateOf = (key: ChannelKey, provider: ProviderName, { name }: Slot): ProviderState => ({
    provider: name,
    configured: true,
    lastFour: null,
    verifiedAt: knownOf(key, provider).provenAt,
    updatedAt: null,
    version: null,
  });

  const probe = async (key: ChannelKey, provider: ProviderName, slot: Slot): Promise<ProviderTest> => {
    const scope = (await scopes.load([scopeKey(key)]))(scopeKey(key));
    const transport = await slot.make(scope);
    try {
      const answer = await transport.probe?.();
      if (answer?.result === 'accepted') knownOf(key, provider).provenAt = clock.now();
      const refusal = answer === undefined || answer.result === 'accepted' ? null : answer;
      const ok = answer === undefined ? null : refusal === null;
      return { provider: slot.name, ok, code: refusal?.code ?? null, message: refusal?.message ?? null };
    } finally {
      await transport.close();
    }
  };

  const shown = <C extends Channel>(scope: Scope, channel: C, states: ProviderStates<C>): ProviderStates<C> => {
    if (scope.environment === 'test') return states;
    // Safe: the same names with other states.
    return Object.fromEntries(
      Object.entries<ProviderState>(states).map(([provider, state]) => {
        const name = ownOf(channel).find((one) => one === provider);
        const slot = name && slots.get(name);
        return [provider, slot ? stateOf({ ...scopeOf(scope), channel }, name, slot) : state];
      }),
    ) as unknown as ProviderStates<C>;
  };

  const ownSource: Credentials['source'] = {
    load: async (keys, isUrgent) => {
      const open = keys.filter(({ channel }) => ownOf(channel).length < PROVIDERS[channel].length);
      const stored = open.length === 0 ? () => [] : await source.load(open, isUrgent);
      return (key) => [
        ...ownOf(key.channel).map((provider): Credential => ({ provider, version: VERSION })),
        ...stored(key).filter(({ provider }) => !slots.has(provider)),
      ];
    },
    open: (key, credential) => {
      const slot = slots.get(credential.provider);
      return slot ? open(key, slot) : source.open(key, credential);
    },
    noteCircuit: async (key, credential, change) => {
      const slot = slots.get(credential.provider);
      if (!slot) return source.noteCircuit(key, credential, change);
      knownOf(key, credential.provider).circuit =
        change.until === null ? null : { provider: slot.name, until: change.until, code: change.code ?? 'unknown' };
    },
    noteProven: async (key, credential) => {
      if (!slots.has(credential.provider)) return source.noteProven(key, credential);
      knownOf(key, credential.provider).provenAt = clock.now();
    },
    required: source.required,
    circuits: async (key) => [
      ...(await source.circuits(key)).filter(({ provider }) => !ownOf(key.channel).some((one) => one === provider)),
      ...ownOf(key.channel).flatMap((provider) => knownOf(key, provider).circuit ?? []),
    ],
  };

  const ownSettings: Credentials['settings'] = {
    get: async (scope, channel) => shown(scope, channel, await settings.get(scope, channel)),
    put: async (scope, channel, body) => {
      const input = scope.environment === 'test' || typeof body !== 'object' || body === null ? {} : body;
      const alreadyConfigured = ownOf(channel).filter((provider) => (Reflect.get(input, provider) ?? null) !== null);
      if (alreadyConfigured.length > 0)
        throw validationError(
          Object.fromEntries(
            alreadyConfigured.map((one) => [
              one,
              ['is not allowed: a transport of the host program serves this provider'],
            ]),
          ),
        );
      return shown(scope, channel, await settings.put(scope, channel, body));
    },
    test: async (scope, channel) => {
      const mine = scope.environment === 'test' ? [] : ownOf(channel);
      if (mine.length === 0) return settings.test(scope, channel);
      const key = { ...scopeOf(scope), channel };
      const results = await Promise.all(
        mine.flatMap((provider) => {
          const slot = slots.get(provider);
          return slot ? [probe(key, provider, slot)] : [];
        }),
      );
      const others = (await source.load([key]))(key).filter(({ provider }) => !slots.has(provider));
      if (others.length === 0) return { results };
      const tested = (await settings.test(scope, channel)).results;
      return { results: [...results, ...tested.filter(({ provider }) => !mine.some((one) => one === provider))] };
    },
  };

  return { ...credentials, source: ownSource satisfies CredentialSource, settings: ownSettings, nameProvider };
};
