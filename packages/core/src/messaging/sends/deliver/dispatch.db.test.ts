import { and, eq, isNull } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processContext } from '../../../../test/support/jobs/process-context.ts';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import { MAX_ATTEMPTS } from '../verdict.ts';

describe('the message dispatcher', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld({ sandboxSlowMs: 10 });
  });
  afterEach(() => world.close());

  const sendOf = (id: string) => world.sending.sends.get(TEST, 'email', id);
  const messagesOf = async (id: string) => (await world.sending.sends.messages(TEST, 'email', id)).data;
  const setSend = async (id: string, values: Partial<(typeof world.tables.sends)['$inferInsert']>): Promise<void> => {
    await world.storage.db.update(world.tables.sends).set(values).where(eq(world.tables.sends.id, id));
  };
  const handOvers = async (): Promise<Map<string, number>> => {
    const counted = new Map<string, number>();
    for (const { messageId } of await world.caught()) counted.set(messageId, (counted.get(messageId) ?? 0) + 1);
    return counted;
  };

  it('four racing dispatchers hand each message over once', async () => {
    const sent = await Promise.all(
      [80, 90, 70].map((count) => world.accept(TEST, draftTo(addresses(...numbered(count))))),
    );
    const racers = Array.from({ length: 4 }, () => hand(world.database, world.engine().registrations.messages));
    await Promise.all(
      racers.map(async (racer) => {
        while ((await racer.turn(16)) > 0);
      }),
    );
    const counted = await handOvers();
    expect(counted.size).toBe(240);
    expect(new Set(counted.values())).toEqual(new Set([1]));
    for (const [at, count] of [80, 90, 70].entries())
      expect(await sendOf(sent[at]?.id ?? '')).toMatchObject({
        status: 'sent',
        counts: { targeted: count, queued: 0, sent: count, failed: 0, suppressed: 0 },
      });
  });

  it('counts are exact when outcomes of one send are written concurrently', async () => {
    const list = numbered(96).map((address, at) => (at % 3 === 0 ? `sandbox-reject-${address}` : address));
    const { id } = await world.accept(TEST, draftTo([...addresses(...list), ...users('nobody')]));
    const batches = [];
    for (let at = 0; at < 12; at += 1) batches.push(await world.messages.process(await world.messages.claim(8)));
    await Promise.all(batches.map((outcomes) => world.messages.commit(outcomes)));
    expect(await sendOf(id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 97, queued: 0, sent: 64, failed: 32, suppressed: 1 },
      errorCode: 'sandbox_reject',
    });
  });

  it('a worker resumes messages that a killed worker handed over', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const lost = await world.messages.process(await world.messages.claim());
    world.clock.advance(LEASE_MS - 1);
    expect(await world.messages.claim()).toEqual([]);
    world.clock.advance(1);
    expect(await world.messages.turn()).toBe(1);
    expect(await messagesOf(id)).toMatchObject([{ status: 'sent', attempt: 2 }]);
    expect(await world.caught()).toHaveLength(2);
    await world.messages.commit(lost);
    expect(await sendOf(id)).toMatchObject({ status: 'sent', counts: { targeted: 1, sent: 1 } });
  });

  it('a message that a killed worker only leased is sent once', async () => {
    await world.accept(TEST, draftTo(addresses('ann@example.com')));
    await world.messages.claim();
    world.clock.advance(LEASE_MS);
    expect(await world.messages.turn()).toBe(1);
    expect(await world.caught()).toHaveLength(1);
  });

  it('a lost lease prevents the handover', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    const slow = await world.messages.claim();
    world.clock.advance(LEASE_MS);
    const [taken] = await world.messages.claim(1);
    expect(await world.messages.process(slow)).toHaveLength(2);
    expect(await world.caught()).toHaveLength(1);
    expect((await messagesOf(id)).map(({ status }) => status)).toEqual(['queued', 'sending']);
    expect(taken?.id).toBe((await messagesOf(id))[0]?.id);
  });

  it('a stale outcome is dropped and the others are written', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    const outcomes = await world.messages.process(await world.messages.claim());
    world.clock.advance(LEASE_MS);
    await world.messages.claim(1);
    await world.messages.commit(outcomes);
    expect((await messagesOf(id)).map(({ status }) => status)).toEqual(['sending', 'sent']);
    expect(await sendOf(id)).toMatchObject({ status: 'sending', counts: { targeted: 2, queued: 1, sent: 1 } });
  });

  it('messages of a cancelled send are never handed over', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const kept = await world.accept(TEST, draftTo(addresses('bob@example.com')));
    await setSend(id, { status: 'cancelled', cancelledAt: world.clock.now() });
    await world.drain();
    expect(await messagesOf(id)).toMatchObject([{ status: 'cancelled', attempt: 0 }]);
    expect(await sendOf(id)).toMatchObject({ status: 'cancelled', startedAt: null, counts: { queued: 0, sent: 0 } });
    expect((await world.caught()).map(({ sendId }) => sendId)).toEqual([kept.id]);
  });

  it('a cancel between planning and handover prevents the send', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'eve@example.com')));
    const kept = await world.accept(TEST, draftTo(addresses('bob@example.com')));
    let isLate = true;
    const commit: typeof world.storage.commit = async (plan) => {
      if (isLate) await setSend(id, { status: 'cancelled' });
      isLate = false;
      return world.storage.commit(plan);
    };
    const slow = hand(world.database, world.engine({ storage: { ...world.storage, commit } }).registrations.messages);
    expect(await slow.turn()).toBe(3);
    expect((await world.caught()).map(({ sendId }) => sendId)).toEqual([kept.id]);
    expect((await messagesOf(id)).map(({ status, attempt }) => [status, attempt])).toEqual([
      ['cancelled', 0],
      ['cancelled', 0],
    ]);
    expect(await sendOf(kept.id)).toMatchObject({ status: 'sent' });
  });

  it('in a race each send is either cancelled or handed over', async () => {
    const made: string[] = [];
    for (let at = 0; at < 60; at += 1)
      made.push((await world.accept(TEST, draftTo(addresses(`p${at}@example.com`)))).id);
    const { sends } = world.tables;
    const cancel = async (id: string): Promise<string[]> =>
      (
        await world.storage.db
          .update(sends)
          .set({ status: 'cancelled' })
          .where(and(eq(sends.id, id), eq(sends.status, 'queued'), isNull(sends.startedAt)))
          .returning({ id: sends.id })
      ).map((row) => row.id);
    const racers = Array.from({ length: 3 }, () => hand(world.database, world.engine().registrations.messages));
    const cancelled: string[] = [];
    await Promise.all([
      // Cancels from the other end of the queue, as fast as answers arrive.
      (async () => {
        for (const id of made.toReversed()) {
          cancelled.push(...(await cancel(id)));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })(),
      ...racers.map(async (racer) => {
        while ((await racer.turn(4)) > 0);
      }),
    ]);
    const mailed = (await world.caught()).map(({ sendId }) => sendId);
    expect(mailed.filter((id) => cancelled.includes(id))).toEqual([]);
    expect(new Set([...mailed, ...cancelled])).toEqual(new Set(made));
    expect(mailed).toHaveLength(made.length - cancelled.length);
    expect([mailed.length > 0, cancelled.length > 0]).toEqual([true, true]);
  });

  it('the first handover prevents a cancel', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    await world.messages.process(await world.messages.claim(1));
    world.clock.advance(1_000);
    await world.messages.process(await world.messages.claim(1));
    const rows = await world.storage.db.select().from(world.tables.sends);
    const started = world.clock.now().getTime() - 1_000;
    expect(rows).toMatchObject([{ id, status: 'sending', startedAt: new Date(started) }]);
  });

  it('the earliest handover sets startedAt when two workers race to begin a send', async () => {
    await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    const mine = await world.messages.claim(1);
    let isFirst = true;
    const commit: typeof world.storage.commit = async (plan) => {
      if (isFirst) {
        isFirst = false;
        world.clock.advance(1_000);
        await world.messages.process(await world.messages.claim(1));
      }
      return world.storage.commit(plan);
    };
    const late = hand(world.database, world.engine({ storage: { ...world.storage, commit } }).registrations.messages);
    await late.process(mine);
    expect(await world.storage.db.select().from(world.tables.sends)).toMatchObject([
      { status: 'sending', startedAt: world.clock.now() },
    ]);
    expect(await world.caught()).toHaveLength(2);
  });

  it('retries wait longer each time and fail after six attempts', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('sandbox-retry@example.com')));
    const waits: number[] = [];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      expect(await world.messages.turn()).toBe(1);
      const [message] = await messagesOf(id);
      if (attempt === MAX_ATTEMPTS) break;
      expect(message).toMatchObject({ status: 'queued', attempt, errorCode: 'sandbox_retry' });
      expect(await world.messages.turn()).toBe(0);
      const wait = (await world.storage.nextDueInMs(world.sending.registrations.messages.claim)) ?? 0;
      waits.push(wait);
      world.clock.advance(wait);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(await messagesOf(id)).toMatchObject([{ status: 'failed', attempt: 6, errorCode: 'sandbox_retry' }]);
    expect(await sendOf(id)).toMatchObject({ status: 'failed', errorCode: 'sandbox_retry' });
    expect(await world.storage.nextDueInMs(world.sending.registrations.messages.claim)).toBeNull();
  });

  it('a message whose six handovers got no answer fails', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await world.messages.process(await world.messages.claim());
      world.clock.advance(LEASE_MS);
    }
    await world.drain();
    expect(await messagesOf(id)).toMatchObject([{ status: 'failed', errorCode: 'attempts_exhausted', attempt: 6 }]);
    expect(await world.caught()).toHaveLength(6);
    expect(await sendOf(id)).toMatchObject({ status: 'failed', counts: { failed: 1 } });
  });

  it('each special sandbox address produces its outcome', async () => {
    const list = ['sandbox-dead@x.test', 'sandbox-reject@x.test', 'Sandbox-Slow@x.test', 'ann@x.test'];
    const { id } = await world.accept(TEST, draftTo(addresses(...list)));
    await world.drain();
    expect((await messagesOf(id)).map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ['bounced', 'sandbox_dead'],
      ['failed', 'sandbox_reject'],
      ['sent', null],
      ['sent', null],
    ]);
    expect(await sendOf(id)).toMatchObject({ status: 'sent', counts: { sent: 2, failed: 1, bounced: 1 } });
    expect((await world.caught()).map(({ address }) => address).sort()).toEqual(['Sandbox-Slow@x.test', 'ann@x.test']);
  });

  it('a call beyond its limit is retried, delays no other outcome, and leaves no error once it is sent', async () => {
    const hanging = hand(
      world.database,
      world.engine({ sandboxSlowMs: 60_000, callLimitMs: 500 }).registrations.messages,
    );
    const { id } = await world.accept(TEST, draftTo(addresses('sandbox-slow@x.test', 'ann@x.test')));
    const outcomes = await hanging.process(await hanging.claim());
    expect(outcomes.map((one) => one?.change.status)).toEqual(['sent', 'queued']);
    await hanging.commit(outcomes);
    expect(await messagesOf(id)).toMatchObject([{ status: 'queued', errorCode: 'timeout' }, { status: 'sent' }]);
    world.clock.advance(LEASE_MS);
    await world.drain();
    expect(await messagesOf(id)).toMatchObject([
      { status: 'sent', errorCode: null, error: null },
      { status: 'sent', errorCode: null },
    ]);
  });

  it('a message whose body renders to nothing is suppressed', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com', name: 'Una' });
    world.addPerson(TEST, 'u2', { email: 'udo@example.com' });
    const { id } = await world.accept(TEST, draftTo(users('u1', 'u2'), { text: '{{trait.name}}' }));
    await world.drain();
    expect((await messagesOf(id)).map(({ status, reason }) => [status, reason])).toEqual([
      ['sent', null],
      ['suppressed', 'empty_body'],
    ]);
    expect(await sendOf(id)).toMatchObject({ status: 'sent', counts: { sent: 1, suppressed: 1 } });
  });

  it('a message whose rendered text is too large fails', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com', name: 'x'.repeat(600_000) });
    const { id } = await world.accept(TEST, draftTo(users('u1'), { text: '{{trait.name}} {{trait.name}}' }));
    await world.drain();
    expect(await messagesOf(id)).toMatchObject([{ status: 'failed', errorCode: 'too_large' }]);
  });

  it('a dead-lettered message ends as failed', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const [row] = await world.messages.claim();
    if (row) await world.sending.registrations.messages.deadLetter(row, 'threw');
    expect(await messagesOf(id)).toMatchObject([{ status: 'failed', errorCode: 'threw' }]);
    expect(await sendOf(id)).toMatchObject({ status: 'failed', errorCode: 'threw' });
  });

  it('every row is reported once', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'sandbox-reject@x.test')));
    await world.accept(TEST, draftTo(addresses('bob@example.com')));
    await setSend(id, { status: 'cancelled' });
    const rows = await world.messages.claim();
    const reported: string[] = [];
    await world.sending.registrations.messages.process(rows, (row) => reported.push(row.id), processContext());
    expect(reported.sort()).toEqual(rows.map((row) => row.id).sort());
  });

  it('a call cut off by a stop stays in sending, keeps its lease and is reported at once', async () => {
    const hanging = world.engine({ callLimitMs: 60_000, sandboxSlowMs: 60_000 }).registrations.messages;
    const { id } = await world.accept(TEST, draftTo(addresses('sandbox-slow@x.test')));
    const rows = await world.messages.claim();
    const stopping = new AbortController();
    const results: unknown[] = [];
    const context = processContext({ signal: stopping.signal });
    const handled = hanging.process(rows, (_, one) => results.push(one), context);
    await vi.waitFor(async () => expect((await messagesOf(id))[0]?.status).toBe('sending'));
    stopping.abort();
    await handled;
    expect(results).toEqual([null]);
    expect(await messagesOf(id)).toMatchObject([{ status: 'sending', attempt: 1 }]);
    expect(await world.messages.claim()).toEqual([]);
    world.clock.advance(LEASE_MS);
    expect(await world.messages.turn()).toBe(1);
  });

  it('a worker stopped before the handover releases its leases and hands nothing over', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const rows = await world.messages.claim();
    const results: unknown[] = [];
    const signal = AbortSignal.abort();
    await world.sending.registrations.messages.process(rows, (_, one) => results.push(one), processContext({ signal }));
    expect(results).toEqual([null]);
    expect(await messagesOf(id)).toMatchObject([{ status: 'queued', attempt: 0 }]);
    expect(await world.messages.turn()).toBe(1);
    expect(await world.caught()).toHaveLength(1);
  });

  const counting = async (count: number): Promise<{ handed: string[]; finished: string[] }> => {
    await world.accept(TEST, draftTo(addresses(...numbered(count))));
    const rows = await world.messages.claim();
    expect(rows).toHaveLength(count);
    const statements: string[] = [];
    world.observer.statement = (id) => statements.push(id);
    const outcomes = await world.messages.process(rows);
    const handed = statements.splice(0);
    await world.messages.commit(outcomes);
    delete world.observer.statement;
    return { handed, finished: statements };
  };

  it('handovers use a constant number of statements', async () => {
    const few = await counting(2);
    const many = await counting(100);
    expect(many.handed).toEqual(few.handed);
    expect(many.handed.sort()).toEqual([
      'sending.claim_send',
      'sending.hand_over',
      'sending.insert_sandbox_message',
      'sending.message_people',
      'sending.send_contents',
      'sending.send_states',
    ]);
  });

  it('outcomes use a constant number of statements', async () => {
    const few = await counting(1);
    const many = await counting(100);
    expect(many.finished).toEqual(few.finished);
    expect(many.finished).toEqual([
      'sending.count',
      'sending.finish_sent',
      'sending.finish_failed',
      'sending.finish_suppressed',
      'sending.settle_sent',
    ]);
  });

  it('the content of a send is read once', async () => {
    await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    const statements: string[] = [];
    world.observer.statement = (id) => statements.push(id);
    await world.messages.turn(1);
    await world.messages.turn(1);
    expect(statements.filter((id) => id === 'sending.send_contents')).toHaveLength(1);
  });

  it('no statement is built between lease and outcome', async () => {
    await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const statements: string[] = [];
    world.observer.statement = (id) => statements.push(id);
    await world.messages.turn();
    expect(statements.length).toBeGreaterThan(0);
    expect(statements).not.toContain('sql');
  });
});
