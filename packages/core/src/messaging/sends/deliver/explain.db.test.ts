import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId } from '../../../../test/support/row-ids.ts';
import { scopeLike } from '../../../../test/support/scopes.ts';
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
import { CIRCUIT_MS } from '../../../delivery/providers/circuit.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { Scope } from '../../../foundation/scope.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import type { GateVerdict, MessageExplanation } from '../answers.generated.ts';
import { MAX_ATTEMPTS } from '../verdict.ts';

const NAMES = [
  'send_open',
  'not_expired',
  'not_ambiguous',
  'attempts_left',
  'address_usable',
  'subscribed',
  'provider_configured',
  'sender_verified',
  'quiet_hours',
  'rendering',
];
const MAIL = { ...PROD, channel: 'email' } as const;
const TEXT = { ...PROD, channel: 'sms' } as const;
const lost: SendOutcome = { result: 'retry', code: 'timeout', message: 'No answer.', processed: 'unknown' };

describe('the explanation of a message', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const rows = () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
  const set = (values: Partial<(typeof world.tables.messages)['$inferInsert']>, sendId: string) =>
    world.storage.db.update(world.tables.messages).set(values).where(eq(world.tables.messages.sendId, sendId));
  /** The explanation of the newest message. */
  const explained = async (scope: Scope, channel: Channel = 'email', place = -1): Promise<MessageExplanation> => {
    const id = (await rows()).at(place)?.id ?? '';
    return (await world.sending.sends.message(scope, channel, id)).explanation;
  };
  /** Verdicts in gate order, which must be the worker's order. */
  const verdicts = ({ gates }: MessageExplanation): string[] => {
    expect(gates.map(({ gate }) => gate)).toEqual(NAMES);
    return gates.map(({ verdict }) => verdict);
  };
  const at = ({ gates }: MessageExplanation, name: string): GateVerdict | undefined =>
    gates.find(({ gate }) => gate === name);
  const stopping = (verdict: string, place: number): string[] =>
    NAMES.map((_, one) => (one < place ? 'pass' : one === place ? verdict : 'not_reached'));
  const passing = NAMES.map(() => 'pass');

  it('an explained message equals its list entry and exists only under its channel and scope', async () => {
    const { id: sendId } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const [listed] = (await world.sending.sends.messages(TEST, 'email', sendId)).data;
    const { explanation: _, ...message } = await world.sending.sends.message(TEST, 'email', listed?.id ?? '');
    expect(message).toEqual(listed);
    const none = { code: 'NOT_FOUND' };
    const others = [{ orgId: 'org-b' }, { projectId: 'other' }, { environment: 'prod' }] as const;
    for (const other of others)
      await expect(world.sending.sends.message(scopeLike(TEST, other), 'email', message.id)).rejects.toMatchObject(
        none,
      );
    await expect(world.sending.sends.message(TEST, 'push', message.id)).rejects.toMatchObject(none);
    await expect(world.sending.sends.message(TEST, 'email', rowId('none'))).rejects.toMatchObject(none);
  });

  it('an open message shows what every gate reads; a sent one shows what its row keeps', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com' });
    await world.accept(TEST, draftTo(users('u1')));
    const open = await explained(TEST);
    expect(open).toMatchObject({ evaluated: 'now', stoppedBy: null, waitingFor: { kind: 'worker', until: null } });
    expect(verdicts(open)).toEqual(passing);
    expect(open.gates.map(({ evidence }) => evidence)).toEqual([
      { sendStatus: 'queued' },
      { expiresAt: null },
      { channel: 'email', status: 'queued', resendsAmbiguous: false },
      { status: 'queued', attempt: 0, most: MAX_ATTEMPTS },
      { address: 'una@example.com', unusable: null },
      { class: 'marketing', category: null, isListed: false, isUnsubscribed: false },
      { channel: 'email', platform: null, provider: 'sandbox' },
      { from: 'sender@sandbox.invalid', isRequired: false },
      { enabled: false },
      { hasContent: true, hasProfile: true, locale: null, localized: null },
    ]);
    await world.drain();
    const ended = await explained(TEST);
    expect(ended).toMatchObject({ evaluated: 'from_record', stoppedBy: null, waitingFor: null });
    expect(verdicts(ended)).toEqual(passing);
    expect(ended.gates.map(({ evidence }) => evidence)).toEqual([
      {},
      {},
      { channel: 'email', attempt: 1 },
      { attempt: 1, most: MAX_ATTEMPTS },
      { address: 'una@example.com' },
      {},
      { channel: 'email', platform: null },
      {},
      { deferredAt: null },
      {},
    ]);
  });

  it('a missing and a duplicate address are explained as decided at creation', async () => {
    await world.accept(TEST, draftTo(users('nobody')));
    const none = await explained(TEST);
    expect(none).toMatchObject({ evaluated: 'at_acceptance', stoppedBy: 'address_usable', waitingFor: null });
    const [r] = ['not_reached'];
    expect(verdicts(none)).toEqual([r, r, r, r, 'suppressed', r, r, r, r, r]);
    expect(at(none, 'address_usable')).toMatchObject({ reason: 'no_address', evidence: { address: null } });
    await world.accept(TEST, draftTo(addresses('ann@example.com', 'ANN@example.com')));
    expect(at(await explained(TEST), 'address_usable')).toMatchObject({ verdict: 'suppressed', reason: 'duplicate' });
    await world.accept(TEST, { ...draftTo(users('u1')), channel: 'push' });
    expect(at(await explained(TEST, 'push'), 'address_usable')).toMatchObject({ reason: 'no_token' });
  });

  it('the predicted gate is the one that later stops the message, and explaining changes nothing', async () => {
    const token = { address: 't1', name: null, facts: { platform: 'ios' } } as const;
    world.tokens.set('u1', [token]);
    world.credentials.configure(MAIL);
    world.credentials.configure(TEXT);
    const mail = async (scope: Scope, content = {}) =>
      (await world.accept(scope, draftTo(addresses('ann@example.com'), content))).id;
    const text = async (body: string, scope: Scope = PROD) => {
      const content = { body, mediaUrls: [], maxSegments: 1, from: '+14155550100' };
      const draft = { ...draftTo(addresses('+14155550199')), channel: 'sms', content } as const;
      return (await world.accept(scope, draft)).id;
    };
    const cases: readonly (readonly [string, Channel, Scope, () => Promise<unknown>, Partial<GateVerdict>])[] = [
      [
        'send_open',
        'email',
        TEST,
        async () => {
          const { sends } = world.tables;
          const id = await mail(TEST);
          await world.storage.db.update(sends).set({ status: 'cancelled' }).where(eq(sends.id, id));
        },
        { verdict: 'cancelled' },
      ],
      [
        'not_ambiguous',
        'sms',
        PROD,
        async () => set({ status: 'sending', attempt: 1 }, await text('Hello')),
        { verdict: 'failed', errorCode: 'ambiguous_outcome' },
      ],
      [
        'attempts_left',
        'email',
        PROD,
        async () => set({ status: 'sending', attempt: MAX_ATTEMPTS }, await mail(PROD)),
        { verdict: 'failed', errorCode: 'attempts_exhausted' },
      ],
      [
        'address_usable',
        'push',
        TEST,
        async () => {
          await world.accept(TEST, { ...draftTo(users('u1')), channel: 'push' });
          world.push.inactive.add(token.address);
        },
        { verdict: 'suppressed', reason: 'token_inactive' },
      ],
      [
        'subscribed',
        'push',
        TEST,
        async () => {
          world.tokens.set('u2', [{ ...token, address: 't2' }]);
          await world.accept(TEST, { ...draftTo(users('u2')), channel: 'push' });
          world.push.listed.set('t2', [{ reason: 'unsubscribed', sender: '' }]);
        },
        { verdict: 'suppressed', reason: 'unsubscribed' },
      ],
      [
        'rendering',
        'email',
        TEST,
        () => mail(TEST, { text: '{{trait.none}}' }),
        { verdict: 'suppressed', reason: 'empty_body' },
      ],
      [
        'rendering',
        'sms',
        PROD,
        () => text('Hello '.repeat(40)),
        { verdict: 'failed', errorCode: 'too_many_segments' },
      ],
      [
        'provider_configured',
        'email',
        PROD,
        async () => {
          await mail(PROD);
          world.credentials.remove(MAIL);
        },
        { verdict: 'failed', errorCode: 'provider_not_configured' },
      ],
    ];
    let commits = 0;
    world.observer.beforeCommit = () => {
      commits += 1;
    };
    for (const [name, channel, scope, make, verdict] of cases) {
      await make();
      const [before, made] = [await rows(), commits];
      const now = await explained(scope, channel);
      expect(await rows()).toEqual(before);
      expect(commits).toBe(made);
      await world.drain();
      const ended = await explained(scope, channel);
      const place = NAMES.indexOf(name);
      for (const [evaluated, one] of [
        ['now', now],
        ['from_record', ended],
      ] as const) {
        expect(one, `${evaluated} ${name}`).toMatchObject({ evaluated, stoppedBy: name });
        expect(verdicts(one)).toEqual(stopping(verdict.verdict ?? '', place));
        expect(one.gates[place]).toMatchObject(verdict);
        for (const behind of one.gates.slice(place + 1)) expect(behind.evidence).toEqual({});
      }
      expect(ended.waitingFor).toBeNull();
    }
    expect(world.credentials.handed).toEqual([]);
  });

  it('a message of a cancelled send is explained by the cancel', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    await world.sending.sends.cancel(TEST, 'email', id);
    const explanation = await explained(TEST);
    expect(explanation).toMatchObject({ evaluated: 'from_record', stoppedBy: 'send_open' });
    expect(verdicts(explanation)).toEqual(stopping('cancelled', 0));
  });

  it('a message passed every gate if its provider rejected it, its address or its credentials', async () => {
    const answers: readonly SendOutcome[] = [
      { result: 'failed', code: 'bad', message: 'No.' },
      { result: 'failed', code: 'gone', message: 'No.', address: 'bounced' },
      { result: 'credential', code: 'auth', message: 'No.' },
    ];
    for (const answer of answers) {
      world.credentials.configure(MAIL, () => answer);
      const { id } = await world.accept(PROD, draftTo(addresses('ann@example.com')));
      // So late that rejected credentials are not retried.
      await set({ createdAt: new Date(world.clock.now().getTime() - 3 * 86_400_000 + 1_000) }, id);
      await world.drain();
      const explanation = await explained(PROD);
      expect(explanation).toMatchObject({ evaluated: 'from_record', stoppedBy: 'provider', waitingFor: null });
      expect(verdicts(explanation)).toEqual(passing);
    }
  });

  it('a message held behind rejected credentials may have reached no gate', async () => {
    world.credentials.configure(MAIL, () => ({ result: 'credential', code: 'auth', message: 'No.' }));
    await world.accept(PROD, draftTo(addresses('ann@example.com')));
    await world.messages.turn();
    const { id } = await world.accept(PROD, draftTo(addresses('bob@example.com')));
    await set({ createdAt: new Date(world.clock.now().getTime() - 3 * 86_400_000) }, id);
    await world.messages.turn();
    const explanation = await explained(PROD);
    expect(explanation).toMatchObject({ evaluated: 'from_record', stoppedBy: 'provider', waitingFor: null });
    expect(verdicts(explanation)).toEqual(NAMES.map(() => 'unknown'));
  });

  it('an ambiguous text message is explained by the rule for ambiguous texts', async () => {
    world.credentials.configure(TEXT, () => lost);
    const content = { body: 'Hello', mediaUrls: [], maxSegments: 4, from: '+14155550100' };
    await world.accept(PROD, { ...draftTo(addresses('+14155550199')), channel: 'sms', content });
    await world.drain();
    expect(await explained(PROD, 'sms')).toMatchObject({ evaluated: 'from_record', stoppedBy: 'not_ambiguous' });
  });

  it('a dead-lettered message is explained by its error; its gates are unknown', async () => {
    await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const [row] = await world.messages.claim();
    if (row) await world.sending.registrations.messages.deadLetter(row, 'threw');
    const explanation = await explained(TEST);
    expect(explanation).toMatchObject({ evaluated: 'from_record', stoppedBy: 'worker' });
    expect(verdicts(explanation)).toEqual(NAMES.map(() => 'unknown'));
  });

  it('a waiting message names what it waits for', async () => {
    let answer: SendOutcome = { ...lost, processed: 'no' };
    world.credentials.configure(MAIL, () => answer);
    const { id } = await world.accept(PROD, draftTo(addresses('ann@example.com')));
    const due = async () => (await rows()).at(-1)?.dueAt;
    const waits = async () => (await explained(PROD)).waitingFor;
    await world.messages.turn();
    expect(await waits()).toEqual({ kind: 'retry', until: await due() });
    world.clock.advance(2_000);
    expect(await waits()).toEqual({ kind: 'worker', until: null });
    await world.messages.claim();
    expect(await waits()).toEqual({ kind: 'worker', until: null });
    world.clock.advance(LEASE_MS);
    answer = { result: 'credential', code: 'auth', message: 'No.' };
    await world.messages.turn();
    expect(await waits()).toEqual({ kind: 'credentials', until: await due() });
    expect((await due())?.getTime()).toBeGreaterThanOrEqual(world.clock.now().getTime() + CIRCUIT_MS);
    world.clock.advance(2 * CIRCUIT_MS);
    expect(await waits()).toEqual({ kind: 'credentials', until: null });
    world.clock.advance(-2 * CIRCUIT_MS);
    await set({ reason: null, errorCode: null }, id);
    expect(await waits()).toEqual({ kind: 'capacity', until: await due() });
    await set({ status: 'deferred', reason: 'duplicate' }, id);
    expect(await waits()).toEqual({ kind: 'deferral', until: await due() });
    await set({ reason: 'held' }, id);
    expect(await waits()).toEqual({ kind: 'credentials', until: await due() });
    await set({ reason: 'unreachable' }, id);
    expect(await waits()).toEqual({ kind: 'provider', until: await due() });
  });

  it("a message at its provider is lost only after its worker's lease ends", async () => {
    const answer = Promise.withResolvers<SendOutcome>();
    world.credentials.configure(TEXT, () => answer.promise);
    const content = { body: 'Hello', mediaUrls: [], maxSegments: 4, from: '+14155550100' };
    await world.accept(PROD, { ...draftTo(addresses('+14155550199')), channel: 'sms', content });
    const worker = hand(world.database, world.sending.registrations.messages);
    const handled = worker.process(await worker.claim());
    while (world.credentials.handed.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const explanation = await explained(PROD, 'sms');
    expect(explanation).toMatchObject({
      evaluated: 'now',
      stoppedBy: null,
      waitingFor: { kind: 'response', until: null },
    });
    expect(verdicts(explanation)).toEqual(passing);
    world.clock.advance(LEASE_MS + 1);
    expect(await explained(PROD, 'sms')).toMatchObject({
      evaluated: 'now',
      stoppedBy: 'not_ambiguous',
      waitingFor: { kind: 'worker', until: null },
    });
    answer.resolve({ result: 'accepted', providerId: 'p' });
    await worker.commit(await handled);
  });
});
