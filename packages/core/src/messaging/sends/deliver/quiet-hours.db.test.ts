import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  PROD,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import { CIRCUIT_MS } from '../../../delivery/providers/circuit.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { nextTurn } from '../../../foundation/contained.ts';
import { millisecondOf } from '../../../foundation/derived-id.ts';
import { timeZoneData } from '../../../foundation/zone-clock.ts';
import { type DeliverySettings, viewOf } from '../../settings/view.ts';
import { sendingErasers } from '../erase/erase.ts';

const QUIET = { enabled: true, start: '22:00', end: '08:00' };
const settingsOf = (setting: object, zone: string): DeliverySettings =>
  viewOf([
    { name: 'email.quietHours', value: setting },
    { name: 'orgDefaultTimezone', value: zone },
  ]);
const NEW_YORK = settingsOf(QUIET, 'America/New_York');
/** 22:00 on the Saturday before clocks go forward, and 08:00 on the Sunday after: nine hours. */
const [EVENING, MORNING] = ['2026-03-08T03:00:00.000Z', '2026-03-08T12:00:00.000Z'];
const MAIL = { ...PROD, channel: 'email' } as const;
const ACCEPTED: SendOutcome = { result: 'accepted', providerId: null };

describe('messages in the night of a clock change', () => {
  let world: World;
  let settings: DeliverySettings;
  beforeEach(async () => {
    settings = NEW_YORK;
    world = await openWorld({ loadSettings: async () => () => settings });
    goTo(EVENING, -1);
  });
  afterEach(() => world.close());

  /** Sets the clock to a moment plus `ms`. */
  const goTo = (moment: string, ms = 0): void => {
    world.clock.advance(Date.parse(moment) + ms - world.clock.now().getTime());
  };
  const accept = (list = ['ann@example.com'], scope = TEST) => world.accept(scope, draftTo(addresses(...list)));
  const sendOf = (id: string) => world.sending.sends.get(TEST, 'email', id);
  const messagesOf = async (id: string) => (await world.sending.sends.messages(TEST, 'email', id)).data;
  /** Adds a user with this time zone. */
  const inZone = (timezone: string, userId: string, email: string): void => {
    world.addPerson(TEST, userId, { email });
    const { loadProfiles } = world.hooks;
    world.hooks.loadProfiles = async (keys) =>
      new Map(
        [...(await loadProfiles(keys))].map(([key, profile]) => [
          key,
          profile.person === `u:${userId}` ? { ...profile, timezone } : profile,
        ]),
      );
  };
  const dueInMs = () => world.storage.nextDueInMs(world.sending.registrations.messages.claim);

  it('messages go until quiet hours begin, wait until they end, and are evaluated again', async () => {
    const early = await accept();
    await world.drain();
    expect(await sendOf(early.id)).toMatchObject({ status: 'sent' });
    // Claimed before ten and evaluated after it.
    const late = await accept();
    const leased = await world.messages.claim();
    goTo(EVENING);
    await world.messages.commit(await world.messages.process(leased));
    const until = new Date(MORNING);
    expect(await messagesOf(late.id)).toMatchObject([
      { status: 'deferred', reason: 'quiet_hours', deferredUntil: until, attempt: 0 },
    ]);
    const rows = await world.storage.db.select().from(world.tables.messages);
    expect(rows.map(({ deferredUntil }) => deferredUntil)).toEqual([null, until]);
    expect(await sendOf(late.id)).toMatchObject({
      status: 'queued',
      startedAt: null,
      counts: { targeted: 1, queued: 0, deferred: 1, sent: 0 },
    });
    expect(await dueInMs()).toBe(9 * 3_600_000);
    // A deferred message delays no other message.
    const text = draftTo(addresses('bob@example.com'));
    const exempt = await world.accept(TEST, { ...text, class: 'transactional' });
    await world.drain();
    expect(await sendOf(exempt.id)).toMatchObject({ status: 'sent', counts: { deferred: 0 } });
    goTo(MORNING, -1);
    expect(await world.messages.turn()).toBe(0);
    goTo(MORNING);
    expect(await world.messages.turn()).toBe(1);
    expect(await messagesOf(late.id)).toMatchObject([
      { status: 'sent', reason: null, deferredUntil: null, attempt: 1, sentAt: until },
    ]);
    expect(await sendOf(late.id)).toMatchObject({ status: 'sent', counts: { queued: 0, deferred: 0, sent: 1 } });
    const shown = (await world.caught()).map(({ createdAt }) => createdAt.toISOString());
    expect(shown).toEqual([new Date(Date.parse(EVENING) - 1).toISOString(), EVENING, MORNING]);
  });

  it('a message is deferred again if it is still quiet, and at most for the maximum since the first deferral', async () => {
    goTo(EVENING);
    const { id } = await accept();
    await world.drain();
    settings = settingsOf({ ...QUIET, end: '09:00', maxDeferMinutes: 600 }, 'America/New_York');
    goTo(MORNING);
    await world.drain();
    expect(await messagesOf(id)).toMatchObject([
      { status: 'deferred', deferredUntil: new Date(Date.parse(MORNING) + 3_600_000), attempt: 0 },
    ]);
    expect(await sendOf(id)).toMatchObject({ counts: { queued: 0, deferred: 1 } });
    settings = settingsOf({ ...QUIET, end: '09:01', maxDeferMinutes: 600 }, 'America/New_York');
    goTo(MORNING, 3_600_000);
    await world.drain();
    expect(await messagesOf(id)).toMatchObject([{ status: 'suppressed', reason: 'quiet_hours', deferredUntil: null }]);
    expect(await sendOf(id)).toMatchObject({
      status: 'suppressed',
      counts: { suppressed: 1, deferred: 0 },
      suppressedByReason: { quiet_hours: 1 },
    });
  });

  it('messages of a window within one day go in the minute in which it ends', async () => {
    settings = settingsOf({ ...QUIET, start: '09:00', end: '22:00' }, 'America/New_York');
    goTo(EVENING, -1);
    const waiting = await accept();
    await world.drain();
    expect(await messagesOf(waiting.id)).toMatchObject([{ status: 'deferred', deferredUntil: new Date(EVENING) }]);
    goTo(EVENING);
    const fresh = await accept();
    await world.drain();
    for (const { id } of [waiting, fresh])
      expect(await messagesOf(id)).toMatchObject([{ status: 'sent', deferredUntil: null, sentAt: new Date(EVENING) }]);
  });

  it('the suppress setting ends messages at once', async () => {
    settings = settingsOf({ ...QUIET, behavior: 'suppress' }, 'America/New_York');
    goTo(EVENING);
    const { id } = await accept();
    await world.drain();
    expect(await messagesOf(id)).toMatchObject([{ status: 'suppressed', reason: 'quiet_hours', attempt: 0 }]);
    expect(await sendOf(id)).toMatchObject({ status: 'suppressed' });
  });

  it('deferred messages can be cancelled unless another message of the send was handed over', async () => {
    goTo(EVENING);
    const { id } = await accept();
    await world.drain();
    expect(await world.sending.sends.cancel(TEST, 'email', id)).toMatchObject({
      status: 'cancelled',
      counts: { queued: 0, deferred: 0 },
    });
    expect(await messagesOf(id)).toMatchObject([{ status: 'cancelled', deferredUntil: null }]);
    inZone('Asia/Tokyo', 'tom', 'tom@example.com');
    world.addPerson(TEST, 'ann', { email: 'ann@example.com' });
    const both = await world.accept(TEST, draftTo(users('ann', 'tom')));
    await world.drain();
    expect((await messagesOf(both.id)).map(({ userId, status }) => `${userId} ${status}`).sort()).toEqual([
      'ann deferred',
      'tom sent',
    ]);
    expect(await sendOf(both.id)).toMatchObject({ status: 'sending', counts: { queued: 0, deferred: 1, sent: 1 } });
    await expect(world.sending.sends.cancel(TEST, 'email', both.id)).rejects.toMatchObject({
      details: { reason: 'already_dispatched' },
    });
    goTo(MORNING);
    await world.drain();
    expect(await sendOf(both.id)).toMatchObject({ status: 'sent', counts: { deferred: 0, sent: 2 } });
    expect((await world.caught()).map(({ sendId }) => sendId)).toEqual([both.id, both.id]);
  });

  it('a deferred message explains its quiet hours; a sent one keeps when it was first deferred', async () => {
    goTo(EVENING, 1_800_000);
    const { id } = await accept();
    await world.drain();
    const [message] = await messagesOf(id);
    const explained = async () => (await world.sending.sends.message(TEST, 'email', message?.id ?? '')).explanation;
    const waiting = await explained();
    expect(waiting).toMatchObject({
      stoppedBy: 'quiet_hours',
      waitingFor: { kind: 'deferral', until: new Date(MORNING) },
    });
    expect(waiting.gates.find(({ gate }) => gate === 'quiet_hours')).toEqual({
      gate: 'quiet_hours',
      verdict: 'deferred',
      reason: 'quiet_hours',
      deferredUntil: new Date(MORNING),
      evidence: {
        enabled: true,
        window: '22:00-08:00',
        timezone: 'America/New_York',
        localTime: '2026-03-07T22:30:00',
        exempt: false,
        until: MORNING,
      },
    });
    goTo(MORNING);
    await world.drain();
    expect((await explained()).gates.find(({ gate }) => gate === 'quiet_hours')).toMatchObject({
      verdict: 'pass',
      evidence: { deferredAt: new Date(Date.parse(EVENING) + 1_800_000).toISOString() },
    });
  });

  it('deferred messages of an erased user are no longer counted', async () => {
    world.addPerson(TEST, 'ann', { email: 'ann@example.com' });
    inZone('Asia/Tokyo', 'ben', 'sandbox-retry@example.com');
    goTo(EVENING);
    const { id } = await world.accept(TEST, draftTo(users('ann', 'ben')));
    await world.messages.turn();
    expect(await sendOf(id)).toMatchObject({ counts: { targeted: 2, queued: 1, deferred: 1 } });
    const step = sendingErasers(world).eraser.begin({ scope: TEST, userId: 'ann', people: ['u:ann'], addresses: [] });
    while ((await step()).isMore);
    expect(await sendOf(id)).toMatchObject({ counts: { targeted: 1, queued: 1, deferred: 0 } });
  });

  it('deferred messages that are handed over and retried count as queued', async () => {
    goTo(EVENING);
    const { id } = await accept(['sandbox-retry@example.com', 'ann@example.com']);
    await world.drain();
    expect(await sendOf(id)).toMatchObject({ status: 'queued', counts: { queued: 0, deferred: 2 } });
    goTo(MORNING);
    expect(await world.messages.turn(1)).toBe(1);
    expect(await sendOf(id)).toMatchObject({ status: 'sending', counts: { queued: 1, deferred: 1, sent: 0 } });
  });

  it('several workers hand each message over once and never in its quiet hours', async () => {
    const zones = ['America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Asia/Tokyo'];
    for (const [at, zone] of zones.entries()) inZone(zone, `u${at}`, `${at}@example.com`);
    const workers = Array.from({ length: 3 }, () => hand(world.database, world.engine().registrations.messages));
    goTo(EVENING, -12 * 3_600_000);
    const steps = 45;
    for (let step = 0; step < steps; step += 1) {
      await world.accept(TEST, draftTo(users(...zones.map((_, at) => `u${at}`))));
      await Promise.all(
        workers.map(async (worker) => {
          while ((await worker.turn(3)) > 0);
        }),
      );
      world.clock.advance(45 * 60_000);
    }
    world.clock.advance(12 * 3_600_000);
    await world.drain();
    world.clock.advance(6 * 3_600_000);
    await world.drain();
    const caught = await world.caught();
    const isQuiet = ({ address, createdAt }: { readonly address: string; readonly createdAt: Date }): boolean => {
      const timeZone = zones[Number(address[0])] ?? '';
      const time = createdAt.toLocaleTimeString('en-GB', { timeZone, hourCycle: 'h23' });
      return time >= '22:00:00' || time < '08:00:00';
    };
    const late = caught.filter(({ createdAt, messageId }) => createdAt.getTime() - millisecondOf(messageId) > 60_000);
    const quiet = caught.filter(isQuiet).length;
    console.info(
      `quiet hours: ${caught.length} mails to ${zones.length} zones by ${workers.length} workers, ` +
        `${late.length} of them deferred, handed over inside quiet hours ${quiet} (time-zone data ${timeZoneData})`,
    );
    expect([caught.length, new Set(caught.map(({ messageId }) => messageId)).size, quiet]).toEqual([180, 180, 0]);
    expect(late.length).toBeGreaterThan(60);
  });

  it('a deferred message held for rejected credentials resumes early when they are accepted again', async () => {
    goTo(EVENING);
    world.credentials.configure(MAIL, () => ({ result: 'credential', code: 'auth', message: 'No.' }));
    const first = await world.accept(PROD, {
      ...draftTo(addresses('eve@example.com')),
      class: 'transactional',
    });
    const { id } = await accept(['bob@example.com'], PROD);
    await world.messages.turn();
    goTo(MORNING, -1_000);
    await world.messages.turn();
    goTo(MORNING);
    await world.messages.turn();
    const statuses = async () =>
      (await world.sending.sends.messages(PROD, 'email', id)).data.map(({ status, reason }) => `${status} ${reason}`);
    expect(await statuses()).toEqual(['deferred held']);
    world.credentials.configure(MAIL);
    world.sending.resume(PROD, 'email');
    await world.sending.close();
    await world.drain();
    expect(await statuses()).toEqual(['sent null']);
    expect(await world.sending.sends.get(PROD, 'email', first.id)).toMatchObject({ status: 'sent' });
  });

  it('a dry run shows the end of the deferral, or the suppression', async () => {
    inZone('Europe/Berlin', 'cat', 'cat@example.com');
    world.addPerson(TEST, 'ann', { email: 'ann@example.com' });
    const would = async (more: object = {}) => {
      const answer = await world.email.send(TEST, {
        userIds: ['ann', 'cat'],
        subject: 'Hi',
        text: 'There',
        dryRun: true,
        ...more,
      });
      return answer.messages.map(({ content: _, userId: __, address: ___, ...one }) => one);
    };
    const queued = { status: 'queued', reason: null };
    expect(await would()).toEqual([
      queued,
      { ...queued, status: 'deferred', reason: 'quiet_hours', deferredUntil: new Date('2026-03-08T07:00:00.000Z') },
    ]);
    goTo(EVENING);
    const night = { status: 'deferred', reason: 'quiet_hours', deferredUntil: new Date(MORNING) };
    expect((await would())?.[0]).toEqual(night);
    expect(await would({ class: 'transactional' })).toEqual([queued, queued]);
    expect(await would({ scheduledFor: MORNING })).toEqual([queued, queued]);
    settings = settingsOf({ ...QUIET, behavior: 'suppress' }, 'America/New_York');
    expect((await would())?.[0]).toEqual({ status: 'suppressed', reason: 'quiet_hours' });
    expect(await world.storage.db.select().from(world.tables.messages)).toEqual([]);
  });

  it('a call may begin up to five seconds after the evaluation', async () => {
    const { id } = await accept();
    const leased = await world.messages.claim();
    world.observer.beforeCommit = () => {
      delete world.observer.beforeCommit;
      world.clock.advance(5_000);
    };
    await world.messages.commit(await world.messages.process(leased));
    expect(await messagesOf(id)).toMatchObject([{ status: 'sent', attempt: 1 }]);
  });

  it('a message whose handover lasted into quiet hours is taken back, and another one probes the credentials', async () => {
    let answer: SendOutcome = { result: 'credential', code: 'auth', message: 'No.' };
    world.credentials.configure(MAIL, () => answer);
    goTo(EVENING, -2 * CIRCUIT_MS);
    await world.accept(PROD, { ...draftTo(addresses('eve@example.com')), class: 'transactional' });
    await world.messages.turn();
    answer = ACCEPTED;
    goTo(EVENING, -3_000);
    await world.storage.db.delete(world.tables.messages);
    const { id } = await accept(['bob@example.com'], PROD);
    const leased = await world.messages.claim();
    world.observer.beforeCommit = () => {
      delete world.observer.beforeCommit;
      world.clock.advance(6_000);
    };
    await world.messages.commit(await world.messages.process(leased));
    const statusOf = async (sendId: string) => (await world.sending.sends.messages(PROD, 'email', sendId)).data;
    expect(await statusOf(id)).toMatchObject([{ status: 'deferred', attempt: 0, deferredUntil: new Date(MORNING) }]);
    const next = await world.accept(PROD, { ...draftTo(addresses('cat@example.com')), class: 'transactional' });
    await world.messages.turn();
    expect(await statusOf(next.id)).toMatchObject([{ status: 'sent', attempt: 1 }]);
    expect(world.credentials.handed).toHaveLength(2);
  });

  it('a message waiting for a hanging provider is taken back when quiet hours begin', async () => {
    const isHanging = Promise.withResolvers<void>();
    let hangs = false;
    world.credentials.configure(
      MAIL,
      async () => {
        if (hangs) await isHanging.promise;
        // Fast answers let the limiter prepare messages before there is capacity.
        else if (world.credentials.handed.length % 8 === 0) world.clock.advance(1);
        return ACCEPTED;
      },
      { maxInFlight: 4 },
    );
    const counted = async (id: string) => {
      const { data } = await world.sending.sends.messages(PROD, 'email', id, { limit: 200 });
      return Object.entries(Object.groupBy(data, ({ status, attempt }) => `${status} ${attempt}`)).map(
        ([name, list]) => [name, list?.length],
      );
    };
    goTo(EVENING, -20_000);
    await accept(numbered(40), PROD);
    await world.messages.turn();
    hangs = true;
    const { id } = await accept(numbered(100), PROD);
    const handing = world.messages.process(await world.messages.claim());
    while (world.credentials.handed.length < 44) await nextTurn();
    expect(await counted(id)).toEqual([
      ['sending 1', 68],
      ['queued 0', 32],
    ]);
    goTo(EVENING, 60_000);
    isHanging.resolve();
    await world.messages.commit(await handing);
    expect(world.credentials.handed).toHaveLength(44);
    expect(await counted(id)).toEqual([
      ['sent 1', 4],
      ['deferred 0', 96],
    ]);
    const view = () => world.sending.sends.get(PROD, 'email', id);
    expect(await view()).toMatchObject({ status: 'sending', counts: { queued: 0, deferred: 96, sent: 4 } });
    goTo(MORNING);
    hangs = false;
    while ((await world.messages.turn()) > 0 || ((await dueInMs()) ?? -1) >= 0)
      world.clock.advance(Math.max((await dueInMs()) ?? 0, 0));
    expect(await counted(id)).toEqual([['sent 1', 100]]);
    expect(await view()).toMatchObject({ status: 'sent', counts: { deferred: 0, sent: 100 } });
  });
});
