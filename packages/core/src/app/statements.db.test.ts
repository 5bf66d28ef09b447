import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { comparesOf, scansOf } from '../../test/support/explain.ts';
import type { BundleInput } from '../automation/workflows/api.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

const bundle: BundleInput = {
  version: 1,
  exportedAt: '2026-01-01T00:00:00.000Z',
  workflows: [
    {
      name: 'Answer',
      description: null,
      isActive: true,
      trigger: { eventType: 'asked' },
      steps: [
        { type: 'send_email', config: { subject: 's', text: 't' } },
        { type: 'send_email', config: { subject: 's', text: '{{trait.nothing}}' } },
        { type: 'send_push', config: { title: 't' } },
        { type: 'send_sms', config: { body: 'b' } },
        { type: 'update_profile', config: { increment: { n: 1 } } },
      ],
    },
    {
      name: 'Hope',
      description: null,
      isActive: true,
      trigger: { eventType: 'hoped' },
      steps: [{ type: 'wait', config: { event: { eventType: 'granted', timeoutMinutes: 60, onTimeout: 'exit' } } }],
    },
  ],
};

describe('hot statements', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const folder = mkdtempSync(join(tmpdir(), 'beckon-statements-'));
  /** Statements by their texts: one may have several forms. */
  const texts = new Map<string, string>();
  let ran: { id: string; rows: number; text: string }[] = [];
  let builds = 0;
  let commits = 0;
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let key: string;
  let test: string;

  beforeAll(async () => {
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}` });
    const observer = {
      statement: (id: string, rows: number, text: string) => {
        ran.push({ id, rows, text });
        if (id !== 'sql') texts.set(text, id);
      },
      built: () => {
        builds += 1;
      },
      committed: () => {
        commits += 1;
      },
    };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock }, { observer });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    key = (
      await beckon.tenancy.createKey({
        kind: 'secret',
        environment: 'test',
        grants: [{ orgId: org.id, projectId: project.id }],
      })
    ).secret;
    await beckon.workflows.importBundle(scope, bundle);
    const cap = { channel: 'all', max: 10_000, per: { n: 1, unit: 'day' }, class: 'all' } as const;
    await beckon.settings.update(scope, 'push', { frequencyCap: { enabled: true, rules: [cap] } });
    const metric = { type: 'event', eventType: 'asked' } as const;
    test = (await beckon.abTests.create(scope, 'push', { name: 'T', variants: [{ key: 'a', weight: 100 }], metric }))
      .id;
    await beckon.audiences.create(scope, { name: 'Pro', predicate: [{ trait: 'plan', op: 'eq', value: 'pro' }] });
    await path(0);
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** One round of every hot operation. */
  const path = async (round: number) => {
    await beckon.tenancy.authenticate(key);
    const userId = `u${round}`;
    await beckon.events.track(scope, { module: 'm', eventType: 'seen', anonymousId: `a${round}` });
    const traits = { email: 'u@example.com', phone: '+14155550199' };
    await beckon.events.identify(scope, { userId, anonymousId: `a${round}`, traits });
    await beckon.events.identify(scope, { userId, traits: { plan: 'pro' } });
    await beckon.tokens.register(scope, { token: `fcm:${round}`, platform: 'android', userId });
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId, messageId: `m${round}` });
    await beckon.events.track(scope, { module: 'm', eventType: 'hoped', userId });
    await beckon.email.send(scope, { to: 'v@example.com', subject: 's', text: 't' });
    await beckon.push.send(scope, { userIds: [userId], title: 't' });
    await beckon.sms.send(scope, { userIds: [userId], body: 'b' });
    const scheduledFor = new Date(clock.now().getTime() + 60_000).toISOString();
    const later = await beckon.email.send(scope, { to: 'v@example.com', subject: 's', text: 't', scheduledFor });
    await beckon.worker.drain();
    if ('id' in later) await beckon.sends.cancel(scope, 'email', later.id);
    const queued = await beckon.email.send(scope, { to: 'w@example.com', subject: 's', text: 't' });
    if ('id' in queued) await beckon.sends.cancel(scope, 'email', queued.id);
    await beckon.push.send(scope, { userIds: [userId], title: '{{trait.nothing}}', abTestId: test });
    const tested = await beckon.push.send(scope, { userIds: [userId], title: 't', abTestId: test });
    await beckon.worker.drain();
    if ('id' in tested) await beckon.push.trackOpen(scope, { sendId: tested.id });
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId });
    await beckon.events.track(scope, { module: 'm', eventType: 'granted', userId });
  };

  it('hot operations build no SQL after warm-up', async () => {
    builds = 0;
    ran = [];
    await beckon.tenancy.authenticate(key);
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId: 'u0', messageId: 'again' });
    await beckon.events.identify(scope, { userId: 'u0', traits: { plan: 'pro' } });
    await beckon.email.send(scope, { to: 'v@example.com', subject: 's', text: 't' });
    await beckon.push.send(scope, { userIds: ['u0'], title: 't', abTestId: test });
    await beckon.sms.send(scope, { userIds: ['u0'], body: 'b' });
    expect(builds).toBe(0);
    expect(ran.filter(({ id }) => id === 'sql')).toEqual([]);
  });

  it('the counter of SQL builds works, so the test above can fail', async () => {
    builds = 0;
    await beckon.profiles.list(scope);
    expect(builds).toBeGreaterThan(0);
  });

  it('a queue is claimed with one statement and finished with a constant number, whatever the number of rows', async () => {
    const perRound = async (sends: number): Promise<number> => {
      await Promise.all(
        Array.from({ length: sends }, (_, at) =>
          beckon.email.send(scope, { to: `v${at}@example.com`, subject: 's', text: 't' }),
        ),
      );
      ran = [];
      await beckon.worker.drain();
      expect(ran.filter(({ id }) => id === 'messages.claim').map(({ rows }) => rows)).not.toContain(0);
      return ran.length;
    };
    const few = await perRound(2);
    const many = await perRound(200);
    expect(many).toBeLessThanOrEqual(few + 4);
  });

  it('a handover checks suppressions and subscriptions again in its transaction, once for all its messages', async () => {
    await Promise.all([1, 2, 3].map(() => beckon.email.send(scope, { userIds: ['u0'], subject: 's', text: 't' })));
    await beckon.push.send(scope, { userIds: ['u0'], title: 't' });
    ran = [];
    await beckon.worker.drain();
    const stills = ran.filter(({ id }) => id.endsWith('.still')).map(({ id, rows }) => `${id} ${rows}`);
    expect(stills.toSorted()).toEqual(['subscriptions.still 1', 'subscriptions.still 3', 'suppressions.still 3']);
  });

  it('a handover of pushes and SMS needs as many statements as one of emails, whatever the number of messages', async () => {
    const perRound = async (sends: number): Promise<number> => {
      const userIds = Array.from({ length: sends }, () => 'u0');
      await Promise.all(
        userIds.flatMap((userId) => [
          beckon.push.send(scope, { userIds: [userId], title: 't' }),
          beckon.sms.send(scope, { userIds: [userId], body: 'b' }),
        ]),
      );
      ran = [];
      await beckon.worker.drain();
      return ran.length;
    };
    const few = await perRound(2);
    const many = await perRound(100);
    expect(many).toBeLessThanOrEqual(few + 8);
  });

  it('starting and stepping a thousand runs needs a constant number of statements', async () => {
    ran = [];
    commits = 0;
    await Promise.all(
      Array.from({ length: 1_000 }, (_, at) =>
        beckon.events.track(scope, { module: 'm', eventType: 'asked', userId: `u${at % 20}`, messageId: `many${at}` }),
      ),
    );
    expect(commits).toBeLessThan(100);
    expect(ran.length).toBeLessThan(commits * 8 + 8);
    expect(ran.filter(({ id }) => id === 'events.insert').reduce((sum, { rows }) => sum + rows, 0)).toBe(1_000);
    expect(ran.filter(({ id }) => id === 'runs.start').reduce((sum, { rows }) => sum + rows, 0)).toBe(1_000);
  });

  it('waiting runs are read only for event names that a workflow waits for', async () => {
    const idsOf = async (eventType: string) => {
      ran = [];
      await beckon.events.track(scope, { module: 'm', eventType, userId: 'u0' });
      return ran.map(({ id }) => id);
    };
    expect(await idsOf('seen')).not.toContain('runs.awaiting');
    expect((await idsOf('granted')).filter((id) => id === 'runs.awaiting')).toHaveLength(1);
  });

  it('hot statements find their rows by an index, on every growing table', async () => {
    // A user's reservations are counted once one of their messages exceeds the cap.
    const cap = { channel: 'all', max: 1, per: { n: 1, unit: 'day' }, class: 'all' } as const;
    await beckon.settings.update(scope, 'push', { frequencyCap: { enabled: true, rules: [cap] } });
    await Promise.all([1, 2].map(() => beckon.push.send(scope, { userIds: ['u1'], title: 't' })));
    await beckon.worker.drain();
    expect(texts.size).toBeGreaterThan(20);
    expect([...texts.values()]).toEqual(
      expect.arrayContaining([
        'audiences.memberships',
        'runs.step_suppressed',
        'runs.awaiting',
        'runs.wake',
        'sending.cancel_unsent',
        'sending.cancel_messages',
        'sending.unconverted',
        'sending.assign',
        'sending.hand_over_as',
        'caps.taken',
        'caps.take',
      ]),
    );
    expect(await scansOf(database.url, [...texts.keys()])).toEqual([]);
  });

  it('a page of all events reads messages and sends by an index', async () => {
    ran = [];
    const page = await beckon.events.list(scope, { limit: 3 });
    await beckon.events.list(scope, { limit: 3, cursor: page.pagination.nextCursor ?? undefined });
    await beckon.events.get(scope, page.data[0]?.id ?? '');
    const read = ran.map(({ text }) => text).filter((text) => /"(?:messages|sends)"/.test(text));
    expect(read.length).toBeGreaterThanOrEqual(10);
    expect(await scansOf(database.url, read)).toEqual([]);
  });

  it('the figures of an A/B test read its messages by an index', async () => {
    ran = [];
    await beckon.abTests.stats(scope, 'push', test);
    const read = ran.map(({ text }) => text).filter((text) => text.includes('"messages"'));
    expect(read).toHaveLength(1);
    expect(await scansOf(database.url, read)).toEqual([]);
  });

  it('the figures of a workflow read its runs and steps by an index', async () => {
    const [workflow] = (await beckon.workflows.list(scope, { name: 'Answer' })).data;
    ran = [];
    await beckon.workflows.figures(scope, workflow?.id ?? '');
    const read = ran.map(({ text }) => text).filter((text) => /"(?:runs|run_steps)"/.test(text));
    expect(read.length).toBeGreaterThanOrEqual(2);
    expect(await scansOf(database.url, read)).toEqual([]);
    expect(await comparesOf(database.url, read)).toEqual([]);
  });

  it('comparing rows without an index is detected, so the test above can fail', async () => {
    const steps = 'select 1 from "run_steps" as one where one.scope_id = $1 and not exists';
    const later = 'select 1 from "run_steps" as two where two.scope_id = one.scope_id and two.run_id = one.run_id';
    const isServer = !database.url.startsWith('sqlite:');
    expect(await comparesOf(database.url, [`${steps} (${later})`])).toHaveLength(isServer ? 1 : 0);
  });

  it('scanning without an index is detected, so the test above can fail', async () => {
    const table = 'select "title" from "sends" where "title" = \'x\'';
    expect(await scansOf(database.url, [table])).toHaveLength(1);
  });
});
