import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { killNine } from '../kill/deployment.ts';
import { untilDrained } from '../kill/drained.ts';
import { leaseWatch } from '../kill/leases.ts';
import { killSeed, randomOf } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { type Entry, lostOf, readLedger, repeats, shownTwice, wrongSends } from './ledger.ts';
import { untilSettled } from './pause.ts';
import { mail, pushToIos, text } from './sends.ts';
import { onStage, type Stage } from './stage.ts';
import { until } from './wait.ts';

/** Kills that share one wait for leases: all of them happen before the first lease expires. */
const KILLS = 3;
/** Messages per round. Chosen: several times the maximum in flight. */
const PUSHES = 3_000;
const MAILS = 100;
const TEXTS = 400;
/** Response time of providers until the last kill, so that many messages are always in flight. */
const TAKES = { apns: 700, smtp: 600, twilio: 700 };
const AT_ONCE = { apns: 0, smtp: 0, twilio: 0 };
/** Minimum messages in flight at a kill. Chosen: most of the permits of email and SMS (5 and 50). */
const LEAST = { push: 100, email: 3, sms: 25 };
/** Maximum delay of the kill after that. */
const KILL_AFTER_MS = 800;
/** A lease of 30 s and five to notice. Source: reliability promises (worker takeover). */
const TAKEOVER_MS = 35_000;

const seed = killSeed();

type Held = Pick<Entry, 'id' | 'channel' | 'fence'>;

/** Messages in status sending, from the database. */
const inSending = ({ deployment }: Stage): Promise<Held[]> =>
  deployment.query("select id, channel, fence from messages where status = 'sending'");

const isUnderWay = ({ gateways: { apns, relay, twilio } }: Stage): boolean =>
  apns.open() >= LEAST.push && (relay.open?.() ?? 0) >= LEAST.email && twilio.open() >= LEAST.sms;
const isIdle = ({ gateways: { apns, relay, twilio } }: Stage): boolean =>
  apns.open() === 0 && relay.open?.() === 0 && twilio.open() === 0;

const ofChannel = <One extends { readonly channel: string }>(all: readonly One[], channel: Entry['channel']): One[] =>
  all.filter((one) => one.channel === channel);

describe.concurrent('kill -9 of a worker with messages in flight', () => {
  it.for(ENGINES)(
    'kill -9 of a worker loses no message and repeats at most those in flight, never an SMS, on %s',
    (engine) =>
      onStage(engine, async (stage) => {
        const { deployment, gateways, work } = stage;
        const random = randomOf(`killed ${engine} ${seed}`);
        const leases = leaseWatch(deployment);
        const takeovers: (() => number)[] = [];
        const killed: Held[] = [];
        Object.assign(gateways.pace, TAKES);
        for (let round = 0; round < KILLS; round += 1) {
          await pushToIos(stage, `killed ${round}`, PUSHES);
          await mail(stage, `killed-${round}`, MAILS);
          await text(stage, round * TEXTS, TEXTS);
          const worker = await work();
          await until('enough is under way on every channel', () => isUnderWay(stage));
          await sleep(random() * KILL_AFTER_MS);
          await until('enough is still under way on every channel', () => isUnderWay(stage));
          await killNine(worker);
          await untilSettled(deployment);
          const killedLeases = new Set(killed.map(({ id, fence }) => `${id}/${fence}`));
          killed.push(...(await inSending(stage)).filter(({ id, fence }) => !killedLeases.has(`${id}/${fence}`)));
          takeovers.push(await leases.died());
          await until('the dead one is gone from its providers', () => isIdle(stage));
        }
        Object.assign(gateways.pace, AT_ONCE);
        const last = await work();
        await untilDrained(deployment, last);
        await leases.stop();
        const exit = await last.stop();
        const entries = await readLedger(stage);
        const deaths = Map.groupBy(killed, ({ id }) => id);
        // If a lease expired between two kills, the next worker may have died with a message that was only leased.
        const idsHeld = (channel: Entry['channel']) => [...new Set(ofChannel(killed, channel).map(({ id }) => id))];
        const held = (channel: Entry['channel']): number =>
          channel === 'sms' ? idsHeld(channel).length : ofChannel(killed, channel).length;
        const twice = (channel: Entry['channel']): number => repeats(ofChannel(entries, channel));
        const ambiguous = entries.filter(({ errorCode }) => errorCode === 'ambiguous_outcome');
        const figures = {
          kills: KILLS,
          messages: entries.length,
          sent: entries.filter(({ status }) => status === 'sent').length,
          lost: lostOf(entries).length,
          pushInSending: held('push'),
          pushTwice: twice('push'),
          pushShownTwice: shownTwice(stage),
          emailInSending: held('email'),
          emailTwice: twice('email'),
          smsInSending: held('sms'),
          smsTwice: twice('sms'),
          smsAmbiguous: ambiguous.length,
          takeoverS: (Math.max(...takeovers.map((ms) => ms())) / 1_000).toFixed(1),
        };
        print('killed', engine, figures, seed);
        expect(exit).toBe(0);
        expect(figures).toMatchObject({
          messages: KILLS * (PUSHES + MAILS + TEXTS),
          lost: 0,
          smsTwice: 0,
          pushShownTwice: 0,
        });
        // Every other message that is not sent would be lost silently.
        expect(figures.sent).toBe(figures.messages - figures.smsAmbiguous);
        expect(figures.pushInSending).toBeGreaterThanOrEqual(KILLS * LEAST.push);
        expect(figures.emailInSending).toBeGreaterThanOrEqual(KILLS);
        expect(figures.smsInSending).toBeGreaterThanOrEqual(KILLS * LEAST.sms);
        expect(figures.pushTwice).toBeLessThanOrEqual(figures.pushInSending);
        expect(figures.emailTwice).toBeLessThanOrEqual(figures.emailInSending);
        expect(entries.filter(({ id, times }) => times > 1 + (deaths.get(id)?.length ?? 0))).toEqual([]);
        expect(ambiguous.map(({ id }) => id).toSorted()).toEqual(idsHeld('sms').toSorted());
        for (const takeover of takeovers) expect(takeover()).toBeLessThanOrEqual(TAKEOVER_MS);
        expect(await wrongSends(stage)).toEqual([]);
      }),
  );
});
