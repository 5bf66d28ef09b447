import { and, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processContext } from '../../../../test/support/jobs/process-context.ts';
import { scopeLike } from '../../../../test/support/scopes.ts';
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
import { MAX_AGE_MS } from '../schema.ts';

const MAIL = { ...PROD, channel: 'email' } as const;
const refused: SendOutcome = { result: 'credential', code: 'auth', message: 'The login is wrong.' };
const accepted: SendOutcome = { result: 'accepted', providerId: 'p' };

describe('rejected credentials', () => {
  let world: World;
  let answer: SendOutcome;
  beforeEach(async () => {
    world = await openWorld();
    answer = refused;
    world.credentials.configure(MAIL, () => answer);
  });
  afterEach(() => world.close());

  const messages = async () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
  /** Waits for messages to be resumed, which happens in the background. */
  const resumed = () =>
    vi.waitFor(async () => expect((await messages()).filter(({ reason }) => reason === 'held')).toEqual([]));

  it('rejected credentials hold the message without using an attempt', async () => {
    await world.accept(PROD, draftTo(addresses('ann@example.com')));
    await world.messages.turn();
    const [row] = await messages();
    expect(row).toMatchObject({ status: 'queued', reason: 'held', errorCode: 'auth', attempt: 0 });
    expect(row?.dueAt?.getTime()).toBeGreaterThanOrEqual(world.clock.now().getTime() + CIRCUIT_MS);
    expect(world.credentials.notes).toEqual([
      { until: new Date(world.clock.now().getTime() + CIRCUIT_MS), code: 'auth' },
    ]);
  });

  it("the log names the provider and the number of held messages, not the provider's text", async () => {
    await world.accept(PROD, draftTo(addresses('ann@example.com')));
    await world.messages.turn();
    await world.accept(PROD, draftTo(addresses(...numbered(20))));
    await world.messages.turn();
    const { scopeId } = PROD;
    expect(world.warnings).toEqual([
      { scopeId, channel: 'email', provider: expect.any(String), code: 'auth', calls: 1 },
      { scopeId, channel: 'email', provider: expect.any(String), heldUntil: expect.any(Date), messages: 20 },
    ]);
  });

  it('rejected credentials keep their other messages from the provider; other credentials are not affected', async () => {
    const OTHER = { ...MAIL, ...scopeLike(PROD, { projectId: 'other' }) };
    world.credentials.configure(OTHER);
    await world.accept(PROD, draftTo(addresses('ann@example.com')));
    await world.messages.turn();
    const send = await world.accept(PROD, draftTo(addresses(...numbered(20))));
    const theirs = await world.accept(OTHER, draftTo(addresses('bob@example.com')));
    await world.messages.turn();
    expect(world.credentials.handed).toHaveLength(2);
    expect(await world.sending.sends.get(OTHER, 'email', theirs.id)).toMatchObject({ status: 'sent' });
    const own = (await messages()).filter(({ sendId }) => sendId === send.id);
    expect(own.map(({ reason, attempt, status }) => [status, reason, attempt])).toEqual(
      own.map(() => ['queued', 'held', 0]),
    );
    // A send without a message at its provider can still be cancelled.
    expect(await world.sending.sends.cancel(PROD, 'email', send.id)).toMatchObject({ status: 'cancelled' });
  });

  it('after the wait one message probes the credentials; if it is accepted, the others resume', async () => {
    await world.accept(PROD, draftTo(addresses(...numbered(30))));
    await world.messages.turn();
    expect(world.credentials.handed).toHaveLength(30);
    world.clock.advance(CIRCUIT_MS + 2_000);
    await world.messages.turn();
    expect(world.credentials.handed).toHaveLength(31);
    answer = accepted;
    world.clock.advance(2 * CIRCUIT_MS + 2_000);
    await world.messages.turn();
    expect(world.credentials.handed).toHaveLength(32);
    await resumed();
    await world.drain();
    expect(world.credentials.handed).toHaveLength(61);
    expect((await messages()).every(({ status, attempt }) => status === 'sent' && attempt === 1)).toBe(true);
    expect(world.credentials.notes.at(-2)).toEqual({ until: null, code: null });
  });

  it('a settings change discards the rejection and resumes the messages with the new credentials', async () => {
    await world.accept(PROD, draftTo(addresses('ann@example.com', 'bob@example.com')));
    await world.messages.turn();
    world.credentials.configure(MAIL, () => accepted);
    world.sending.resume(PROD, 'email');
    await resumed();
    await world.drain();
    expect((await messages()).map(({ status }) => status)).toEqual(['sent', 'sent']);
    await world.sending.close();
    expect(world.credentials.closed).toContain('org-a/app/prod/email/smtp@1');
  });

  it('a settings change does not delay a call in progress', async () => {
    const late = Promise.withResolvers<SendOutcome>();
    world.credentials.configure(MAIL, () => late.promise, { maxInFlight: 2 });
    await world.accept(PROD, draftTo(addresses(...numbered(5))));
    const handled = world.messages.process(await world.messages.claim());
    await vi.waitFor(() => expect(world.credentials.handed).toHaveLength(2));
    world.credentials.configure(MAIL, () => accepted);
    await world.accept(PROD, draftTo(addresses('new@example.com')));
    await world.messages.turn();
    late.resolve(refused);
    await world.messages.commit(await handled);
    world.clock.advance(1_000);
    await world.drain();
    expect((await messages()).map(({ status }) => status)).toEqual(Array(6).fill('sent'));
  });

  it('messages behind a probe end after three days; younger ones are kept', async () => {
    const DAYS = 3 * 86_400_000;
    const old = await world.accept(PROD, draftTo(addresses('ann@example.com', 'bob@example.com')));
    await world.messages.turn();
    const handed = () => world.credentials.handed.length;
    expect(handed()).toBe(2);
    // The first message is the probe, and the others wait a minute and half a second for it: exactly three days.
    world.clock.advance(DAYS - 60_500 - 1);
    const young = await world.accept(PROD, draftTo(addresses('eve@example.com')));
    world.clock.advance(1);
    await world.messages.turn();
    expect(handed()).toBe(3);
    const of = async (sendId: string) =>
      (await messages()).filter((row) => row.sendId === sendId).map(({ status, errorCode }) => [status, errorCode]);
    expect(await of(old.id)).toEqual([
      ['failed', 'credential_rejected'],
      ['failed', 'credential_rejected'],
    ]);
    expect(await of(young.id)).toEqual([['queued', null]]);
    expect(await world.sending.sends.get(PROD, 'email', old.id)).toMatchObject({
      status: 'failed',
      errorCode: 'credential_rejected',
      counts: { targeted: 2, queued: 0, failed: 2 },
    });
    expect(await world.sending.sends.get(PROD, 'email', young.id)).toMatchObject({ counts: { queued: 1, failed: 0 } });
  });

  it('a message held one millisecond less than three days is kept', async () => {
    await world.accept(PROD, draftTo(addresses('ann@example.com', 'bob@example.com')));
    await world.messages.turn();
    world.clock.advance(3 * 86_400_000 - 60_500 - 1);
    await world.messages.turn();
    expect((await messages()).map(({ status, reason }) => [status, reason])).toEqual([
      ['failed', null],
      ['queued', 'held'],
    ]);
  });

  it('messages held for three days end as failed', async () => {
    const { id } = await world.accept(PROD, draftTo(addresses('ann@example.com')));
    await world.messages.turn();
    for (let round = 0; round < 75; round += 1) {
      world.clock.advance(3_600_000);
      await world.messages.turn();
    }
    expect(world.clock.now().getTime()).toBeGreaterThan(MAX_AGE_MS);
    expect(await messages()).toMatchObject([{ status: 'failed', errorCode: 'credential_rejected' }]);
    expect(await world.sending.sends.get(PROD, 'email', id)).toMatchObject({ status: 'failed' });
  });
});

