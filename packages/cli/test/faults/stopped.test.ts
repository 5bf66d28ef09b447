import { describe, expect, it } from 'vitest';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { untilDrained } from '../kill/drained.ts';
import { killSeed, randomOf } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { type Entry, lostOf, readLedger, repeats, wrongSends } from './ledger.ts';
import { pause, pauseWithin } from './pause.ts';
import { mail, pushToIos, text } from './sends.ts';
import { onStage, type Stage } from './stage.ts';
import { until } from './wait.ts';

/** Duration of the stop: two leases. Source: reliability promises (a paused worker). */
const PAUSE_MS = 60_000;
const FIRST = 1;
/** One more than the capacity of APNs, with the slow ones. Source: core, transports/apns/apns.ts (900). */
const PUSHES = 861;
const MAILS = 30;
const TEXTS = 200;
/**
 * Slow pushes that end only after the stop, when the other worker has them. This number has a permit at the stop, and
 * the same number waits for one.
 */
const SLOW = 40;
/** Response times of providers during the stop, so that many responses wait for the stopped worker. */
const TAKES = { apns: 8_000, smtp: 5_000, twilio: 8_000, slow: 3_600_000 };
/** Response times afterwards. Slow pushes stay slow. */
const AT_ONCE = { apns: 0, smtp: 0, twilio: 0 };
/** Minimum messages in flight of the stopped worker. Chosen; email has five permits. */
const LEAST = { push: 500, email: 2, sms: 25 };
/** Messages per channel for the resumed worker. */
const LATER = 40;
const LOOK_MS = 100;
/** Prefix of slow tokens. */
const SLOW_TOKEN = apnsToken('slow').slice(0, 6);

/** Many small transactions, and the remaining time after the takeover on a busy machine. */
const WITHIN = { pushes: 5_000, takesMs: 100, leftMs: 10_000 };
/** A lease of 30 s and five to notice. Source: reliability promises (worker takeover). */
const TAKEOVER_MS = 35_000;

const seed = killSeed();

type Row = Pick<Entry, 'id' | 'channel' | 'address' | 'status' | 'fence'>;

/** Every finished message and send, with all fields that an outcome writes. */
const finished = async ({ deployment }: Stage): Promise<ReadonlyMap<string, string>> => {
  const messages = await deployment.query<{ id: string }>(
    `select id, status, reason, fence, attempt, error_code, error, provider_id, sent_at, finished_at, due_at,
     lease_until from messages where finished_at is not null`,
  );
  const sends = await deployment.query<{ id: string }>(
    `select id, status, targeted, sent, failed, bounced, suppressed, error_code, finished_at from sends
     where finished_at is not null`,
  );
  return new Map([...messages, ...sends].map((row) => [row.id, JSON.stringify(row)]));
};

const leased = ({ deployment }: Stage): Promise<Row[]> =>
  deployment.query('select id, channel, address, status, fence from messages where lease_until is not null');

const isSlow = ({ address }: Pick<Entry, 'address'>): boolean => address.startsWith(SLOW_TOKEN);
/** The slow ones. */
const slowOnes = async (stage: Stage): Promise<Row[]> => (await leased(stage)).filter(isSlow);

/** Waits until at most this number of messages is unfinished. */
const untilLeft = ({ deployment }: Stage, most: number): Promise<void> =>
  until(
    `no more than ${most} messages are left`,
    async () => {
      const [row] = await deployment.query<{ open: number }>(
        'select cast(count(*) as integer) as open from messages where finished_at is null',
      );
      return row !== undefined && row.open <= most;
    },
    { withinMs: PAUSE_MS, everyMs: LOOK_MS },
  );

const isUnderWay = ({ gateways: { apns, relay, twilio } }: Stage): boolean =>
  apns.open() >= LEAST.push && (relay.open?.() ?? 0) >= LEAST.email && twilio.open() >= LEAST.sms;

