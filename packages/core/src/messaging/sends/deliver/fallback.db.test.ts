import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase } from '../../../../test/support/database.ts';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  PROD,
  START,
  type World,
} from '../../../../test/support/sends/world.ts';
import { MAIL_PROVIDERS, mailApiFor } from '../../../../test/support/transports/mail-providers.ts';
import { createBeckon } from '../../../app/create.ts';
import { CIRCUIT_CAP_MS, CIRCUIT_MS, UNRESPONSIVE_IN_A_ROW } from '../../../delivery/providers/circuit.ts';
import { loadInOrder } from '../../../delivery/providers/order.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';
import { MAX_AGE_MS } from '../schema.ts';

const MAIL = { ...PROD, channel: 'email' } as const;
const refused: SendOutcome = { result: 'credential', code: 'auth', message: 'The login is wrong.' };
const dark: SendOutcome = { result: 'retry', code: 'ECONNREFUSED', message: 'Not reached.', processed: 'no' };
const accepted: SendOutcome = { result: 'accepted', providerId: 'p' };

describe('a fallback provider', () => {
  let world: World;
  let first: SendOutcome | Promise<SendOutcome>;
  let second: SendOutcome | Promise<SendOutcome>;
  let order: readonly string[];
  let messages: World['messages'];
  beforeEach(async () => {
    world = await openWorld();
    [first, second, order] = [accepted, accepted, []];
    world.credentials.configure(MAIL, () => first);
    world.credentials.configure(MAIL, () => second, { provider: 'ses' });
    const { source } = world.credentials;
    const load = loadInOrder(source.load, async () => () => order);
    const sending = world.engine({ credentials: { ...source, load } });
    messages = hand(world.database, sending.registrations.messages);
  });
  afterEach(() => world.close());

  const rows = async () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
  const carried = async () =>
    Object.fromEntries(
      [...Map.groupBy(await rows(), ({ provider, status, reason }) => `${provider} ${reason ?? status}`)].map(
        ([name, group]) => [name, group.length],
      ),
    );
  const send = (...list: string[]) => world.accept(PROD, draftTo(addresses(...list)));
  const drain = async (): Promise<void> => {
    while ((await messages.turn()) > 0);
  };

  it('the fallback gets nothing while the first provider accepts messages', async () => {
    await send(...numbered(3));
    await drain();
    expect(await carried()).toEqual({ 'smtp sent': 3 });
  });

  it('the fallback gets the rejected message and all later ones, without an attempt or a wait', async () => {
    first = refused;
    await send(...numbered(30));
    await messages.turn();
    world.clock.advance(1_000);
    await drain();
    await send('late@example.com');
    await drain();
    expect(await carried()).toEqual({ 'ses sent': 31 });
    expect((await rows()).every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it('the first provider takes over again when a probe is accepted', async () => {
    first = refused;
    await send('a@example.com');
    await messages.turn();
    world.clock.advance(1_000);
    await drain();
    const probe = Promise.withResolvers<SendOutcome>();
    first = probe.promise;
    world.clock.advance(CIRCUIT_MS);
    await send(...numbered(10));
    const handled = messages.process(await messages.claim());
    // One message is the probe of the first provider; the others do not wait for it.
    await vi.waitFor(() => expect(world.credentials.handed).toHaveLength(3));
    await drain();
    expect(await carried()).toEqual({ 'ses sent': 10, 'smtp sending': 1 });
    first = accepted;
    probe.resolve(accepted);
    await messages.commit(await handled);
    await send('b@example.com');
    await drain();
    expect(await carried()).toEqual({ 'ses sent': 10, 'smtp sent': 2 });
  });

  it('with both providers rejecting, messages are held until the first probe time and resume with either', async () => {
    [first, second] = [refused, refused];
    await send(...numbered(5));
    await messages.turn();
    world.clock.advance(1_000);
    await drain();
    expect(await carried()).toEqual({ 'ses held': 5 });
    second = accepted;
    world.clock.advance(CIRCUIT_MS + 2_000);
    await messages.turn();
    await messages.turn();
    await vi.waitFor(async () => expect(await carried()).not.toHaveProperty('ses held'));
    world.clock.advance(2_000);
    await drain();
    expect(Object.values(await carried()).reduce((sum, one) => sum + one, 0)).toBe(5);
    expect((await rows()).map(({ status }) => status)).toEqual(Array(5).fill('sent'));
  });

  it('several unanswered calls in a row move later messages to the fallback', async () => {
    first = dark;
    await send(...numbered(UNRESPONSIVE_IN_A_ROW - 1));
    await messages.turn();
    await send('a@example.com');
    await messages.turn();
    expect(await carried()).toEqual({ 'smtp queued': UNRESPONSIVE_IN_A_ROW });
    expect(world.credentials.notes).toContainEqual({ until: expect.any(Date), code: 'ECONNREFUSED' });
    await send(...numbered(10).map((one) => `late-${one}`));
    await messages.turn();
    expect(await carried()).toEqual({ 'smtp queued': UNRESPONSIVE_IN_A_ROW, 'ses sent': 10 });
    world.clock.advance(2_000);
    await drain();
    expect(await carried()).toEqual({ 'ses sent': UNRESPONSIVE_IN_A_ROW + 10 });
  });

  it('a fallback in outage gets nothing, and messages are retried as usual', async () => {
    [first, second] = [dark, dark];
    for (let turn = 0; turn < 3; turn += 1) {
      await send(...numbered(UNRESPONSIVE_IN_A_ROW).map((one) => `${turn}-${one}`));
      await messages.turn();
    }
    const all = await rows();
    expect(all.map(({ status, attempt }) => [status, attempt])).toEqual(all.map(() => ['queued', 1]));
    expect(all.map(({ reason }) => reason)).toEqual(all.map(() => null));
    expect(world.credentials.notes).toHaveLength(1);
  });

  it('with both providers in outage messages are held until one responds, at most for their lifetime', async () => {
    first = dark;
    await send(...numbered(UNRESPONSIVE_IN_A_ROW));
    await messages.turn();
    // The fallback fails just before the first provider is probed again.
    const lost = Promise.withResolvers<SendOutcome>();
    second = lost.promise;
    await send(...numbered(UNRESPONSIVE_IN_A_ROW).map((one) => `second-${one}`));
    const handled = messages.process(await messages.claim());
    await vi.waitFor(() => expect(world.credentials.handed).toHaveLength(2 * UNRESPONSIVE_IN_A_ROW));
    world.clock.advance(CIRCUIT_MS);
    lost.resolve(dark);
    await messages.commit(await handled);
    await drain();
    const { id } = await send(...numbered(10).map((one) => `late-${one}`));
    await messages.turn();
    // Without the messages that probed a provider.
    const late = async () => (await rows()).filter(({ sendId, attempt }) => sendId === id && attempt === 0);
    expect(await late()).toEqual(Array(10).fill(expect.objectContaining({ status: 'queued', reason: 'unreachable' })));
    world.clock.advance(MAX_AGE_MS - 1_000);
    await drain();
    await drain();
    const unreachable = { status: 'failed', errorCode: 'provider_unreachable', reason: null };
    // Each provider was probed once in each of the two sends.
    expect((await late()).length).toBeGreaterThanOrEqual(6);
    for (const one of await late()) expect(one).toMatchObject(unreachable);
    const other = await send('later@example.com');
    await messages.turn();
    expect((await rows()).find(({ sendId }) => sendId === other.id)).toMatchObject({ reason: 'unreachable' });
    [first, second] = [accepted, accepted];
    world.clock.advance(2 * CIRCUIT_CAP_MS);
    await drain();
    expect((await rows()).find(({ sendId }) => sendId === other.id)).toMatchObject({ status: 'sent' });
  });

  it('the project chooses the order of providers and may leave out the fallback', async () => {
    order = ['ses', 'smtp'];
    await send('a@example.com');
    await drain();
    expect(await carried()).toEqual({ 'ses sent': 1 });
    order = ['smtp'];
    first = refused;
    await send('b@example.com');
    await drain();
    expect(await carried()).toEqual({ 'ses sent': 1, 'smtp held': 1 });
  });
});

describe('a fallback of text messages', () => {
  it('an ambiguous text message never goes to the fallback', async () => {
    const world = await openWorld();
    try {
      const key = { ...PROD, channel: 'sms' } as const;
      const lost: SendOutcome = { result: 'retry', code: 'timeout', message: 'No answer.', processed: 'unknown' };
      world.credentials.configure(key, () => lost);
      world.credentials.configure(key, () => accepted, { provider: 'telnyx' });
      const text = (count: number) => {
        const recipients = addresses(...Array.from({ length: count }, (_, at) => `+1555010${at}`));
        return world.accept(PROD, { ...draftTo(recipients), channel: 'sms', content: { body: 'Hi' } });
      };
      await text(UNRESPONSIVE_IN_A_ROW);
      await world.messages.turn();
      await text(2);
      await world.messages.turn();
      world.clock.advance(3_600_000);
      await world.messages.turn();
      const rows = await world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
      expect(rows.map(({ provider, status, errorCode }) => [provider, status, errorCode])).toEqual([
        ...Array.from({ length: UNRESPONSIVE_IN_A_ROW }, () => ['twilio', 'failed', 'ambiguous_outcome']),
        ['telnyx', 'sent', null],
        ['telnyx', 'sent', null],
      ]);
    } finally {
      await world.close();
    }
  });
});

describe('500 emails with an outage of one provider', () => {
  it.each([
    ['rejects its credentials', 'http_401'],
    ['does not respond', 'ECONNRESET'],
  ])(
    'all 500 arrive once across two providers, and health reports who carried them and that the first %s',
    async (_, code) => {
      const database = await openTestDatabase();
      const clock = virtualClock(START);
      let isOver = false;
      const one = await mailApiFor(MAIL_PROVIDERS.sendgrid.rules, {
        takesMs: () => {
          if (!isOver && one.mails.length >= 200) {
            isOver = true;
            if (code === 'http_401') one.withdraw(true);
            else one.darken(true);
          }
          return 1;
        },
      });
      const two = await mailApiFor(MAIL_PROVIDERS.postmark.rules);
      const beckon = await createBeckon({
        db: database.url,
        masterKey: newMasterKey(),
        clock,
        outbound: {
          ca: one.ca,
          allowCidrs: ['127.0.0.0/8'],
          sendgrid: { endpoint: one.endpoint },
          postmark: { endpoint: two.endpoint },
        },
      });
      try {
        const org = await beckon.tenancy.createOrg({ name: 'Acme' });
        const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
        const scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'prod' });
        await beckon.settings.update(scope, 'email', {
          postmark: { ...MAIL_PROVIDERS.postmark.settings('first'), from: 'news@shop.test' },
          sendgrid: { ...MAIL_PROVIDERS.sendgrid.settings('first'), from: 'news@shop.test' },
          providers: ['sendgrid', 'postmark'],
        });
        const list = Array.from({ length: 500 }, (_, at) => `p${at}@example.com`);
        for (let at = 0; at < list.length; at += 50)
          await beckon.email.send(scope, { to: list.slice(at, at + 50), subject: 'Hello', text: 'There' });
        const began = performance.now();
        // Messages without capacity, or rejected ones, are due again within a second.
        for (let second = 0; second < 30 && one.mails.length + two.mails.length < 500; second += 1) {
          await beckon.worker.drain();
          clock.advance(1_000);
        }
        const tookMs = Math.round(performance.now() - began);
        const arrived = [...one.mails, ...two.mails].map(({ to }) => to);
        process.stdout.write(
          `fallback for ${code} on ${database.storage.dialect.name}: ${one.mails.length} of 500 by the first, ${two.mails.length} by the ` +
            `second, ${500 - new Set(arrived).size} lost, ${arrived.length - new Set(arrived).size} twice, ${tookMs} ms\n`,
        );
        expect(arrived.toSorted()).toEqual(list.toSorted());
        expect(one.mails.length).toBeGreaterThanOrEqual(200);
        expect(two.mails.length).toBeGreaterThan(0);
        expect(await beckon.sends.health(scope, 'email')).toMatchObject({
          sent: 500,
          failed: 0,
          byProvider: {
            sendgrid: { sent: one.mails.length, failed: 0 },
            postmark: { sent: two.mails.length, failed: 0 },
          },
          openCircuits: [
            {
              provider: 'sendgrid',
              code: expect.stringMatching(code === 'http_401' ? code : /^(ECONNRESET|UND_ERR_SOCKET)$/),
            },
          ],
        });
        expect(await beckon.settings.get(scope, 'email')).toMatchObject({ providers: ['sendgrid', 'postmark'] });
      } finally {
        await beckon.close();
        await Promise.all([one.stop(), two.stop(), database.close()]);
      }
    },
  );
});
