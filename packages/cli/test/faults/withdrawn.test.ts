import { setTimeout as sleep } from 'node:timers/promises';
import type { Beckon } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { shiftedClock } from './shifted-clock.ts';
import { onStage, type Stage } from './stage.ts';
import { until } from './wait.ts';
import {
  accepted,
  acceptedBy,
  type Counts,
  connect,
  countsBy,
  NAMES,
  PROVIDERS,
  queue,
  reached,
  registerDevices,
  withdraw,
} from './withdrawn.ts';

/** Messages per provider. Chosen: more than each has in flight, and a few hundred for the slow ones. */
const QUEUED = { apns: 1_500, fcm: 1_200, smtp: 150, twilio: 250 };
const DEVICES = 100;
/** Messages accepted by each provider before the credentials are withdrawn. */
const BEFORE = { apns: 200, fcm: 100, smtp: 10, twilio: 50 };
/** Response time in milliseconds, so that credentials are withdrawn during requests. */
const PACE = { apns: 1_000, fcm: 200, smtp: 100, twilio: 300 };
const AT_ONCE = { apns: 0, fcm: 0, smtp: 0, twilio: 0 };
/** Number of times that an open circuit expires. Each opening lasts twice as long as the previous one. */
const PERIODS = 2;
/** Time over which held messages return after an open circuit. Chosen: in addition to the spread of sending. */
const SPREAD_MS = 2_500;
/**
 * Maximum requests per probe. A relay connection that ends before its email is replaced up to twice, and its end is no
 * response, so the next message is the next probe. Source: transports, Rules for every transport (2).
 */
const MOST_PROBES = { apns: 1, fcm: 1, smtp: 6, twilio: 1 };
const POLL_MS = 50;
/** Time until a worker notices removed credentials. Chosen. */
const MOMENT_MS = 400;

const seed = killSeed();

type Row = { readonly id: string; readonly address: string; readonly status: string; readonly reason: string | null };
type Message = Row & {
  readonly channel: string;
  readonly attempt: number;
  readonly errorCode: string | null;
  /** Time of the next attempt, in milliseconds since 1970; null: never. */
  readonly dueAt: number | null;
};

const messagesOf = ({ deployment, engine }: Stage): Promise<Message[]> => {
  const due = engine === 'sqlite' ? 'due_at' : 'extract(epoch from due_at) * 1000';
  return deployment.query(
    `select id, channel, address, status, reason, attempt, error_code as "errorCode",
     cast(${due} as double precision) as "dueAt" from messages`,
  );
};

const isDone = ({ status }: Message): boolean => status === 'sent' || status === 'failed';

/** End of each open circuit. */
const circuitsOf = async (beckon: Beckon, scope: Stage['scope']): Promise<Map<string, number>> => {
  const channels = await Promise.all(
    [...new Set(Object.values(PROVIDERS))].map((channel) => beckon.sends.health(scope, channel)),
  );
  return new Map(
    channels.flatMap(({ openCircuits }) => openCircuits.map(({ provider, until: end }) => [provider, end.getTime()])),
  );
};

/** Accepted copies of each message, and lost messages. */
const judged = (stage: Stage, messages: readonly Message[]) => {
  const times = accepted(stage);
  const timesOf = ({ id, channel, address }: Message): number => times.get(channel === 'sms' ? address : id) ?? 0;
  return {
    lost: messages.filter((one) => (one.status === 'sent' ? timesOf(one) === 0 : !isDone(one) || !one.errorCode))
      .length,
    twice: messages.filter((one) => timesOf(one) > 1).length,
  };
};

const more = (after: Counts, before: Counts): Counts => countsBy((name) => after[name] - before[name]);
const shown = (counts: Counts): string => NAMES.map((name) => counts[name]).join('/');

