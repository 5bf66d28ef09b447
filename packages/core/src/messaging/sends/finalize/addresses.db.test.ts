import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processContext } from '../../../../test/support/jobs/process-context.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import { addresses, draftTo, openWorld, PROD, TEST, users, type World } from '../../../../test/support/sends/world.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import { write } from '../../../database/commit/write-set.ts';
import { bulkUpdate } from '../../../database/statements/bulk.ts';
import type { Platform } from '../../../foundation/device-platform.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import type { Address } from '../channel.ts';
import { CHUNK_ADDRESSES, MAX_INLINE_ADDRESSES, type SendRequest } from '../schema.ts';
import type { MessageChange } from './change.ts';
import type { BoundMessageReaction } from './reactions.ts';

const push = (...list: string[]): SendRequest => ({ ...draftTo(users(...list)), channel: 'push' });
const token = (name: string, platform: Platform = 'android'): Address => ({
  address: name,
  name: null,
  facts: { platform, tokenId: rowId(name) },
});
const tokens = (prefix: string, count: number): Address[] =>
  Array.from({ length: count }, (_, at) => token(`${prefix}${at}`));

describe('users with several addresses', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const rowsOf = () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
  const sendOf = (id: string) => world.sending.sends.get(TEST, 'push', id);

  it('a user gets one message per address, and one suppressed message without an address', async () => {
    world.tokens.set('ann', [token('a1', 'ios'), token('a2')]);
    const send = await world.accept(TEST, push('ann', 'bob'));
    expect(send).toMatchObject({ tokenCount: 3, counts: { targeted: 3, queued: 2, suppressed: 1 } });
    expect(
      (await rowsOf()).map(({ address, tokenId, facts, person, reason }) => [address, tokenId, facts, person, reason]),
    ).toEqual([
      ['a1', rowId('a1'), { platform: 'ios' }, 'u:ann', null],
      ['a2', rowId('a2'), { platform: 'android' }, 'u:ann', null],
      [null, null, {}, 'u:bob', 'no_token'],
    ]);
    await world.drain();
    expect((await world.caught()).map(({ channel, address, userId }) => [channel, address, userId])).toEqual([
      ['push', 'a1', 'ann'],
      ['push', 'a2', 'ann'],
    ]);
    expect(await sendOf(send.id)).toMatchObject({ status: 'sent', tokenCount: 3, counts: { sent: 2, suppressed: 1 } });
  });

  it('a send with more addresses than one transaction should write is left to the worker', async () => {
    world.tokens.set('ann', tokens('a', MAX_INLINE_ADDRESSES + 1));
    const send = await world.accept(TEST, push('ann', 'bob'));
    expect(send).toMatchObject({ status: 'queued', tokenCount: MAX_INLINE_ADDRESSES + 1, counts: { targeted: 0 } });
    await world.drain();
    expect(await sendOf(send.id)).toMatchObject({
      status: 'sent',
      tokenCount: MAX_INLINE_ADDRESSES + 2,
      counts: { targeted: MAX_INLINE_ADDRESSES + 2, sent: MAX_INLINE_ADDRESSES + 1, suppressed: 1 },
    });
  });

  it('users with thousands of addresses are expanded in pages that fit a transaction', async () => {
    const many = 2 * CHUNK_ADDRESSES + 7;
    world.tokens.set('vast', tokens('v', many));
    for (let at = 0; at < 40; at += 1) world.tokens.set(`u${at}`, [token(`t${at}`)]);
    const list = Array.from({ length: 40 }, (_, at) => `u${at}`).toSpliced(20, 0, 'vast');
    const statements: number[] = [];
    world.observer.statement = (id, rows) => {
      if (id === 'sending.insert_message') statements.push(rows);
    };
    const send = await world.accept(TEST, push(...list));
    await world.sends.turn();
    const rows = await rowsOf();
    expect(rows).toHaveLength(many + 40);
    expect(new Set(rows.map(({ address }) => address)).size).toBe(many + 40);
    // The user with thousands of addresses comes last.
    expect(new Set(rows.slice(0, 40).map(({ person }) => person)).size).toBe(40);
    expect(Math.max(...statements)).toBeLessThanOrEqual(CHUNK_ADDRESSES);
    expect(await sendOf(send.id)).toMatchObject({ tokenCount: many + 40, counts: { targeted: many + 40 } });
  });

  it('expansion continues within a user after the last written page', async () => {
    const many = CHUNK_ADDRESSES + 500;
    world.tokens.set('vast', tokens('v', many));
    const send = await world.accept(TEST, push('vast'));
    const rows = await world.sends.claim();
    let commits = 0;
    world.observer.beforeCommit = () => {
      commits += 1;
      if (commits === 2) throw new Error('the worker dies');
    };
    await expect(world.sends.process(rows)).rejects.toThrow('the worker dies');
    delete world.observer.beforeCommit;
    expect(await rowsOf()).toHaveLength(CHUNK_ADDRESSES);
    world.clock.advance(LEASE_MS);
    await world.sends.turn();
    expect(await rowsOf()).toHaveLength(many);
    expect(await sendOf(send.id)).toMatchObject({ tokenCount: many, counts: { targeted: many, suppressed: 0 } });
  });

  it('addresses are evaluated again when their messages are leased', async () => {
    world.tokens.set('ann', [token('a1'), token('a2')]);
    const { id } = await world.accept(TEST, push('ann'));
    world.push.inactive.add('a1');
    await world.drain();
    const { data } = await world.sending.sends.messages(TEST, 'push', id);
    expect(data.map(({ status, reason }) => [status, reason])).toEqual([
      ['suppressed', 'token_inactive'],
      ['sent', null],
    ]);
  });
});