describe('removed credentials', () => {
  it('removed credentials fail the messages that still wait', async () => {
    const world = await openWorld();
    world.credentials.configure(MAIL);
    const { id } = await world.accept(PROD, draftTo(addresses('ann@example.com')));
    world.credentials.remove(MAIL);
    await world.drain();
    const { data } = await world.sending.sends.messages(PROD, 'email', id);
    expect(data).toMatchObject([{ status: 'failed', errorCode: 'provider_not_configured' }]);
    await world.close();
  });
});

describe('an unusable address', () => {
  it('an unusable address suppresses the message even if the provider was removed', async () => {
    const world = await openWorld();
    world.tokens.set('u1', [{ address: 'fcm:1', name: null, facts: { platform: 'android' } }]);
    const PUSH = { ...PROD, channel: 'push' } as const;
    world.credentials.configure(PUSH, undefined, { provider: 'fcm' });
    const { id } = await world.accept(PROD, { ...draftTo(users('u1')), channel: 'push' });
    world.push.inactive.add('fcm:1');
    world.credentials.remove(PUSH, 'fcm');
    await world.drain();
    const { data } = await world.sending.sends.messages(PROD, 'push', id);
    expect(data).toMatchObject([{ status: 'suppressed', reason: 'token_inactive', errorCode: null }]);
    expect(await world.sending.sends.get(PROD, 'push', id)).toMatchObject({ status: 'suppressed' });
    await world.close();
  });
});

