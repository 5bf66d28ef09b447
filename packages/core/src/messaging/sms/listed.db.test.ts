import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { Send } from '../sends/answers.generated.ts';

const ANN = '+14155550123';

describe('text messages in lists of sends', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let clock: VirtualClock;
  beforeEach(async () => {
    database = await openTestDatabase();
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const titles = async () => {
    const { data } = await beckon.sends.list(scope, 'sms');
    return data.map((send: Send) => ('title' in send ? send.title : null));
  };

  it('a text message send is listed with its text, from an API call, a template and a workflow', async () => {
    await beckon.sms.send(scope, { to: ANN, body: 'Hi {{trait.name}}' });
    const { id: templateId } = await beckon.templates.create(scope, 'sms', { name: 'Code', body: 'Your code' });
    await beckon.sms.send(scope, { to: ANN, templateId });
    await beckon.workflows.create(scope, {
      name: 'Welcome',
      trigger: { eventType: 'joined' },
      steps: [{ type: 'send_sms', config: { to: ANN, body: 'Welcome' } }],
      isActive: true,
    });
    await beckon.events.track(scope, { module: 'app', eventType: 'joined', userId: 'ann' });
    await beckon.worker.drain();
    expect((await titles()).toSorted()).toEqual(['Hi {{trait.name}}', 'Welcome', 'Your code']);
  });

  it('a long text is cut to 160 characters, and a text that is only localized shows its first language', async () => {
    await beckon.sms.send(scope, { to: ANN, body: 'x'.repeat(161) });
    expect(await titles()).toEqual([`${'x'.repeat(159)}…`]);
    clock.advance(1);
    await beckon.sms.send(scope, { to: ANN, body: '', localizedBody: { es: 'Hola', fr: 'Salut' } });
    expect((await titles())[0]).toBe('Hola');
  });

  it('a text that no database stores unchanged is listed as stored', async () => {
    await beckon.sms.send(scope, { to: ANN, body: 'a\0b\ud800' });
    expect(await titles()).toEqual(['a\ufffdb\ufffd']);
    clock.advance(1);
    await beckon.sms.send(scope, { to: ANN, body: `${'x'.repeat(158)}😀xx` });
    expect((await titles())[0]).toBe(`${'x'.repeat(158)}\ufffd…`);
  });
});