describe('push without a provider for every platform', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
    world.tokens.set('ann', [token('a1', 'ios')]);
    world.tokens.set('bob', [token('b1', 'android')]);
  });
  afterEach(() => world.close());
  const PUSH = { ...PROD, channel: 'push' } as const;

  it('a push is rejected without any provider, and if all known tokens are on platforms without one', async () => {
    await expect(world.accept(PROD, push('nobody'))).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      details: { channel: 'push', provider: 'push', missing: ['apns', 'fcm', 'webpush'] },
    });
    world.credentials.configure(PUSH, undefined, { provider: 'fcm' });
    await expect(world.accept(PROD, push('ann'))).rejects.toMatchObject({
      details: { channel: 'push', provider: 'apns', missing: ['apns-key'] },
    });
    expect(await world.storage.db.select().from(world.tables.sends)).toEqual([]);
  });

  it('other pushes are accepted, and messages without a provider fail', async () => {
    world.credentials.configure(PUSH, undefined, { provider: 'fcm' });
    const { id } = await world.accept(PROD, push('ann', 'bob', 'nobody'));
    await world.drain();
    const { data } = await world.sending.sends.messages(PROD, 'push', id);
    expect(data.map(({ status, errorCode, reason }) => [status, errorCode ?? reason])).toEqual([
      ['failed', 'provider_not_configured'],
      ['sent', null],
      ['suppressed', 'no_token'],
    ]);
    expect(await world.sending.sends.get(PROD, 'push', id)).toMatchObject({ status: 'sent' });
  });
});