describe('a transport that throws', () => {
  it('a transport that throws leads to a retry; the other messages are reported', async () => {
    const world = await openWorld();
    let isBroken = true;
    world.credentials.configure(MAIL, (message) => {
      if (isBroken && 'to' in message && JSON.stringify(message.to).includes('p1@')) throw new Error('a defect');
      return accepted;
    });
    const { id } = await world.accept(PROD, draftTo(addresses(...numbered(3))));
    await world.messages.turn();
    const of = async () => (await world.sending.sends.messages(PROD, 'email', id)).data;
    expect((await of()).map(({ status, errorCode, attempt }) => [status, errorCode, attempt])).toEqual([
      ['sent', null, 1],
      ['queued', 'transport_threw', 1],
      ['sent', null, 1],
    ]);
    expect(world.errors).toEqual(['a transport threw']);
    isBroken = false;
    world.clock.advance(1_000);
    await world.drain();
    expect(await world.sending.sends.get(PROD, 'email', id)).toMatchObject({ status: 'sent', counts: { sent: 3 } });
    await world.close();
  });

  it('a text message whose transport threw may have been sent and is not sent again', async () => {
    const world = await openWorld();
    world.credentials.configure({ ...PROD, channel: 'sms' }, () => {
      throw new Error('a defect');
    });
    await world.sms.send(PROD, { to: '+14155550199', body: 'Hi' });
    await world.drain();
    const rows = await world.storage.db.select().from(world.tables.messages);
    expect(rows).toMatchObject([{ status: 'failed', errorCode: 'ambiguous_outcome' }]);
    await world.close();
  });
});

