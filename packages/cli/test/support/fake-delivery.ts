import type { Beckon, Channel, DryRun, Message, ProviderState, ProviderTest, Send, Settings } from '@beckon/core';
import { unchecked } from '../../../core/test/support/unchecked.ts';
import { CHANNEL_OF, PROVIDERS, type Provider } from '../../src/names.ts';
import { AT, coreError, page, unused, type World } from './world.ts';

const ACCEPTED = {
  orgId: 'acme-org',
  projectId: 'acme-project',
  environment: 'test',
  channel: 'email',
  status: 'queued',
  source: 'api',
  class: 'transactional',
  category: null,
  tags: {},
  abTestId: null,
  audienceId: null,
  tokenCount: 1,
  workflowRunId: null,
  stepPath: null,
  templateId: null,
  templateVersion: null,
  scheduledFor: null,
  createdAt: AT,
  startedAt: null,
  finishedAt: null,
  cancelledAt: null,
  counts: {
    targeted: 1,
    deferred: 0,
    queued: 1,
    sent: 0,
    delivered: 0,
    bounced: 0,
    failed: 0,
    suppressed: 0,
    opened: 0,
    clicked: 0,
    uniqueOpened: 0,
    uniqueClicked: 0,
    machineOpened: 0,
  },
  suppressedByReason: {},
  byPlatform: {},
  error: null,
  errorCode: null,
} as const;

/** An accepted send. */
export const send = (id: string, { channel = 'email', ...extra }: Partial<Send> = {}): Send =>
  channel === 'email'
    ? { ...ACCEPTED, id, channel, subject: 'Test', ...extra }
    : { ...ACCEPTED, id, channel, title: 'Test', ...extra };

/** A message of a send. */
export const sendMessage = (id: string, extra: Partial<Message> = {}): Message => ({
  id,
  sendId: 's1',
  channel: 'email',
  userId: 'ada',
  address: 'ada@example.com',
  platform: null,
  role: 'to',
  status: 'sent',
  reason: null,
  errorCode: null,
  error: null,
  providerId: null,
  attempt: 1,
  createdAt: AT,
  deferredUntil: null,
  sentAt: AT,
  deliveredAt: null,
  openedAt: null,
  clickedAt: null,
  clickAction: null,
  machine: false,
  complainedAt: null,
  unsubscribedAt: null,
  variant: null,
  ...extra,
});

const stateOf = (state: World, provider: Provider): ProviderState => ({
  provider,
  configured: state.providers.has(provider),
  lastFour: state.providers.has(provider) ? 'last' : null,
  verifiedAt: null,
  updatedAt: state.providers.has(provider) ? AT : null,
  version: state.providers.has(provider) ? 1 : null,
});

const callbacksOf = ({ callbackSecrets }: World) =>
  Object.fromEntries(
    ['ses', 'sendgrid', 'postmark', 'mailgun', 'resend'].map((name) => {
      const configured = callbackSecrets.has(name);
      return [name, { configured, updatedAt: configured ? AT : null, url: `https://push.example/${name}?k=1` }];
    }),
  );

const statesOf = <C extends Channel>(state: World, channel: C): Settings<C> =>
  // Proof of the cast: one state per provider of the channel, and the delivery webhooks of email.
  ({
    ...Object.fromEntries(
      PROVIDERS.filter((name) => CHANNEL_OF[name] === channel).map((name) => [name, stateOf(state, name)]),
    ),
    ...(channel === 'email' ? { callbacks: callbacksOf(state) } : {}),
  }) as Settings<C>;

/** Provider settings; `test` returns the results in `state.tests`, by default success. */
export const settings = (state: World): Beckon['settings'] => ({
  get: async (_, channel) => statesOf(state, channel),
  update: async (scope, channel, body) => {
    state.calls.push(`settings ${scope.environment} ${scope.orgId}/${scope.projectId} ${channel}`);
    if (state.failure.putSettings) throw state.failure.putSettings;
    for (const [name, value] of Object.entries(Object(Object(body).callbacks))) {
      if (value === null) state.callbackSecrets.delete(name);
      else state.callbackSecrets.set(name, value);
    }
    for (const [name, value] of Object.entries(Object(body))) {
      if (name === 'callbacks') continue;
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

/** Accepts a body as send `s1` and stores it in `state.sends`. */
export const sending = (state: World, channel: Channel) => {
  const accepted =
    (what: string) =>
    async (scope: { readonly environment: 'prod' | 'test' }, body: unknown): Promise<Send & DryRun> => {
      state.calls.push(`${what} ${scope.environment} ${channel}`);
      state.bodies.push(body);
      if (state.failure.send) throw state.failure.send;
      if (state.dryRun && typeof body === 'object' && body !== null && 'dryRun' in body) return unchecked(state.dryRun);
      const accepted = send('s1', { channel, environment: scope.environment, ...state.accepted });
      state.sends.push(accepted);
      return unchecked(accepted);
    };
  return { send: accepted('send'), sendToAudience: accepted('send to audience') };
};

/** The sends of `state.sends`; each read takes the next of `state.statuses`, if any. */
export const sends = (state: World): Beckon['sends'] => {
  const found = (channel: Channel, id: string): Send => {
    const one = state.sends.find((each) => each.id === id && each.channel === channel);
    if (!one) throw coreError('NOT_FOUND', 'No such resource.');
    return one;
  };
  return {
    ...{ message: unused, cancel: unused },
    list: async (scope, channel, { limit = 50, cursor } = {}) => {
      state.calls.push(`sends ${scope.environment} ${channel}`);
      return page(state.sends, limit, cursor);
    },
    get: async (_, channel, id) => ({
      ...found(channel, id),
      status: state.statuses.shift() ?? found(channel, id).status,
    }),
    messages: async (_, channel, id, { limit = 50, cursor } = {}) => {
      found(channel, id);
      return page(state.sendMessages, limit, cursor);
    },
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
    throughput: async () => ({ perSecond: 0, p95Ms: {} }),
  };
};