describe.concurrent('a worker that is stopped for a minute', () => {
  it.for(ENGINES)(
    'a worker resumed after a minute changes no row of the worker that took over, and continues, on %s',
    (engine) =>
      onStage(engine, async (stage) => {
        const { deployment, gateways, work } = stage;
        const { apns } = gateways;
        const sleeper = await work();
        // An APNs connection starts with a single push, which must not be a slow one.
        await pushToIos(stage, 'first', FIRST);
        await untilDrained(deployment, sleeper);
        Object.assign(gateways.pace, TAKES);
        await pushToIos(stage, 'in a place', SLOW, 'slow');
        await mail(stage, 'stopped', MAILS);
        await text(stage, 0, TEXTS);
        await pushToIos(stage, 'stopped', PUSHES);
        await until('every place is taken', () => apns.open() === PUSHES - 1 + SLOW, { withinMs: TAKES.apns });
        await pushToIos(stage, 'in line', SLOW, 'slow');
        const isInLine = async (): Promise<boolean> =>
          (await slowOnes(stage)).filter(({ status }) => status === 'queued').length === SLOW;
        await until(
          'enough is under way on every channel, and more in line',
          async () => isUnderWay(stage) && (await isInLine()),
        );
        const resume = await pause(deployment, sleeper, randomOf(`stopped ${engine} ${seed}`));
        const stoppedAt = performance.now();
        const held = await leased(stage);
        Object.assign(gateways.pace, AT_ONCE);
        const other = await work();
        await pushToIos(stage, 'first of the other', FIRST);
        await untilLeft(stage, 2 * SLOW);
        const takeoverS = (performance.now() - stoppedAt) / 1_000;
        const isInOthersHands = async (): Promise<boolean> =>
          (await slowOnes(stage)).filter(({ status }) => status === 'sending').length > SLOW;
        await until(
          'the minute is over and the other one has in hand what the stopped one had',
          async () => performance.now() - stoppedAt > PAUSE_MS && (await isInOthersHands()),
          { withinMs: 2 * PAUSE_MS, everyMs: LOOK_MS },
        );
        const inHand = await slowOnes(stage);
        const before = new Map((await readLedger(stage)).map((entry) => [entry.id, entry]));
        const finishedBefore = await finished(stage);
        resume();
        gateways.pace.slow = 0;
        await untilDrained(deployment, other);
        const otherExit = await other.stop();
        await pushToIos(stage, 'later', LATER);
        await mail(stage, 'later', LATER);
        await text(stage, TEXTS, LATER);
        await untilDrained(deployment, sleeper);
        // Until the worker has ended, late results of its messages may arrive.
        const exit = await sleeper.stop();
        const finishedAfter = await finished(stage);
        const entries = await readLedger(stage);
        const taken = held.filter(({ id, fence }) => (before.get(id)?.fence ?? 0) > fence);
        const wereSending = taken.filter(({ status }) => status === 'sending');
        const inSending = (channel: Entry['channel']) => wereSending.filter((row) => row.channel === channel).length;
        const sendingIds = new Set(wereSending.map(({ id }) => id));
        const inHandThen = new Set(inHand.map(({ id }) => id));
        const waited = held.filter(({ id, status }) => inHandThen.has(id) && status === 'queued');
        const later = entries.filter(({ id }) => !before.has(id));
        const figures = {
          messages: entries.length,
          lost: lostOf(entries).length,
          takenOver: taken.length,
          pushInSending: inSending('push'),
          emailInSending: inSending('email'),
          smsInSending: inSending('sms'),
          inOthersHands: inHand.length,
          ofThemFromTheLine: waited.length,
          twice: repeats(entries.filter((entry) => !isSlow(entry))),
          smsTwice: repeats(entries.filter(({ channel }) => channel === 'sms')),
          smsAmbiguous: entries.filter(({ errorCode }) => errorCode === 'ambiguous_outcome').length,
          staleCommits: [...finishedBefore].filter(([id, row]) => finishedAfter.get(id) !== row).length,
          // A stale result would take the message from the other worker and reset its attempts.
          takenFromOther: entries.filter((entry) => isSlow(entry) && entry.times > entry.attempt).length,
          sentAfterwards: later.filter(({ status, times }) => status === 'sent' && times === 1).length,
          takeoverS: takeoverS.toFixed(1),
        };
        print('stopped', engine, figures, seed);
        expect([exit, otherExit]).toEqual([0, 0]);
        expect(figures).toMatchObject({
          messages: 2 * FIRST + 2 * SLOW + PUSHES + MAILS + TEXTS + 3 * LATER,
          lost: 0,
          smsTwice: 0,
          smsAmbiguous: figures.smsInSending,
          staleCommits: 0,
          takenFromOther: 0,
          sentAfterwards: 3 * LATER,
        });
        expect(figures.ofThemFromTheLine).toBeGreaterThan(0);
        expect(figures.pushInSending).toBeGreaterThanOrEqual(LEAST.push);
        expect(figures.emailInSending).toBeGreaterThanOrEqual(LEAST.email);
        expect(figures.smsInSending).toBeGreaterThanOrEqual(LEAST.sms);
        expect(entries.filter((entry) => !isSlow(entry) && entry.times > (sendingIds.has(entry.id) ? 2 : 1))).toEqual(
          [],
        );
        expect(await wrongSends(stage)).toEqual([]);
      }),
  );

  it('a worker stopped within a PostgreSQL transaction blocks its rows only until the server ends the transaction', () =>
    onStage('postgres', async (stage) => {
      const { deployment, gateways, work } = stage;
      const { apns, pace } = gateways;
      pace.apns = WITHIN.takesMs;
      await pushToIos(stage, 'within', WITHIN.pushes);
      const sleeper = await work();
      await until('it is in the middle of its work', () => apns.arrived().length > WITHIN.pushes / 10);
      const resume = await pauseWithin(deployment, sleeper, randomOf(`within ${seed}`));
      const stoppedAt = performance.now();
      const inSending = (await leased(stage)).filter(({ status }) => status === 'sending').length;
      pace.apns = 0;
      const other = await work();
      await untilDrained(deployment, other);
      const drainedMs = performance.now() - stoppedAt;
      resume();
      const exits = [await sleeper.stop(), await other.stop()];
      const entries = await readLedger(stage);
      const figures = {
        messages: entries.length,
        lost: lostOf(entries).length,
        inSending,
        twice: repeats(entries),
        drainedS: (drainedMs / 1_000).toFixed(1),
      };
      print('stopped within', stage.engine, figures, seed);
      expect(exits).toEqual([0, 0]);
      expect(figures).toMatchObject({ messages: WITHIN.pushes, lost: 0 });
      expect(figures.twice).toBeLessThanOrEqual(inSending);
      expect(drainedMs).toBeLessThanOrEqual(TAKEOVER_MS + WITHIN.leftMs);
      expect(await wrongSends(stage)).toEqual([]);
    }));
});
