import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

const LONG = { order: { items: Array.from({ length: 1_001 }, () => 0) } };

describe('texts and values of clients', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock: virtualClock('2026-03-01T10:00:00.000Z'),
    });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const fieldsOf = (work: Promise<unknown>): Promise<string[]> =>
    work.then(
      () => [],
      (error: { details: { fieldErrors: object } }) => Object.keys(error.details.fieldErrors),
    );

  it('an array in properties, traits, data or variables has at most 1,000 items', async () => {
    const { events, profiles, push, sms, templates, workflows } = beckon;
    const step = (config: object) =>
      workflows.create(scope, { name: 'W', trigger: { eventType: 'e' }, steps: [config] } as never);
    await events.identify(scope, { userId: 'ada', traits: {} });
    for (const [work, field] of [
      [events.track(scope, { module: 'm', eventType: 'e', userId: 'ada', properties: LONG }), 'properties.order.items'],
      [events.track(scope, { module: 'm', eventType: 'e', userId: 'ada', traits: LONG }), 'traits.order.items'],
      [events.identify(scope, { userId: 'ada', traits: LONG }), 'traits.order.items'],
      [profiles.update(scope, 'ada', { traits: LONG }), 'traits.order.items'],
      [push.send(scope, { userIds: ['ada'], title: 't', data: LONG }), 'data.order.items'],
      [sms.send(scope, { userIds: ['ada'], body: 'b', variables: LONG }), 'variables.order.items'],
      [templates.create(scope, 'push', { name: 'T', title: 't', data: LONG }), 'data.order.items'],
      [step({ type: 'send_push', config: { title: 't', data: LONG } }), 'steps.0.config.data.order.items'],
      [step({ type: 'update_profile', config: { set: LONG } }), 'steps.0.config.set.order'],
    ] as const)
      expect(await fieldsOf(work)).toEqual([field]);
  });

  it('sends and dry runs of every channel warn about typos and are accepted', async () => {
    const { email, push, sms } = beckon;
    await beckon.events.identify(scope, { userId: 'ada', traits: { first_name: 'Ada' } });
    const typo = 'Hi {{traits.first_name}} {{trait.first_name';
    const warningsOf = (field: string) => [
      expect.stringMatching(new RegExp(`^${field}: .*Did you mean \\{\\{trait\\.first_name\\}\\}`)),
      expect.stringMatching(new RegExp(`^${field}: The tag .* is not closed`)),
    ];
    const token = 'a'.repeat(64);
    for (const dryRun of [true, false]) {
      const mail = await email.send(scope, { to: 'ada@example.com', subject: 's', html: typo, dryRun });
      expect(mail.warnings).toEqual(warningsOf('html'));
      const pushed = await push.send(scope, { tokens: [token], title: typo, dryRun });
      expect(pushed.warnings).toEqual(warningsOf('title'));
      const text = await sms.send(scope, { to: '+14155550123', body: typo, dryRun });
      expect(text.warnings).toEqual(warningsOf('body'));
    }
    await beckon.worker.drain();
    for (const channel of ['email', 'push', 'sms'] as const)
      expect((await beckon.outbox.list(scope, { channel })).data).toHaveLength(1);
  });

  it("a send's own texts are checked when a template supplies the others", async () => {
    const { id } = await beckon.templates.create(scope, 'sms', { name: 'T', body: 'Hi *|NAME|*' });
    const send = (own: object) => beckon.sms.send(scope, { to: '+14155550123', templateId: id, ...own });
    expect(await send({})).not.toHaveProperty('warnings');
    expect((await send({ variables: { a: '{{trait.b}}' } })).warnings).toEqual([
      expect.stringMatching(/^variables\.a: This is no template/),
    ]);
  });

  it('a list element and literal braces render for the reader', async () => {
    const variables = { items: [{ name: 'Mug' }, { name: 'Hat' }] };
    const body = "{{event.items.1.name}} {{ '{{' }}x}}";
    expect(await beckon.sms.send(scope, { to: '+14155550123', body, variables })).not.toHaveProperty('warnings');
    await beckon.worker.drain();
    expect((await beckon.outbox.list(scope, { channel: 'sms' })).data).toMatchObject([
      { content: { body: 'Hat {{x}}' } },
    ]);
  });
});