describe('credentials that are withdrawn', () => {
  it.for(ENGINES)(
    'withdrawn credentials stop only their own messages until new credentials are set, on %s',
    (engine) => {
      const clock = shiftedClock();
      const play = async (stage: Stage): Promise<void> => {
        const { beckon, gateways, scope, deployment } = stage;
        const first = await connect(stage, scope);
        Object.assign(gateways.pace, PACE);
        const devices = await registerDevices(beckon, scope, 'ann', DEVICES);
        await beckon.push.send(scope, { userIds: ['ann'], title: 'News', body: 'There is news.' });
        const queued = devices + (await queue(stage, 'first', 0, QUEUED));
        beckon.worker.start();
        await until('every provider has taken some', () =>
          NAMES.every((name) => acceptedBy(stage)[name] >= BEFORE[name]),
        );
        withdraw(stage, first);
        // Open logins stay valid until their connections end.
        await until('every circuit is open', async () => {
          gateways.relay.dropIdle();
          return (await circuitsOf(beckon, scope)).size === NAMES.length;
        });
        const isWaiting = (one: Message): boolean =>
          one.status === 'queued' && one.reason === 'held' && (one.dueAt ?? 0) > clock.now().getTime();
        const isParked = async () => (await messagesOf(stage)).every((one) => isDone(one) || isWaiting(one));
        await until('everything that is left is parked', isParked, { everyMs: 100 });
        const probes: Counts[] = [];
        for (let period = 0; period < PERIODS; period += 1) {
          const ends = await circuitsOf(beckon, scope);
          const before = reached(stage);
          clock.skip(Math.max(...ends.values()) - clock.now().getTime() + SPREAD_MS);
          await until('every circuit opened again', async () => {
            const now = await circuitsOf(beckon, scope);
            return NAMES.every((name) => (now.get(name) ?? 0) > (ends.get(name) ?? 0));
          });
          await until('everything is parked again', isParked, { everyMs: 100 });
          probes.push(more(reached(stage), before));
        }
        const waiting = (await messagesOf(stage)).filter((one) => !isDone(one));
        Object.assign(gateways.pace, AT_ONCE);
        // Stores new credentials while returning messages find the old ones rejected and are about to be held again.
        clock.skip(Math.max(...(await circuitsOf(beckon, scope)).values()) - clock.now().getTime() + SPREAD_MS / 2);
        await sleep(2 * POLL_MS);
        await connect(stage, scope);
        await until('everything is sent', async () => (await messagesOf(stage)).every(isDone), { everyMs: 100 });
        const messages = await messagesOf(stage);
        const inactive = await deployment.query('select id from push_tokens where is_active = false');
        await beckon.worker.stop();

        const figures = {
          messages: messages.length,
          parked: waiting.length,
          burnt: waiting.filter(({ attempt }) => attempt > 0).length,
          probes: probes.map(shown).join(' '),
          invalidated: inactive.length,
          sent: messages.filter(({ status }) => status === 'sent').length,
          ...judged(stage, messages),
        };
        print('withdrawn', engine, figures, seed);
        expect(figures).toMatchObject({ messages: queued, burnt: 0, invalidated: 0, sent: queued, lost: 0, twice: 0 });
        expect(figures.parked).toBeGreaterThan(queued / 4);
        for (const probe of probes)
          for (const name of NAMES) expect(probe[name], name).toBeLessThanOrEqual(MOST_PROBES[name]);
      };
      return onStage(engine, play, { clock, pollMs: POLL_MS });
    },
  );

  it.for(ENGINES)('removed credentials fail queued messages as not configured, on %s', (engine) =>
    onStage(engine, async (stage) => {
      const { beckon, gateways, scope } = stage;
      Object.assign(gateways.pace, PACE);
      const queued = await queue(stage, 'last', 0, QUEUED);
      beckon.worker.start();
      await until('every provider has taken some', () => NAMES.every((name) => acceptedBy(stage)[name] > 0));
      await beckon.settings.update(scope, 'push', { apns: null, fcm: null });
      await beckon.settings.update(scope, 'email', { smtp: null });
      await beckon.settings.update(scope, 'sms', { twilio: null });
      // Messages that were about to be sent at that time are still sent.
      await sleep(MOMENT_MS);
      const atRemoval = (await messagesOf(stage)).filter(
        ({ status }) => status === 'sending' || status === 'sent',
      ).length;
      await until('everything has ended', async () => (await messagesOf(stage)).every(isDone), { everyMs: 100 });
      const messages = await messagesOf(stage);
      const refused = await Promise.allSettled([
        beckon.push.send(scope, { tokens: ['late'], title: 'Late' }),
        beckon.email.send(scope, { to: 'late@example.test', subject: 'Late', text: 'Late' }),
        beckon.sms.send(scope, { to: '+15005000000', body: 'Late' }),
      ]);
      await beckon.worker.stop();

      const sent = messages.filter(({ status }) => status === 'sent').length;
      const figures = {
        messages: messages.length,
        givenBefore: atRemoval,
        sent,
        givenAfter: Math.max(sent - atRemoval, 0),
        notConfigured: messages.filter(({ errorCode }) => errorCode === 'provider_not_configured').length,
        ...judged(stage, messages),
      };
      print('removed', engine, figures, seed);
      expect(figures).toMatchObject({ messages: queued, lost: 0, twice: 0, notConfigured: queued - sent });
      expect(figures.notConfigured).toBeGreaterThan(0);
      expect(figures.givenAfter).toBe(0);
      expect(refused.map((one) => (one.status === 'rejected' ? one.reason.code : 'accepted'))).toEqual([
        'PROVIDER_NOT_CONFIGURED',
        'PROVIDER_NOT_CONFIGURED',
        'PROVIDER_NOT_CONFIGURED',
      ]);
    }),
  );
});
