// The built product with a worker, whose providers are the stand-ins.
import type * as Core from '@beckon/core';
import type { BenchedProvider } from '../lib/benched.ts';
import { answerParent } from '../lib/child.ts';
import { traitsOf, userId } from '../lib/fixtures.ts';
import { contentOf, emailOf, PLATFORMS, phoneOf, tokenOf, type World } from './send/fixtures.ts';
import { atWork, each, openService, type Service } from './send/service.ts';

export type Start = {
  /** Checkout of the built packages. */
  readonly root: string;
  readonly db: string;
  readonly provider: BenchedProvider;
  readonly world: World;
  /** Each has a profile, and for push one device. */
  readonly users: number;
  /** Quiet hours, a frequency cap and an A/B test are on, and stop nothing. */
  readonly isGated: boolean;
};

/** Recipients of one send, which acceptance itself expands. Source: packages/core, sending, MAX_INLINE. */
const RECIPIENTS = 100;
const CHANNELS = { apns: 'push', fcm: 'push', webpush: 'push', smtp: 'email', twilio: 'sms' } as const;

let service:
  | (Service & {
      readonly provider: BenchedProvider;
      /** Fields of every send besides its content. */
      readonly more: Readonly<Record<string, unknown>>;
    })
  | undefined;

const running = (): NonNullable<typeof service> => {
  if (!service) throw new Error('not started');
  return service;
};

/** More than any user gets in a run. */
const CAP = 10_000;
const HOUR_MS = 3_600_000;
const QUIET_FROM_HOURS = 6;

/** A time of day this many hours from now, in UTC. */
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);

/** Turns on every gate that a project can configure; returns the fields that sends need. */
const gated = async (beckon: Core.Beckon, scope: Core.Scope): Promise<Readonly<Record<string, unknown>>> => {
  await beckon.settings.update(scope, 'push', {
    orgDefaultTimezone: 'Etc/UTC',
    quietHours: { enabled: true, start: inHours(QUIET_FROM_HOURS), end: inHours(QUIET_FROM_HOURS + 2) },
    frequencyCap: { enabled: true, rules: [{ channel: 'all', max: CAP, per: { n: 1, unit: 'day' } }] },
  });
  const variants = ['Hello {{trait.firstName}}', 'Hi {{trait.firstName}}'].map((title, at) => ({
    ...{ key: `v${at}`, title, weight: 50 },
  }));
  const { id: abTestId } = await beckon.abTests.create(scope, 'push', { name: 'Greeting', variants });
  return { abTestId };
};

const start = async ({ root, db, provider, world, users, isGated }: Start): Promise<void> => {
  const opened = await openService(root, db, world);
  const { beckon, scope } = opened;
  const isPush = CHANNELS[provider] === 'push';
  service = { ...opened, provider, more: isGated && isPush ? await gated(beckon, scope) : {} };
  await beckon.settings.update(scope, CHANNELS[provider], { [provider]: world.settings[provider] });
  await each(users, (index) => {
    const traits = { ...traitsOf(index, 0), email: emailOf(index), phone: phoneOf(index) };
    return beckon.events.identify(scope, { userId: userId(index), traits });
  });
  if (provider === 'smtp' || provider === 'twilio') return;
  await each(users, (index) =>
    beckon.tokens.register(scope, {
      userId: userId(index),
      platform: PLATFORMS[provider],
      token: tokenOf(provider, index, world),
      ...(provider === 'apns' ? { apnsEnvironment: 'production' } : {}),
    }),
  );
};

/** Accepts and expands a message to each of the first `count` users; nothing is sent before `begin`. */
const accept = async (count: number): Promise<void> => {
  const { beckon, scope, provider, more } = running();
  // Safe: called below with what the channel takes.
  const send = beckon[CHANNELS[provider]].send as Core.Beckon['push']['send'];
  await each(Math.ceil(count / RECIPIENTS), (at) => {
    const first = at * RECIPIENTS;
    const userIds = Array.from({ length: Math.min(RECIPIENTS, count - first) }, (_, place) => userId(first + place));
    // Safe: `contentOf` makes what the channel of that provider takes.
    return send(scope, { ...contentOf(provider), ...more, userIds } as never);
  });
};

answerParent({ start, accept, ...atWork(running) });
