import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listeningTo } from '../../../../test/support/events/listening.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import {
  addresses,
  draftTo,
  hand,
  openWorld,
  PROD,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { CatalogName } from '../../../people/events/catalog.ts';
import { messageEvents } from '../finalize/catalog-events.ts';
import type { MessageChange } from '../finalize/change.ts';
import type { BoundMessageReaction } from '../finalize/reactions.ts';
import { bindMessageReaction } from '../finalize/reactions.ts';
import type { ReportResult } from './apply-report.ts';
import type { DeliveryReport, Reported } from './delivery-report.ts';

const GONE = { kind: 'bounced', isPermanent: true, code: '5.1.1', message: 'No such user.' } as const;
const FULL = { kind: 'bounced', isPermanent: false, code: '4.2.2', message: 'Mailbox full.' } as const;
const BLOCKED = { kind: 'bounced', isPermanent: false, isFinal: true, code: '5.7.1', message: 'Refused.' } as const;
const DELIVERED = { kind: 'delivered' } as const;
const COMPLAINED = { kind: 'complained' } as const;
const FAILED = { kind: 'failed', code: '30003', message: 'Unreachable.' } as const;
const HEARD: readonly CatalogName[] = ['email.delivered', 'email.bounced', 'email.complained', 'sms.failed'];