describe('the capacity of a provider', () => {
  it('the capacity of a provider is never exceeded; other messages wait without using an attempt', async () => {
    const world = await openWorld();
    let now = 0;
    let peak = 0;
    const slow = async (): Promise<SendOutcome> => {
      now += 1;
      peak = Math.max(peak, now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      now -= 1;
      return accepted;
    };
    world.credentials.configure(MAIL, slow, { maxInFlight: 5 });
    const { id } = await world.accept(PROD, draftTo(addresses(...numbered(100))));
    expect(await world.messages.turn()).toBe(100);
    expect(world.credentials.handed).toHaveLength(69);
    const waiting = await world.storage.db
      .select()
      .from(world.tables.messages)
      .where(eq(world.tables.messages.status, 'queued'));
    expect(waiting).toHaveLength(31);
    expect(waiting.every(({ attempt, reason, leaseUntil }) => attempt === 0 && !reason && !leaseUntil)).toBe(true);
    world.clock.advance(60_000);
    await world.drain();
    expect(await world.sending.sends.get(PROD, 'email', id)).toMatchObject({ status: 'sent', counts: { sent: 100 } });
    expect(peak).toBe(5);
    await world.close();
  });

  it('emails may be handed over before there is capacity, text messages may not', async () => {
    const world = await openWorld();
    const { messages } = world.tables;
    /** Maximum unanswered handovers, with calls that take one millisecond each. */
    const most = { email: 0, sms: 0 };
    for (const channel of ['email', 'sms'] as const) {
      let answered = 0;
      const answer = async (): Promise<SendOutcome> => {
        world.clock.advance(1);
        const reasons = await world.storage.db
          .select()
          .from(messages)
          .where(and(eq(messages.channel, channel), eq(messages.status, 'sending')));
        most[channel] = Math.max(most[channel], reasons.length - answered);
        answered += 1;
        return accepted;
      };
      world.credentials.configure({ ...PROD, channel }, answer, { maxInFlight: 2 });
    }
    await world.accept(PROD, draftTo(addresses(...numbered(60))));
    for (let at = 0; at < 60; at += 1) await world.sms.send(PROD, { to: `+141555501${10 + at}`, body: 'Hi' });
    expect(await world.messages.turn()).toBe(120);
    expect(world.credentials.handed).toHaveLength(120);
    expect(most.sms).toBe(2);
    expect(most.email).toBeGreaterThan(8);
    await world.close();
  });

  it('each scope has its own provider capacity', async () => {
    const world = await openWorld();
    const forever = Promise.withResolvers<SendOutcome>();
    world.credentials.configure(MAIL, () => forever.promise, { maxInFlight: 2 });
    await world.accept(PROD, draftTo(addresses(...numbered(100))));
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const rows = await world.messages.claim();
    const ended: string[] = [];
    const { registrations } = world.sending;
    const handled = registrations.messages.process(rows, (row) => ended.push(row.id), processContext());
    const [mine] = (await world.sending.sends.messages(TEST, 'email', id)).data;
    while (!ended.includes(mine?.id ?? '')) await new Promise((resolve) => setTimeout(resolve, 1));
    forever.resolve(accepted);
    await handled;
    expect(ended.sort()).toEqual(rows.map((row) => row.id).sort());
    await world.close();
  });
});

describe('text messages', () => {
  const SMS = { ...PROD, channel: 'sms' } as const;
  const to = { to: '+14155550199', body: 'Hi' };
  const unknown: SendOutcome = { result: 'retry', code: 'reset', message: 'Gone.', processed: 'unknown' };

  it('a text message with an ambiguous outcome is not sent again', async () => {
    const world = await openWorld();
    world.credentials.configure(SMS, () => unknown);
    await world.sms.send(PROD, to);
    await world.drain();
    world.clock.advance(600_000);
    await world.drain();
    expect(world.credentials.handed).toHaveLength(1);
    const [row] = await world.storage.db.select().from(world.tables.messages);
    expect(row).toMatchObject({ status: 'failed', errorCode: 'ambiguous_outcome' });
    await world.close();
  });

  it('a text message that a killed worker had handed over is not sent again', async () => {
    const world = await openWorld();
    world.credentials.configure(SMS);
    await world.sms.send(PROD, to);
    await world.messages.process(await world.messages.claim());
    world.clock.advance(30_000);
    await hand(world.database, world.engine().registrations.messages).turn();
    expect(world.credentials.handed).toHaveLength(1);
    const [row] = await world.storage.db.select().from(world.tables.messages);
    expect(row).toMatchObject({ status: 'failed', errorCode: 'ambiguous_outcome', attempt: 1 });
    await world.close();
  });

  it('an ambiguous text message is sent again if the operator allows it', async () => {
    const world = await openWorld({ resendsAmbiguous: true });
    world.credentials.configure(SMS, (_, { attempt }) => (attempt === 1 ? unknown : accepted));
    await world.sms.send(PROD, to);
    await world.drain();
    world.clock.advance(600_000);
    await world.drain();
    expect(world.credentials.handed).toHaveLength(2);
    await world.close();
  });
});
