import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Page, PageQuery } from '../foundation/page.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

type List = (scope: Scope, page: PageQuery) => Promise<Page<unknown>>;
const refused = { code: 'VALIDATION_ERROR', details: { fieldErrors: { cursor: expect.anything() } } };

describe('list cursors', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const lists = new Map<string, List>();
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let strangers: readonly Scope[];

  /** Two rows of every kind for each of two users. */
  const fill = async () => {
    const workflow = { description: null, isActive: true, trigger: { eventType: 'asked' }, steps: [] };
    await beckon.workflows.importBundle(scope, {
      version: 1,
      exportedAt: '2026-01-01T00:00:00.000Z',
      workflows: ['V', 'W'].map((name) => ({ ...workflow, name })),
    });
    for (const userId of ['ann', 'bob']) {
      await beckon.events.identify(scope, { userId, traits: { email: `${userId}@example.com` } });
      for (const token of [1, 2])
        await beckon.tokens.register(scope, { token: `fcm:${userId}-${token}`, platform: 'android', userId });
      for (let at = 0; at < 2; at += 1) await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId });
    }
    const userIds = ['ann', 'bob'];
    const sends = [];
    for (let at = 0; at < 2; at += 1) sends.push(await beckon.email.send(scope, { userIds, subject: 's', text: 't' }));
    for (let at = 0; at < 2; at += 1) await beckon.push.send(scope, { userIds, title: 't' });
    await beckon.worker.drain();
    return sends.map((send) => ('id' in send ? send.id : ''));
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const other = await beckon.tenancy.createOrg({ name: 'Other' });
    const projectOf = async (orgId: string, name: string) => (await beckon.tenancy.createProject({ orgId, name })).id;
    const app = { orgId: org.id, projectId: await projectOf(org.id, 'App') };
    const beside = { orgId: org.id, projectId: await projectOf(org.id, 'Second') };
    const theirs = { orgId: other.id, projectId: await projectOf(other.id, 'Theirs') };
    scope = await beckon.tenancy.scope({ ...app, environment: 'test' });
    strangers = [
      await beckon.tenancy.scope({ ...app, environment: 'prod' }),
      await beckon.tenancy.scope({ ...beside, environment: 'test' }),
      await beckon.tenancy.scope({ ...theirs, environment: 'test' }),
    ];
    const [first = '', second = ''] = await fill();
    const { sends, runs, profiles, outbox } = beckon;
    const [workflow] = (await runs.list(scope)).data;
    const add = (name: string, list: List) => lists.set(name, list);
    for (const channel of ['email', 'push'] as const)
      add(`sends of ${channel}`, (of, page) => sends.list(of, channel, page));
    add('sends that were sent', (of, page) => sends.list(of, 'email', { ...page, status: 'sent' }));
    for (const [at, id] of [first, second].entries())
      add(`messages of send ${at}`, (of, page) => sends.messages(of, 'email', id, page));
    add('sent messages of send 0', (of, page) => sends.messages(of, 'email', first, { ...page, status: 'sent' }));
    add('runs', (of, page) => runs.list(of, page));
    add('completed runs', (of, page) => runs.list(of, { ...page, status: 'completed' }));
    add('runs of ann', (of, page) => runs.list(of, { ...page, userId: 'ann' }));
    add('runs of bob', (of, page) => runs.list(of, { ...page, userId: 'bob' }));
    add('runs of one workflow', (of, page) => runs.list(of, { ...page, workflowId: workflow?.workflowId }));
    add('profiles', (of, page) => profiles.list(of, page));
    for (const userId of ['ann', 'bob']) {
      add(`events of ${userId}`, (of, page) => profiles.events(of, userId, page));
      add(`messages of ${userId}`, (of, page) => profiles.sends(of, userId, page));
      add(`outbox of ${userId}`, (of, page) => outbox.list(of, { ...page, userId }));
    }
    add('outbox', (of, page) => outbox.list(of, page));
    add('all events', (of, page) => beckon.events.list(of, page));
    add('events until then', (of, page) => beckon.events.list(of, { ...page, to: new Date('2027-01-01') }));
    for (const channel of ['email', 'push'] as const)
      add(`outbox of ${channel}`, (of, page) => outbox.list(of, { ...page, channel }));
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const cursorOf = async (list: List): Promise<string> => {
    const { nextCursor } = (await list(scope, { limit: 1 })).pagination;
    expect(nextCursor).not.toBeNull();
    return nextCursor ?? '';
  };

  it('a cursor continues its list with the same filters', async () => {
    for (const [name, list] of lists) {
      const { data, pagination } = await list(scope, { limit: 1, cursor: await cursorOf(list) });
      expect([data.length, pagination.limit], name).toEqual([1, 1]);
    }
  });

  it('a cursor is rejected by every other list, and by the same list with other filters', async () => {
    for (const [from, list] of lists) {
      const cursor = await cursorOf(list);
      for (const [name, other] of lists)
        if (other !== list)
          await expect(other(scope, { limit: 1, cursor }), `${from}: ${name}`).rejects.toMatchObject(refused);
    }
  });

  it('a cursor is rejected in another environment, project and organization', async () => {
    // The history of a user that a scope does not have is not found, whatever the cursor.
    for (const stranger of strangers)
      for (const userId of ['ann', 'bob']) await beckon.events.identify(stranger, { userId, traits: {} });
    for (const [name, list] of lists) {
      const cursor = await cursorOf(list);
      for (const stranger of strangers)
        await expect(list(stranger, { limit: 1, cursor }), name).rejects.toMatchObject(refused);
    }
  });
});