describe('address feedback of providers', () => {
  it('address feedback is written in the transaction that ends the message, and planned again after a conflict', async () => {
    const loads: (readonly MessageChange[])[] = [];
    let isStale = true;
    const reaction = (world: World): BoundMessageReaction => {
      const mark = bulkUpdate('test.mark', world.tables.sends, {
        where: ['scopeId', 'id'],
        set: { title: 'value' },
        when: (column) => `${column('title')} <> 'gone'`,
        isGuarded: true,
        rank: Number.POSITIVE_INFINITY,
      });
      return {
        name: 'marks',
        concerns: ({ feedback }) => feedback !== null,
        load: async (changes) => {
          loads.push(changes);
          const id = isStale ? 'nothing' : sendId;
          isStale = false;
          return () => ({
            writes: changes.map(({ feedback }) => write(mark, { ...TEST, id, title: feedback?.kind }, 'address')),
          });
        },
      };
    };
    const reactions: BoundMessageReaction[] = [];
    const world = await openWorld({ reactions });
    reactions.push(reaction(world));
    const own = world.engine();
    let sendId = '';
    world.tokens.set('ann', [token('sandbox-dead-1')]);
    const request = push('ann');
    const sent = await own.submit(TEST, request);
    if ('dryRun' in sent) throw new Error('this was a dry run');
    sendId = sent.id;
    const rows = await world.messages.claim();
    const outcomes: Parameters<typeof own.registrations.messages.commit>[0][number][] = [];
    const { messages } = own.registrations;
    await messages.process(rows, (_, one) => outcomes.push(one), processContext());
    await messages.commit(outcomes);
    expect(loads).toHaveLength(2);
    expect(loads[1]).toMatchObject([
      { person: 'u:ann', feedback: { kind: 'dead', deadSince: null, address: 'sandbox-dead-1' } },
    ]);
    expect(await own.sends.get(TEST, 'push', sendId)).toMatchObject({ title: 'dead', status: 'failed' });
    const { data } = await own.sends.messages(TEST, 'push', sendId);
    expect(data).toMatchObject([{ status: 'failed', errorCode: 'sandbox_dead', reason: 'dead' }]);
    await own.close();
    await world.close();
  });

  it('unchanged address feedback writes nothing', async () => {
    const feedbackSeen: string[] = [];
    const reaction: BoundMessageReaction = {
      name: 'listens',
      concerns: ({ feedback }) => feedback !== null,
      load: async (changes) => {
        for (const { feedback } of changes)
          feedbackSeen.push(
            `${feedback?.address} ${feedback?.kind === 'apns_environment' ? feedback.apnsEnvironment : ''}`,
          );
        return () => ({ writes: [] });
      },
    };
    const world = await openWorld({ reactions: [reaction] });
    const answer = () => ({ result: 'accepted', providerId: null, apnsEnvironment: 'production' }) as const;
    world.credentials.configure({ ...PROD, channel: 'push' }, answer, { provider: 'apns' });
    const ios = (name: string, apnsEnvironment?: 'production' | 'sandbox'): Address => {
      const { facts, ...rest } = token(name, 'ios');
      return { ...rest, facts: { ...facts, ...(apnsEnvironment ? { apnsEnvironment } : {}) } };
    };
    world.tokens.set('ann', [ios('known', 'production'), ios('moved', 'sandbox'), ios('new')]);
    const { id } = await world.accept(PROD, push('ann'));
    await world.drain();
    expect((await world.sending.sends.get(PROD, 'push', id)).counts).toMatchObject({ sent: 3 });
    expect(feedbackSeen.sort()).toEqual(['moved production', 'new production']);
    await world.close();
  });
});

describe('a dry run', () => {
  it('a dry run shows rendered messages and suppressions and writes nothing', async () => {
    const world = await openWorld();
    world.addPerson(TEST, 'u1', { email: 'una@example.com', name: 'Una' });
    const mail = { userIds: ['u1', 'nobody', 'nobody2'], subject: 'Hi {{trait.name}}', text: 'There' };
    const answer = await world.email.send(TEST, unchecked({ ...mail, colour: 'red', dryRun: true }));
    expect(answer).toMatchObject({
      dryRun: true,
      channel: 'email',
      recipients: 3,
      tokenCount: 3,
      suppressed: { no_address: 2 },
      warnings: ['The key colour is unknown and was ignored.'],
      messages: [
        { userId: 'u1', address: 'una@example.com', status: 'queued', content: { subject: 'Hi Una', text: 'There' } },
        { userId: 'nobody', address: null, status: 'suppressed', reason: 'no_address', content: null },
        { userId: 'nobody2', status: 'suppressed' },
      ],
    });
    expect(await world.storage.db.select().from(world.tables.sends)).toEqual([]);
    expect(await world.storage.db.select().from(world.tables.outboxMessages)).toEqual([]);
    await expect(
      world.email.send(PROD, { to: 'ann@example.com', subject: 'Hi', text: 'There', dryRun: true }),
    ).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    const blank = await world.email.send(TEST, {
      to: 'a@example.com',
      subject: 's',
      text: '{{event.x}}',
      dryRun: true,
    });
    expect(blank).toMatchObject({ suppressed: { empty_body: 1 }, messages: [{ reason: 'empty_body', content: null }] });
    await world.close();
  });

  it('a dry run counts all recipients and renders the first hundred messages', async () => {
    const world = await openWorld();
    const request = draftTo(addresses(...Array.from({ length: 150 }, (_, at) => `p${at}@example.com`)));
    const answer = await world.sending.submit(TEST, { ...request, isDryRun: true });
    expect(answer).toMatchObject({ recipients: 150, tokenCount: 150, suppressed: {} });
    expect('dryRun' in answer && answer.messages).toHaveLength(100);
    await world.close();
  });
});
