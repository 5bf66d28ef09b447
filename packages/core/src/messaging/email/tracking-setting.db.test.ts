import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

const HTML = '<body><a href="https://shop.test/">Shop</a></body>';

describe('the email setting tracking', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    const clock = virtualClock('2026-03-01T10:00:00.000Z');
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey(), clock, publicUrl: 'https://beckon.test' },
    });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  /** What the newest email in the outbox tracks: `o` for opens, `c` for clicks. */
  const tracked = async (): Promise<string> => {
    await beckon.worker.drain();
    const [message] = (await beckon.outbox.list(scope, { limit: 1 })).data;
    const kinds = JSON.stringify(message).matchAll(/beckon\.test\/api\/v1\/email\/([oc])\//g);
    return [...new Set([...kinds].map(([, kind]) => kind))].toSorted().join('');
  };
  const send = async (tracking?: { readonly opens?: boolean; readonly clicks?: boolean }): Promise<string> => {
    const body = { userIds: ['ann'], class: 'transactional', subject: 'Hi', html: HTML } as const;
    await beckon.email.send(scope, { ...body, ...(tracking && { tracking }) });
    return tracked();
  };

  it('emails are not tracked by default', async () => {
    expect(await send()).toBe('');
  });

  it('the setting applies to each kind that a send leaves out', async () => {
    await beckon.settings.update(scope, 'email', { tracking: { opens: true, clicks: true } });
    expect(await send()).toBe('co');
    expect(await send({ clicks: false })).toBe('o');
    expect(await send({ opens: false, clicks: false })).toBe('');
    await beckon.settings.update(scope, 'email', { tracking: { clicks: true } });
    expect(await send()).toBe('c');
    expect(await send({ opens: true })).toBe('co');
  });

  it('the setting applies to workflow steps, and a step can turn tracking off', async () => {
    await beckon.settings.update(scope, 'email', { tracking: { opens: true } });
    for (const [eventType, tracking] of [
      ['plain', undefined],
      ['untracked', { opens: false }],
    ] as const)
      await beckon.workflows.create(scope, {
        ...{ name: eventType, trigger: { eventType }, isActive: true },
        steps: [{ type: 'send_email', config: { subject: 'Hi', html: HTML, ...(tracking && { tracking }) } }],
      });
    await beckon.events.track(scope, { module: 'shop', eventType: 'plain', userId: 'ann' });
    expect(await tracked()).toBe('o');
    await beckon.events.track(scope, { module: 'shop', eventType: 'untracked', userId: 'ann' });
    expect(await tracked()).toBe('');
  });
});
