import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

it('a frequency cap covers sends and workflow steps, expires, and is erased with its user', async () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const folder = mkdtempSync(join(tmpdir(), 'beckon-caps-'));
  const database = await openTestDatabase({ clock, url: `sqlite:${join(folder, 'beckon.db')}` });
  const beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
  const entries = async () => (await database.storage.db.select().from(database.tables.capEntries)).length;
  try {
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    const scope = await beckon.tenancy.scope({ orgId: org.id, projectId, environment: 'test' });
    const rules = [{ channel: 'email', max: 2, per: { n: 1, unit: 'hour' } }] as const;
    await beckon.settings.update(scope, 'email', { frequencyCap: { enabled: true, rules } });
    const step = { type: 'send_email', config: { subject: 'Hi', text: 'Of a step' } } as const;
    const workflow = {
      name: 'Greet',
      description: null,
      isActive: true,
      trigger: { eventType: 'came' },
      steps: [step],
    };
    await beckon.workflows.importBundle(scope, {
      version: 1,
      exportedAt: '2026-01-01T00:00:00.000Z',
      workflows: [workflow],
    });
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    const mail = async () => {
      await beckon.email.send(scope, { subject: 'Hi', text: 'Of a send', userIds: ['ann'] });
      await beckon.worker.drain();
    };
    const outbox = async () => (await beckon.outbox.list(scope, {})).data.length;
    await mail();
    await beckon.events.track(scope, { module: 'app', eventType: 'came', userId: 'ann' });
    await beckon.worker.drain();
    expect(await outbox()).toBe(2);
    await mail();
    expect(await outbox()).toBe(2);
    expect(await entries()).toBe(2);
    clock.advance(3_600_000);
    await mail();
    expect(await outbox()).toBe(3);
    expect(await entries()).toBe(1);
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    expect(await entries()).toBe(0);
  } finally {
    await beckon.close();
    await database.close();
    rmSync(folder, { recursive: true });
  }
});
