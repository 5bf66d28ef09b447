import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId } from '../../../../test/support/row-ids.ts';
import { namesOf } from '../../../../test/support/scopes.ts';
import {
  addresses,
  draftTo,
  numbered,
  openWorld,
  PROD,
  START,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import { userPerson } from '../../../foundation/person.ts';
import { type Gate, tierRequired } from '../../../platform/plans/plan.ts';
import { emailEngine } from '../../email/email.ts';

describe('accepting a send', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const rowsOf = async () => world.storage.db.select().from(world.tables.messages);

  it('an accepted send is queued and its messages are already stored', async () => {
    const send = await world.mail(TEST, {
      to: ['ann@example.com', { email: 'bob@example.com', name: 'Bob' }],
      subject: 'Hi',
      text: 'There',
    });
    expect(send).toMatchObject({
      ...namesOf(TEST),
      channel: 'email',
      status: 'queued',
      source: 'api',
      class: 'marketing',
      subject: 'Hi',
      tokenCount: 2,
      scheduledFor: null,
      createdAt: new Date(START),
      startedAt: null,
      category: null,
      tags: {},
      counts: { targeted: 2, queued: 2, sent: 0, failed: 0, suppressed: 0, delivered: 0, bounced: 0, opened: 0 },
      error: null,
    });
    expect(send).not.toHaveProperty('warnings');
    expect(await world.sending.sends.get(TEST, 'email', send.id)).toMatchObject(send);
    const messages = await world.sending.sends.messages(TEST, 'email', send.id);
    expect(messages.data.map(({ address, status }) => [address, status])).toEqual([
      ['ann@example.com', 'queued'],
      ['bob@example.com', 'queued'],
    ]);
  });

  it('a worker delivers every message to the outbox and sets the send to sent', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com', name: '<Una>' });
    const send = await world.mail(TEST, {
      userIds: ['u1'],
      from: { email: 'news@acme.test', name: 'Acme' },
      subject: 'Hi {{trait.name}}',
      html: '<p>{{trait.name}}</p>',
      headers: { 'X-Campaign': 'spring' },
    });
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', send.id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 1, queued: 0, sent: 1, failed: 0, suppressed: 0 },
      startedAt: new Date(START),
      finishedAt: new Date(START),
    });
    const { data } = await world.sending.outbox.list(TEST);
    const [message] = (await world.sending.sends.messages(TEST, 'email', send.id)).data;
    expect(data).toEqual([
      {
        id: expect.any(String),
        channel: 'email',
        sendId: send.id,
        messageId: message?.id,
        userId: 'u1',
        address: 'una@example.com',
        createdAt: new Date(START),
        content: {
          attachments: [],
          cc: [],
          envelope: { from: 'news@acme.test', to: 'una@example.com' },
          from: { email: 'news@acme.test', name: 'Acme' },
          to: { email: 'una@example.com', name: null },
          replyTo: null,
          subject: 'Hi <Una>',
          text: null,
          html: '<p>&lt;Una&gt;</p>',
          headers: {
            'X-Campaign': 'spring',
            'Message-ID': `<${message?.id}@acme.test>`,
            'X-Service-Send-Id': send.id,
          },
        },
      },
    ]);
    expect(message).toMatchObject({ status: 'sent', attempt: 1, sentAt: new Date(START), userId: 'u1' });
    const { data: mine } = await world.sending.forPerson(TEST, userPerson('u1'));
    expect(mine).toEqual([message]);
  });

  it('acceptance checks the plan after the fields and before named resources and the provider, and writes nothing', async () => {
    const checkedGates: Gate[] = [];
    const requirePlan = async (_: unknown, gate: Gate) => {
      checkedGates.push(gate);
      throw tierRequired(gate, 'starter');
    };
    const email = emailEngine(world.engine({ requirePlan }));
    const mail = { to: 'ann@example.com', subject: 'Hi', text: 'There' };
    const far = new Date(START).getTime() + 400 * 86_400_000;
    const send = (more: object) => email.send(PROD, { ...mail, ...more });
    const written: string[] = [];
    world.observer.statement = (id) => written.push(id);
    await expect(send({})).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    await expect(send({ scheduledFor: new Date(far).toISOString() })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(checkedGates).toEqual([]);
    const names = { audienceId: rowId('none'), abTestId: rowId('none'), to: undefined };
    await expect(send(names)).rejects.toMatchObject({ code: 'tier_required' });
    expect(checkedGates.splice(0)).toEqual(['audienceSends']);
    await expect(send({ scheduledFor: '2020-01-01T00:00:00.000Z' })).rejects.toMatchObject({ code: 'tier_required' });
    await expect(send({ scheduledFor: START, dryRun: true })).rejects.toMatchObject({ code: 'tier_required' });
    expect(checkedGates).toEqual(['scheduledSends', 'scheduledSends']);
    expect(written.filter((id) => /insert/.test(id))).toEqual([]);
  });

  it('a prod send without a provider is rejected before any write', async () => {
    const written: string[] = [];
    world.observer.statement = (id) => written.push(id);
    await expect(world.email.send(PROD, { to: 'ann@example.com', subject: 'Hi', text: 'There' })).rejects.toMatchObject(
      {
        code: 'PROVIDER_NOT_CONFIGURED',
        details: { channel: 'email', provider: 'smtp', missing: ['smtp-key'] },
      },
    );
    expect(written).toEqual([]);
    expect(await world.storage.db.select().from(world.tables.sends)).toEqual([]);
  });

  it('a user without a usable address gets a suppressed message', async () => {
    world.addPerson(TEST, 'broken', { email: 'a@example.com>\r\nRCPT TO:<b@example.com' });
    world.addPerson(TEST, 'number', { email: 7 });
    world.addPerson(TEST, 'fine', { email: 'fine@example.com' });
    const send = await world.mail(TEST, {
      userIds: ['unknown', 'broken', 'number', 'fine'],
      subject: 'Hi',
      text: 'There',
    });
    const messages = (await world.sending.sends.messages(TEST, 'email', send.id)).data;
    expect(messages.map(({ userId, address, status, reason }) => [userId, address, status, reason])).toEqual([
      ['unknown', null, 'suppressed', 'no_address'],
      ['broken', null, 'suppressed', 'no_address'],
      ['number', null, 'suppressed', 'no_address'],
      ['fine', 'fine@example.com', 'queued', null],
    ]);
    expect(send.counts).toMatchObject({ targeted: 4, queued: 1, sent: 0, failed: 0, suppressed: 3 });
  });

  it('a duplicate address receives one message and one suppressed as duplicate', async () => {
    world.addPerson(TEST, 'u1', { email: 'ANN@example.com' });
    const send = await world.accept(TEST, draftTo([...addresses('ann@example.com'), ...users('u1')]));
    await world.drain();
    const messages = (await world.sending.sends.messages(TEST, 'email', send.id)).data;
    expect(messages.map(({ status, reason }) => [status, reason])).toEqual([
      ['sent', null],
      ['suppressed', 'duplicate'],
    ]);
    expect(await world.caught()).toHaveLength(1);
  });

  it('a send without recipients ends as suppressed at once', async () => {
    for (const body of [{ to: [] }, { userIds: [] }]) {
      const send = await world.mail(TEST, { ...body, subject: 'Hi', text: 'There' });
      expect(send).toMatchObject({ status: 'suppressed', errorCode: 'no_recipients', finishedAt: new Date(START) });
    }
    expect(await rowsOf()).toEqual([]);
  });

  it('a send whose recipients are all suppressed ends as suppressed at once', async () => {
    const send = await world.mail(TEST, { userIds: ['nobody'], subject: 'Hi', text: 'There' });
    expect(send).toMatchObject({ status: 'suppressed', errorCode: null, finishedAt: new Date(START) });
  });

  it('unknown keys are named in warnings and the send is stored without them', async () => {
    const send = await world.mail(TEST, { to: 'ann@example.com', subject: 'Hi', text: 'There', colour: 'red' });
    expect(send.warnings).toEqual(['The key colour is unknown and was ignored.']);
  });

  it('100 recipients are written by two statements', async () => {
    const statements: [string, number][] = [];
    world.observer.statement = (id, rows) => statements.push([id, rows]);
    await world.accept(TEST, draftTo(addresses(...numbered(100))));
    expect(statements.filter(([id]) => id !== 'wake')).toEqual([
      ['sending.insert_send', 1],
      ['sending.insert_message', 100],
    ]);
  });

  it('a send can be planned into a transaction of another engine', async () => {
    const step = {
      ...draftTo(addresses('ann@example.com')),
      source: 'workflow',
      workflowRunId: rowId('run'),
      stepPath: '0',
    } as const;
    const ids = (() => {
      let at = 0;
      return { next: () => rowId(`id-${at++}`) };
    })();
    const { plan } = world.sending;
    const lookup = await world.sending.lookUpSends([{ scope: TEST, channel: 'email', recipients: step.recipients }]);
    const view = { profiles: new Map(), lookup };
    const planned = plan(TEST, step, view, world.clock.now(), ids);
    expect(planned).toMatchObject({ sendId: rowId('id-0'), status: 'queued', reason: null, wakes: ['messages'] });
    await world.storage.commit({ writes: planned.writes, wakes: planned.wakes });
    const again = plan(TEST, step, view, world.clock.now(), ids);
    const refused = world.storage.commit({ writes: again.writes });
    await expect(refused).rejects.toSatisfy((error) => world.storage.dialect.isUniqueViolation(error));
    expect(await rowsOf()).toHaveLength(1);
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', rowId('id-0'))).toMatchObject({
      status: 'sent',
      source: 'workflow',
      workflowRunId: rowId('run'),
      stepPath: '0',
    });
  });

  it('templates can use the variables of the request and the traits of the recipient', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com', name: 'Una' });
    const request = draftTo(users('u1'), { text: '{{trait.name}}: {{event.plan}} {{user.userId}}' });
    await world.accept(TEST, { ...request, variables: { event: { plan: 'pro' } } });
    await world.drain();
    expect((await world.caught()).map(({ content }) => content['text'])).toEqual(['Una: pro u1']);
  });
});