describe('provider reports', () => {
  let world: World;
  let sending: World['sending'];
  let changes: MessageChange[];
  beforeEach(async () => {
    world = await openWorld();
    changes = [];
    const emitter = listeningTo(world.tables, ...HEARD);
    const watching: BoundMessageReaction = {
      name: 'watching',
      concerns: () => true,
      load: async (some) => () => {
        changes.push(...some);
        return { writes: [] };
      },
    };
    const causes = async () => () => ({ depth: 0 });
    sending = world.engine({
      emitter,
      reactions: [bindMessageReaction(messageEvents({ emitter, causes })), watching],
    });
  });
  afterEach(async () => {
    await sending.close();
    await world.close();
  });

  /** Sends that were handed over; their provider ids are p0, p1, and so on. */
  const sent = async (count: number, channel: 'email' | 'sms' = 'email') => {
    const list = Array.from({ length: count }, (_, at) => `u${at}`);
    const at = channel === 'email' ? (one: number) => `p${one}@example.com` : (one: number) => `+1415555010${one}`;
    for (const [one, userId] of list.entries()) world.addPerson(TEST, userId, { email: at(one), phone: at(one) });
    const request = {
      ...draftTo(users(...list)),
      channel,
      content: { subject: 's', text: 't', body: 't', maxSegments: 1 },
    };
    const { id } = await world.accept(TEST, request);
    await world.drain();
    const { data } = await sending.sends.messages(TEST, channel, id);
    return { id, messages: data };
  };
  const reportOf = (messageId: string, reported: Reported, more: Partial<DeliveryReport> = {}): DeliveryReport => ({
    scope: scopeOf(TEST),
    channel: 'email',
    of: { messageId },
    reported,
    at: world.clock.now(),
    ...more,
  });
  const events = async () =>
    (await world.storage.db.select().from(world.tables.events)).map(({ eventType }) => eventType).sort();
  const countsOf = async (id: string, channel: 'email' | 'sms' = 'email') =>
    (await sending.sends.get(TEST, channel, id)).counts;

  /** The state of an email after these reports, applied one by one and again all at once. */
  const after = async (...reported: Reported[]) => {
    const { id, messages } = await sent(2);
    const taken: ReportResult[][] = [[], []];
    for (const one of reported) {
      world.clock.advance(1_000);
      taken[0]?.push(...(await sending.reports([reportOf(messages[0]?.id ?? '', one)])));
    }
    taken[1]?.push(...(await sending.reports(reported.map((one) => reportOf(messages[1]?.id ?? '', one)))));
    expect(taken[1]).toEqual(taken[0]);
    const [one, other] = (await sending.sends.messages(TEST, 'email', id)).data;
    expect(other?.status).toBe(one?.status);
    return { taken: taken[0], message: one, counts: await countsOf(id) };
  };

  it.each<[string, readonly Reported[], readonly ReportResult[], object, object]>([
    [
      'delivered once',
      [DELIVERED, DELIVERED],
      ['applied', 'ignored'],
      { status: 'delivered' },
      { sent: 2, delivered: 2 },
    ],
    [
      'permanently bounced after a delivery, and never delivered again',
      [DELIVERED, GONE, DELIVERED, GONE],
      ['applied', 'applied', 'ignored', 'ignored'],
      { status: 'bounced', reason: 'bounced', errorCode: '5.1.1' },
      { sent: 0, delivered: 0, bounced: 2, failed: 0 },
    ],
    [
      'sent after a temporary bounce, which is stored on it',
      [FULL, FULL],
      ['applied', 'ignored'],
      { status: 'sent', errorCode: '4.2.2', error: 'Mailbox full.' },
      { sent: 2, bounced: 0 },
    ],
    [
      'failed after a final bounce that does not concern the address, and never delivered again',
      [FULL, BLOCKED, DELIVERED, BLOCKED, FULL],
      ['applied', 'applied', 'ignored', 'ignored', 'ignored'],
      { status: 'failed', reason: null, errorCode: '5.7.1', error: 'Refused.' },
      { sent: 0, delivered: 0, bounced: 0, failed: 2 },
    ],
    [
      'delivered despite a later bounce that does not concern the address',
      [DELIVERED, BLOCKED],
      ['applied', 'ignored'],
      { status: 'delivered', errorCode: null },
      { sent: 2, delivered: 2, failed: 0 },
    ],
    [
      'permanently bounced after a final bounce that did not concern the address',
      [BLOCKED, GONE],
      ['applied', 'applied'],
      { status: 'bounced', reason: 'bounced', errorCode: '5.1.1' },
      { sent: 0, delivered: 0, bounced: 2, failed: 0 },
    ],
    [
      'unchanged after a complaint, which counts once',
      [DELIVERED, COMPLAINED, COMPLAINED],
      ['applied', 'applied', 'ignored'],
      { status: 'delivered', complainedAt: expect.any(Date) },
      { sent: 2, delivered: 2 },
    ],
  ])('reports leave an email %s', async (_, reported, taken, message, counts) => {
    const found = await after(...reported);
    expect(found.taken).toEqual(taken);
    expect(found.message).toMatchObject(message);
    expect(found.counts).toMatchObject({ targeted: 2, queued: 0, ...counts });
  });

  it('a bounce that does not concern the address lists no address and raises no event', async () => {
    const { messages } = await sent(2);
    const [a = '', b = ''] = messages.map(({ id }) => id);
    expect(await sending.reports([reportOf(a, BLOCKED), reportOf(b, FULL)])).toEqual(['applied', 'applied']);
    expect(await events()).toEqual([]);
    expect(changes.map(({ messageId, status, feedback }) => [messageId, status, feedback])).toEqual([
      [a, 'failed', null],
    ]);
  });

  it('each event is raised once, and reactions get the feedback on the address', async () => {
    const { messages } = await sent(3);
    const [a = '', b = '', c = ''] = messages.map(({ id }) => id);
    const all = [reportOf(a, DELIVERED), reportOf(b, GONE), reportOf(c, COMPLAINED)];
    expect(await sending.reports(all)).toEqual(['applied', 'applied', 'applied']);
    expect(await sending.reports(all)).toEqual(['ignored', 'ignored', 'ignored']);
    expect(await events()).toEqual(['email.bounced', 'email.complained', 'email.delivered']);
    expect(changes.map(({ messageId, from, status, feedback }) => [messageId, from, status, feedback?.kind])).toEqual([
      [a, 'sent', 'delivered', undefined],
      [b, 'sent', 'bounced', 'bounced'],
      [c, 'sent', 'sent', 'complained'],
    ]);
    expect(changes.map(({ feedback }) => feedback?.address)).toEqual([undefined, 'p1@example.com', 'p2@example.com']);
  });

  it("messages are found by the provider's id, with their scope, before a callback is verified", async () => {
    world.credentials.configure({ ...PROD, channel: 'email' }, () => ({ result: 'accepted', providerId: 'esp-1' }));
    await world.accept(PROD, draftTo(addresses('ann@example.com')));
    await world.drain();
    const [found] = await sending.find.byProviderIdsOfAll('email', ['esp-1', 'esp-2']);
    expect(found).toMatchObject({ scopeId: PROD.scopeId, providerId: 'esp-1' });
    expect(await sending.find.byProviderIdsOfAll('sms', ['esp-1'])).toEqual([]);
    const of = { providerId: 'esp-1' };
    const from = (scope: typeof PROD) => sending.reports([reportOf('', DELIVERED, { scope: scopeOf(scope), of })]);
    expect(await from(TEST)).toEqual(['unknown']);
    expect(await from(PROD)).toEqual(['applied']);
    expect(await sending.reports([reportOf(found?.id ?? '', COMPLAINED, { scope: scopeOf(PROD) })])).toEqual([
      'applied',
    ]);
  });

  it('address reports apply to a dead-lettered email that its provider had accepted', async () => {
    world.credentials.configure({ ...PROD, channel: 'email' }, () => {
      return { result: 'failed', code: 'no_answer', message: 'Nobody answered.' };
    });
    const { id } = await world.accept(PROD, draftTo(addresses('a@example.com', 'b@example.com', 'c@example.com')));
    await world.drain();
    const { data } = await sending.sends.messages(PROD, 'email', id);
    expect(data.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    const [a = '', b = '', c = ''] = data.map((message) => message.id);
    changes = [];
    const of = (messageId: string, reported: Reported) => reportOf(messageId, reported, { scope: scopeOf(PROD) });
    const all = [of(a, GONE), of(b, COMPLAINED), of(c, DELIVERED), of(c, FULL)];
    expect(await sending.reports(all)).toEqual(['applied', 'applied', 'ignored', 'ignored']);
    expect(await sending.reports(all)).toEqual(['ignored', 'ignored', 'ignored', 'ignored']);
    expect(changes.map(({ messageId, feedback }) => [messageId, feedback?.kind, feedback?.address])).toEqual([
      [a, 'bounced', 'a@example.com'],
      [b, 'complained', 'b@example.com'],
    ]);
    expect((await sending.sends.messages(PROD, 'email', id)).data.map(({ status }) => status)).toEqual([
      'bounced',
      'failed',
      'failed',
    ]);
    expect((await sending.sends.get(PROD, 'email', id)).counts).toMatchObject({ sent: 0, failed: 2, bounced: 1 });
  });

  it('a message of another tenant or channel is unknown, one in hand is early', async () => {
    const { messages } = await sent(1);
    const [{ id = '' } = {}] = messages;
    expect(
      await sending.reports([
        reportOf(id, GONE, { scope: scopeOf(PROD) }),
        reportOf(id, GONE, { channel: 'sms' }),
        reportOf(rowId('nobody'), GONE),
      ]),
    ).toEqual(['unknown', 'unknown', 'unknown']);
    const waiting = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const [message] = (await sending.sends.messages(TEST, 'email', waiting.id)).data;
    expect(await sending.reports([reportOf(message?.id ?? '', GONE)])).toEqual(['early']);
    expect(await sending.sends.get(TEST, 'email', waiting.id)).toMatchObject({ counts: { queued: 1, bounced: 0 } });
  });

  it('the first final status of a text message wins over later reports', async () => {
    const { id, messages } = await sent(2, 'sms');
    const [a = '', b = ''] = messages.map((message) => message.id);
    const report = (messageId: string, reported: Reported) =>
      sending.reports([reportOf(messageId, reported, { channel: 'sms' })]);
    expect([await report(a, FAILED), await report(a, DELIVERED)].flat()).toEqual(['applied', 'ignored']);
    expect([await report(b, DELIVERED), await report(b, FAILED)].flat()).toEqual(['applied', 'ignored']);
    expect(await countsOf(id, 'sms')).toMatchObject({ sent: 1, delivered: 1, failed: 1, bounced: 0 });
    expect(await events()).toEqual(['sms.failed']);
  });

  it('a report of a text message in hand is its answer, and its own later answer is ignored', async () => {
    const answer = Promise.withResolvers<SendOutcome>();
    world.credentials.configure({ ...PROD, channel: 'sms' }, () => answer.promise);
    const worker = hand(world.database, sending.registrations.messages);
    const content = { body: 'Hello', maxSegments: 1 };
    const texts = { ...draftTo(addresses('+14155550100', '+14155550101')), channel: 'sms', content } as const;
    const { id } = await world.accept(PROD, texts);
    const [a = '', b = ''] = (await sending.sends.messages(PROD, 'sms', id)).data.map((message) => message.id);
    const handled = Promise.all([a, b].map(async () => worker.process(await worker.claim(1))));
    while (world.credentials.handed.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const report = (messageId: string, reported: Reported) => {
      const about = { scope: scopeOf(PROD), channel: 'sms', of: { messageId, providerId: `p-${messageId}` } } as const;
      return sending.reports([reportOf('', reported, about)]);
    };
    const [first = ''] = world.credentials.handed.map(({ messageId }) => messageId);
    expect(await report(first, DELIVERED)).toEqual(['applied']);
    expect(await report(first, FAILED)).toEqual(['ignored']);
    answer.resolve({ result: 'retry', code: 'http_500', message: 'No.', processed: 'unknown' });
    await worker.commit((await handled).flat());
    const [one] = (await sending.sends.messages(PROD, 'sms', id)).data.filter((message) => message.id === first);
    expect(one).toMatchObject({ status: 'delivered', providerId: `p-${first}`, errorCode: null });
    const [other] = (await sending.sends.messages(PROD, 'sms', id)).data.filter((message) => message.id !== first);
    expect(other).toMatchObject({ status: 'failed', errorCode: 'ambiguous_outcome' });
    expect((await sending.sends.get(PROD, 'sms', id)).counts).toMatchObject({ sent: 1, delivered: 1, failed: 1 });
    // The assumed end gets the provider's reason and is counted once.
    expect(await report(other?.id ?? '', FAILED)).toEqual(['applied']);
    const [unanswered] = (await sending.sends.messages(PROD, 'sms', id)).data.filter((message) => message.id !== first);
    expect(unanswered).toMatchObject({ status: 'failed', errorCode: '30003' });
    expect(await sending.sends.get(PROD, 'sms', id)).toMatchObject({ status: 'sent', counts: { sent: 1, failed: 1 } });
    expect(await events()).toEqual([]);
  });

  it('concurrent equal reports are applied once', async () => {
    const { id, messages } = await sent(1);
    const all = Array.from({ length: 8 }, () => sending.reports([reportOf(messages[0]?.id ?? '', GONE)]));
    expect((await Promise.all(all)).flat().filter((taken) => taken === 'applied')).toHaveLength(1);
    expect(await countsOf(id)).toMatchObject({ sent: 0, bounced: 1 });
    expect(await events()).toEqual(['email.bounced']);
  });

  it('many reports cost as many statements as one', async () => {
    const { messages } = await sent(9);
    const statements: string[] = [];
    world.observer.statement = (id) => void statements.push(id);
    await sending.reports(messages.slice(0, 1).map(({ id }) => reportOf(id, GONE)));
    const one = statements.splice(0);
    await sending.reports(messages.slice(1).map(({ id }) => reportOf(id, GONE)));
    expect(statements.sort()).toEqual(one.sort());
  });

  it('an impossible report time is replaced by the nearest possible one', async () => {
    const { messages } = await sent(2);
    const [a = '', b = ''] = messages.map(({ id }) => id);
    world.clock.advance(60_000);
    const [early, late] = [new Date(0), new Date(world.clock.now().getTime() + 3_600_000)];
    await sending.reports([reportOf(a, DELIVERED, { at: early }), reportOf(b, DELIVERED, { at: late })]);
    const [one, other] = [await sending.sends.message(TEST, 'email', a), await sending.sends.message(TEST, 'email', b)];
    expect(one.deliveredAt).toEqual(one.createdAt);
    expect(other.deliveredAt).toEqual(world.clock.now());
  });
});
