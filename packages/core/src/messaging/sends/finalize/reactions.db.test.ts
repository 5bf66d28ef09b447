import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId } from '../../../../test/support/row-ids.ts';
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
import { write } from '../../../database/commit/write-set.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import type { SendRequest } from '../schema.ts';
import { sendingStatements } from '../statements.ts';
import type { MessageChange } from './change.ts';
import { bindMessageReaction, type MessageReaction } from './reactions.ts';

describe('message reactions', () => {
  let world: World;
  const received: MessageChange[] = [];
  beforeEach(async () => {
    world = await openWorld();
    received.length = 0;
  });
  afterEach(() => world.close());

  const listening = (more: Partial<MessageReaction<void>> = {}) =>
    world.engine({
      reactions: [
        bindMessageReaction({
          name: 'listens',
          concerns: () => true,
          load: async () => undefined,
          plan: (changes) => {
            received.push(...changes);
            return { writes: [] };
          },
          ...more,
        }),
      ],
    });
  const changesSeen = () => received.map(({ from, status, reason, errorCode }) => [from, status, reason ?? errorCode]);
  const submit = async (engine: ReturnType<typeof listening>, request: SendRequest) => {
    const send = await engine.submit(TEST, request);
    if ('dryRun' in send) throw new Error('this was a dry run');
    return send;
  };

  it('reactions see messages that end at acceptance and those that end at expansion', async () => {
    const engine = listening();
    const send = await submit(
      engine,
      draftTo([...users('nobody'), ...addresses('ann@example.com', 'ann@example.com')]),
    );
    expect(changesSeen()).toEqual([
      [null, 'suppressed', 'no_address'],
      [null, 'suppressed', 'duplicate'],
    ]);
    expect(received[0]).toMatchObject({ sendId: send.id, channel: 'email', person: 'u:nobody', step: null });
    received.length = 0;
    await submit(engine, draftTo([...users('nobody'), ...addresses(...numbered(150))]));
    expect(received).toEqual([]);
    await hand(world.database, engine.registrations.sends).turn();
    expect(changesSeen()).toEqual([[null, 'suppressed', 'no_address']]);
    await engine.close();
  });

  it('reactions see answers, retries and gate verdicts', async () => {
    const engine = listening();
    const list = ['ann@x.test', 'sandbox-retry@x.test', 'sandbox-reject@x.test', 'sandbox-dead@x.test'];
    await submit(engine, draftTo(addresses(...list)));
    await submit(engine, draftTo(addresses('ann@x.test'), { text: '{{event.nothing}}' }));
    await hand(world.database, engine.registrations.messages).turn();
    expect(changesSeen().sort()).toEqual(
      [
        ['queued', 'suppressed', 'empty_body'],
        ['sending', 'sent', null],
        ['sending', 'queued', 'sandbox_retry'],
        ['sending', 'failed', 'sandbox_reject'],
        ['sending', 'bounced', 'bounced'],
      ].sort(),
    );
    await engine.close();
  });

  it('reactions see a dead-lettered message and one whose handover got no answer', async () => {
    const engine = listening();
    const { claim, process } = hand(world.database, engine.registrations.messages);
    await submit(engine, draftTo(addresses('ann@x.test')));
    const [row] = await claim();
    if (row) await engine.registrations.messages.deadLetter(row, 'threw');
    expect(changesSeen()).toEqual([['queued', 'failed', 'threw']]);
    received.length = 0;
    await submit(engine, draftTo(addresses('ann@x.test')));
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      await process(await claim());
      world.clock.advance(LEASE_MS);
    }
    expect(changesSeen()).toEqual([['sending', 'failed', 'attempts_exhausted']]);
    await engine.close();
  });

  it('reactions see a delivery once, however often it is reported', async () => {
    const engine = listening();
    const { id } = await submit(engine, draftTo(addresses('ann@x.test')));
    await hand(world.database, engine.registrations.messages).turn();
    const [message] = (await engine.sends.messages(TEST, 'email', id)).data;
    received.length = 0;
    const report = { channel: 'email', sendId: id, messageId: message?.id ?? '', at: world.clock.now() } as const;
    await engine.report(TEST, { ...report, engagement: { kind: 'delivered' } });
    await engine.report(TEST, { ...report, engagement: { kind: 'delivered' } });
    await engine.report(TEST, { ...report, engagement: { kind: 'opened' } });
    expect(changesSeen()).toEqual([['sent', 'delivered', null]]);
    await engine.close();
  });

  it("reactions do not see a receipt that arrives before the provider's answer, which decides the status", async () => {
    const engine = listening();
    const { id } = await submit(engine, draftTo(addresses('ann@x.test')));
    const { claim, process, commit } = hand(world.database, engine.registrations.messages);
    const outcomes = await process(await claim());
    const [message] = (await engine.sends.messages(TEST, 'email', id)).data;
    const report = { channel: 'email', sendId: id, messageId: message?.id ?? '', at: world.clock.now() } as const;
    await engine.report(TEST, { ...report, engagement: { kind: 'delivered' } });
    expect(received).toEqual([]);
    await commit(outcomes);
    await engine.report(TEST, { ...report, engagement: { kind: 'delivered' } });
    expect(changesSeen()).toEqual([['sending', 'sent', null]]);
    expect(await engine.sends.get(TEST, 'email', id)).toMatchObject({ counts: { sent: 1, delivered: 1 } });
    await engine.close();
  });

  it('reactions see every message of a cancelled send; messages are read only if a reaction needs them', async () => {
    const statements: string[] = [];
    world.observer.statement = (id) => statements.push(id);
    const engine = listening();
    const { id } = await submit(engine, draftTo(addresses('ann@x.test', 'bob@x.test')));
    await engine.sends.cancel(TEST, 'email', id);
    expect(changesSeen()).toEqual([
      ['queued', 'cancelled', null],
      ['queued', 'cancelled', null],
    ]);
    expect(statements).toContain('sending.cancellable_messages');
    statements.length = 0;
    const deaf = listening({ concerns: ({ step }) => step !== null });
    const other = await submit(deaf, draftTo(addresses('ann@x.test')));
    await deaf.sends.cancel(TEST, 'email', other.id);
    expect(statements).toContain('sending.cancel_messages');
    expect(statements).not.toContain('sending.cancellable_messages');
    await Promise.all([engine.close(), deaf.close()]);
  });

  it('a reaction gets the workflow step of a message', async () => {
    const engine = listening();
    const step = { runId: rowId('run'), path: '3.else.0' };
    const request = { ...draftTo(addresses('ann@x.test')), source: 'workflow' } as const;
    await submit(engine, { ...request, workflowRunId: step.runId, stepPath: step.path });
    await hand(world.database, engine.registrations.messages).turn();
    expect(received).toMatchObject([{ status: 'sent', step }]);
    await engine.close();
  });

  it('reactions write in the transaction of the message and load again if their guards fail', async () => {
    const hot = sendingStatements(world.tables);
    const at = world.clock.now();
    let loads = 0;
    const { id: counter } = await world.accept(TEST, draftTo([]));
    const engine = listening({
      concerns: ({ status }) => status === 'sent',
      load: async () => {
        loads += 1;
      },
      // Guarded: a finished send cannot be claimed.
      plan: (_, __, now) => ({
        writes:
          loads === 1
            ? [write(hot.claimSend, { ...scopeOf(TEST), id: counter, status: 'sending', startedAt: now }, 'mine')]
            : [
                write(hot.count, {
                  ...scopeOf(TEST),
                  id: counter,
                  sent: 0,
                  failed: 0,
                  bounced: 1,
                  suppressed: 0,
                  deferred: 0,
                }),
              ],
      }),
    });
    const { id } = await submit(engine, draftTo(addresses('ann@x.test')));
    await hand(world.database, engine.registrations.messages).turn();
    expect(loads).toBe(2);
    expect(await engine.sends.get(TEST, 'email', id)).toMatchObject({ status: 'sent', finishedAt: at });
    expect(await engine.sends.get(TEST, 'email', counter)).toMatchObject({ counts: { bounced: 1 } });
    await engine.close();
  });
});
