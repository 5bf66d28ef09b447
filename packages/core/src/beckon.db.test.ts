import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../test/database.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './beckon.ts';
import { virtualClock } from './primitives/clock.ts';
import type { Scope } from './primitives/scope.ts';
import { newMasterKey } from './primitives/secrets.ts';

const bundle = {
  version: 1,
  exportedAt: '2026-01-01T00:00:00.000Z',
  workflows: [
    {
      name: 'Welcome',
      description: null,
      isActive: true,
      trigger: { eventType: 'user.signed_up', filters: { plan: 'pro' } },
      steps: [
        {
          type: 'send_email',
          config: { subject: 'Hello {{trait.first_name}}', text: 'You chose {{event.plan}}.' },
        },
        { type: 'wait', config: { minutes: 60 } },
        { type: 'update_profile', config: { increment: { welcomed: 1 } }, delayMinutes: 5 },
      ],
    },
  ],
};

describe('beckon', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    // SQLite in memory is of one connection; the service opens its own.
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = { orgId: org.id, projectId: project.id, environment: 'test' };
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  it('turns an event into a run, a message in the sandbox, a wait and a changed profile', async () => {
    await beckon.workflows.importBundle(scope, bundle);
    await beckon.events.identify(scope, { userId: 'ann', traits: { first_name: 'Ann', email: 'ann@example.com' } });
    const sign = { module: 'auth', eventType: 'user.signed_up', userId: 'ann', properties: { plan: 'pro' } };
    const { id } = await beckon.events.accept(scope, sign);
    expect(await beckon.worker.drain()).toBeGreaterThan(0);

    const { data: outbox } = await beckon.outbox.list(scope);
    expect(outbox).toMatchObject([
      { address: 'ann@example.com', userId: 'ann', content: { subject: 'Hello Ann', text: 'You chose pro.' } },
    ]);
    const runs = async () => (await beckon.workflows.listRuns(scope)).data;
    expect(await runs()).toMatchObject([
      { triggerEventId: id, status: 'waiting', cursor: '1', next_step_at: new Date(clock.now().getTime() + 3_600_000) },
    ]);

    clock.advance(3_600_000);
    await beckon.worker.drain();
    expect(await runs()).toMatchObject([{ status: 'waiting', cursor: '2' }]);
    clock.advance(5 * 60_000);
    await beckon.worker.drain();
    const [run] = await runs();
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok', next_step_at: null });
    const { steps } = await beckon.workflows.getRun(scope, run?.id ?? '');
    expect(steps.map(({ path, type, outcome }) => [path, type, outcome])).toEqual([
      ['0', 'send_email', 'ok'],
      ['1', 'wait', 'ok'],
      ['2', 'update_profile', 'ok'],
    ]);
    expect((await beckon.profiles.get(scope, 'ann')).traits).toMatchObject({ welcomed: 1 });
    const { data: sends } = await beckon.sends.list(scope, 'email');
    expect(sends).toMatchObject([{ status: 'sent', source: 'workflow', counts: { targeted: 1, sent: 1 } }]);
    expect((await beckon.profiles.sends(scope, 'ann')).data).toMatchObject([{ status: 'sent', sendId: sends[0]?.id }]);
  });

  it('starts no run for an event whose filter differs', async () => {
    await beckon.workflows.importBundle(scope, bundle);
    const sign = { module: 'auth', eventType: 'user.signed_up', userId: 'ann', properties: { plan: 'free' } };
    await beckon.events.accept(scope, sign);
    expect((await beckon.workflows.listRuns(scope)).data).toEqual([]);
  });

  it('answers that it is ready with what it looked at', async () => {
    expect(await beckon.health()).toMatchObject({ ready: true, checks: { schema: { ok: true, detail: 'current' } } });
  });
});
