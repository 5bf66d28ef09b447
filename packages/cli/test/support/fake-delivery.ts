import type { Beckon, Channel, ProviderState, ProviderTest, Settings } from '@beckon/core';
import { CHANNEL_OF, PROVIDERS, type Provider } from '../../src/names.ts';
import { AT, coreError, unused, type World } from './world.ts';

const stateOf = (state: World, provider: Provider): ProviderState => ({
  provider,
  configured: state.providers.has(provider),
  lastFour: state.providers.has(provider) ? 'last' : null,
  verifiedAt: null,
  updatedAt: state.providers.has(provider) ? AT : null,
  version: state.providers.has(provider) ? 1 : null,
});

// Proof of the cast: one state per provider of the channel; commands read no other field.
const statesOf = <C extends Channel>(state: World, channel: C): Settings<C> =>
  Object.fromEntries(
    PROVIDERS.filter((name) => CHANNEL_OF[name] === channel).map((name) => [name, stateOf(state, name)]),
  ) as unknown as Settings<C>;

/** Provider settings; `test` returns the results in `state.tests`, by default success. */
export const settings = (state: World): Beckon['settings'] => ({
  get: async (_, channel) => statesOf(state, channel),
  update: async (scope, channel, body) => {
    state.calls.push(`settings ${scope.environment} ${scope.orgId}/${scope.projectId} ${channel}`);
    if (state.failure.putSettings) throw state.failure.putSettings;
    for (const [name, value] of Object.entries(Object(body))) {
      if (value === null) state.providers.delete(name);
      else state.providers.set(name, value);
    }
    return statesOf(state, channel);
  },
  test: async (_, channel) => {
    state.calls.push(`settings test ${channel}`);
    const results = PROVIDERS.filter((name) => CHANNEL_OF[name] === channel && state.providers.has(name)).map(
      (provider): ProviderTest => ({ provider, ok: true, code: null, message: null, ...state.tests.get(provider) }),
    );
    if (results.length === 0) throw coreError('PROVIDER_NOT_CONFIGURED', 'No provider.');
    return { results };
  },
});

/** Health of the sends of a channel. */
export const sends = (state: World): Beckon['sends'] => ({
  ...{ list: unused, get: unused, messages: unused, message: unused, cancel: unused, throughput: unused },
  health: async (_, channel) => ({
    windowMinutes: 60,
    sent: 0,
    failed: 0,
    retrying: 0,
    failureRate: 0,
    byReason: {},
    byPlatform: {},
    byProvider: {},
    tokensInvalidated: 0,
    oldestQueuedAgeSeconds: 0,
    status: 'ok',
    openCircuits: channel === 'email' ? state.openCircuits : [],
    ...(channel === 'email' ? state.deliverability : {}),
  }),
});
