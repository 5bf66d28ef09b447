import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processContext } from '../../../test/support/jobs/process-context.ts';
import { scopeLike } from '../../../test/support/scopes.ts';
import { addresses, draftTo, openWorld, PROD, TEST, type World } from '../../../test/support/sends/world.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Scope } from '../../foundation/scope.ts';
import { emailChannel } from '../email/email.ts';
import type { Send } from '../sends/answers.generated.ts';
import { bindMessageReaction } from '../sends/finalize/reactions.ts';
import { smsChannel, smsEngine } from '../sms/sms.ts';
import { reportedAddresses } from './reported-addresses.ts';
import { type Suppressions, suppressionsEngine } from './suppressions.ts';

const OTHER: Scope = scopeLike(TEST, { orgId: 'org-b' });

describe('suppression lists', () => {
  let world: World;
  let lists: Suppressions;
  let statements: string[];
  beforeEach(async () => {
    world = await openWorld();
    statements = [];
    lists = suppressionsEngine({ storage: world.storage, tables: world.tables, clock: world.clock });
  });
  afterEach(() => world.close());

  /** Sending with the lists and their reactions. */
  const sending = () =>
    world.engine({
      channels: {
        push: world.push.port,
        email: { ...emailChannel(), states: lists.states('email') },
        sms: { ...smsChannel(), states: lists.states('sms') },
      },
      reactions: [bindMessageReaction(reportedAddresses(lists))],
    });
  const drain = async (engine: ReturnType<typeof sending>): Promise<void> => {
    const { messages } = engine.registrations;
    const rows = await world.storage.claim(messages.claim, 100, 30_000);
    const outcomes: Parameters<typeof messages.commit>[0][number][] = [];
    await messages.process(rows, (_, outcome) => void outcomes.push(outcome), processContext());
    await messages.commit(outcomes);
    await engine.close();
  };
  const resultsOf = async (scope: Scope, answer: unknown) => {
    // Safe: no dry run was requested.
    const { id, channel } = answer as Send;
    const { data } = await world.sending.sends.messages(scope, channel, id);
    return data.map(({ address, status, reason }) => `${address} ${reason ?? status}`).sort();
  };

  it("an address is stored once per reason and sender, in its channel's canonical form, per tenant", async () => {
    const { api } = lists;
    const body = { addresses: ['Ann@Example.com', 'ann@example.COM', 'bob@example.com'] };
    expect(await api.add(TEST, 'email', body)).toEqual({ added: 2, existing: 0 });
    expect(await api.add(TEST, 'email', { address: 'ANN@example.com' })).toEqual({ added: 0, existing: 1 });
    expect(await api.add(TEST, 'email', { address: 'ann@example.com', reason: 'unsubscribed' })).toMatchObject({
      added: 1,
    });
    world.clock.advance(1_000);
    await api.add(TEST, 'sms', { address: '+14155550123', reason: 'sms_stopped', sender: 'Shop' });
    expect((await api.list(TEST, 'sms')).data).toEqual([
      {
        channel: 'sms',
        address: '+14155550123',
        reason: 'sms_stopped',
        sender: 'Shop',
        source: 'api',
        messageId: null,
        createdAt: world.clock.now(),
      },
    ]);
    expect((await api.list(OTHER, 'email')).data).toEqual([]);
    expect(await api.remove(OTHER, 'email', { address: 'ann@example.com' })).toEqual({ removed: 0 });
    const listed = async (query: Parameters<typeof api.list>[2]) =>
      (await api.list(TEST, 'email', query)).data.map(({ address, reason }) => `${address} ${reason}`).sort();
    expect(await listed({ address: 'Ann@example.com' })).toEqual([
      'ann@example.com manual',
      'ann@example.com unsubscribed',
    ]);
    expect(await listed({ reason: 'unsubscribed' })).toEqual(['ann@example.com unsubscribed']);
    expect(await listed({ from: world.clock.now() })).toEqual([]);
    const first = await api.list(TEST, 'email', { limit: 2, count: true });
    expect(first).toMatchObject({ pagination: { hasMore: true, total: 3 } });
    const second = await api.list(TEST, 'email', { limit: 2, cursor: first.pagination.nextCursor ?? '' });
    expect([...first.data, ...second.data]).toHaveLength(3);
    expect(await api.remove(TEST, 'email', { address: 'ann@example.com', reason: 'manual' })).toEqual({ removed: 1 });
    expect(await api.remove(TEST, 'email', { addresses: ['ann@example.com', 'bob@example.com'] })).toEqual({
      removed: 2,
    });
    expect((await api.list(TEST, 'email')).data).toEqual([]);
  });

  it('an invalid address, both address fields at once, and unknown keys are rejected', async () => {
    const { api } = lists;
    const refused = async (call: Promise<unknown>, field: string) =>
      expect(call).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { fieldErrors: { [field]: expect.anything() } },
      });
    await refused(api.add(TEST, 'email', { address: 'nobody' }), 'address');
    await refused(api.add(TEST, 'email', unchecked({})), 'address');
    await refused(api.add(TEST, 'email', { address: 'a@example.com', addresses: ['b@example.com'] }), 'address');
    await refused(api.add(TEST, 'email', unchecked({ address: 'a@example.com', reason: 'sms_stopped' })), 'reason');
    await refused(api.add(TEST, 'email', unchecked({ address: 'a@example.com', sender: 'Shop' })), 'sender');
    await refused(api.remove(TEST, 'sms', { address: '5550123' }), 'address');
    await refused(api.list(TEST, 'email', unchecked({ reason: 'whim' })), 'reason');
  });

  it('entries stop messages by their reason, read by one statement for a batch, and stop no other messages', async () => {
    const list = ['ok', 'bounced', 'complained', 'unwanted', 'manual'].map((name) => `${name}@example.com`);
    await lists.api.add(TEST, 'email', { address: 'Bounced@example.com', reason: 'bounced_address' });
    await lists.api.add(TEST, 'email', { address: 'complained@example.com', reason: 'complained_address' });
    await lists.api.add(TEST, 'email', { address: 'unwanted@example.com', reason: 'unsubscribed' });
    await lists.api.add(TEST, 'email', { address: 'manual@example.com' });
    await lists.api.add(PROD, 'email', { address: 'ok@example.com' });
    const engine = sending();
    const marketing = await engine.submit(TEST, draftTo(addresses(...list)));
    const transactional = await engine.submit(TEST, { ...draftTo(addresses(...list)), class: 'transactional' });
    world.observer.statement = (id) => void statements.push(id);
    await drain(engine);
    expect(statements.filter((id) => id === 'suppressions.of_address')).toHaveLength(1);
    expect(await resultsOf(TEST, marketing)).toEqual([
      'bounced@example.com bounced_address',
      'complained@example.com complained_address',
      'manual@example.com unsubscribed',
      'ok@example.com sent',
      'unwanted@example.com unsubscribed',
    ]);
    expect(await resultsOf(TEST, transactional)).toEqual([
      'bounced@example.com bounced_address',
      'complained@example.com complained_address',
      'manual@example.com unsubscribed',
      'ok@example.com sent',
      'unwanted@example.com sent',
    ]);
  });

  it('a text message is stopped only for the sender that was stopped', async () => {
    await lists.api.add(TEST, 'sms', { address: '+14155550123', reason: 'sms_stopped', sender: '+14155550100' });
    const engine = sending();
    const sms = smsEngine({ sending: engine });
    const text = (from?: string) => sms.send(TEST, { to: '+14155550123', body: 'Hello', ...(from ? { from } : {}) });
    const sends = [await text('+14155550100'), await text('+14155550111'), await text()];
    await drain(engine);
    expect((await Promise.all(sends.map((send) => resultsOf(TEST, send)))).flat()).toEqual([
      '+14155550123 sms_stopped',
      '+14155550123 sent',
      '+14155550123 sms_stopped',
    ]);
  });

  it('a rejected address and an opted-out number are listed and stop later messages', async () => {
    const [mail, text] = [{ ...PROD, channel: 'email' } as const, { ...PROD, channel: 'sms' } as const];
    const refusal = { result: 'failed', code: '5.1.1', message: 'No such user.' } as const;
    world.credentials.configure(mail, () => ({ ...refusal, address: 'bounced' }));
    world.credentials.configure(text, () => ({ ...refusal, code: '21610', address: 'opted_out' }));
    const engine = sending();
    const sms = smsEngine({ sending: engine });
    const one = async () => [
      await engine.submit(PROD, { ...draftTo(addresses('Ann@example.com')), class: 'transactional' }),
      await sms.send(PROD, { to: '+14155550123', body: 'Hello' }),
    ];
    const first = await one();
    await drain(engine);
    expect((await Promise.all(first.map((send) => resultsOf(PROD, send)))).flat()).toEqual([
      'Ann@example.com bounced',
      '+14155550123 opted_out',
    ]);
    expect((await lists.api.list(PROD, 'email')).data).toMatchObject([
      { address: 'ann@example.com', reason: 'bounced_address', source: 'provider', messageId: expect.any(String) },
    ]);
    expect((await lists.api.list(PROD, 'sms')).data).toMatchObject([{ reason: 'sms_stopped', sender: null }]);
    const again = sending();
    const second = [
      await again.submit(PROD, { ...draftTo(addresses('ann@EXAMPLE.com')), class: 'transactional' }),
      await smsEngine({ sending: again }).send(PROD, { to: '+14155550123', body: 'Hello', from: '+14155550100' }),
    ];
    await drain(again);
    expect((await Promise.all(second.map((send) => resultsOf(PROD, send)))).flat()).toEqual([
      'ann@example.com bounced_address',
      '+14155550123 sms_stopped',
    ]);
    expect(world.credentials.handed).toHaveLength(2);
  });

  it('entries are erased with the user of their address', async () => {
    await lists.api.add(TEST, 'email', { addresses: ['ann@example.com', 'bob@example.com'] });
    await lists.api.add(TEST, 'sms', { address: '+14155550123' });
    await lists.api.add(OTHER, 'email', { address: 'ann@example.com' });
    const person = { scope: TEST, userId: 'ann', people: ['u:ann'], addresses: ['Ann@example.com', '+14155550123'] };
    expect(await lists.eraser.begin(person)()).toEqual({ rows: 2, isMore: true });
    expect(await lists.eraser.begin(person)()).toEqual({ rows: 0, isMore: false });
    expect((await lists.api.list(TEST, 'email')).data).toMatchObject([{ address: 'bob@example.com' }]);
    expect((await lists.api.list(OTHER, 'email')).data).toHaveLength(1);
  });

  it('the first of several entries in one write set is kept, and exactly the named ones are removed', async () => {
    const entry = { ...TEST, channel: 'email', address: 'Ann@example.com', reason: 'unsubscribed' } as const;
    const made = { ...entry, source: 'person', messageId: null, at: world.clock.now() } as const;
    const same = { ...made, address: 'ann@example.com', source: 'provider' } as const;
    await world.storage.commit({ writes: lists.writes([made, same, { ...made, reason: 'manual' }]) });
    await world.storage.commit({ writes: lists.writes([same]) });
    expect((await lists.api.list(TEST, 'email', { reason: 'unsubscribed' })).data).toMatchObject([
      { source: 'person' },
    ]);
    await world.storage.commit({ writes: lists.restoring([entry]) });
    expect((await lists.api.list(TEST, 'email')).data).toMatchObject([{ reason: 'manual' }]);
  });
});
