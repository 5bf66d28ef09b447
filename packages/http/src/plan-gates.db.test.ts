import { type Beckon, CHANNELS, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { createHandler, type Handler } from './index.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const clock = virtualClock('2026-03-01T12:00:00.000Z');

/** Plans that have every feature but the tested one: the routes' own gates are open. */
const PLANS = [
  {
    name: 'narrow',
    gates: ['geofences', 'liveActivities', 'workflowBundles'],
    eventsPerMonth: null,
    retentionDays: 90,
  },
  {
    name: 'wide',
    gates: ['audienceSends', 'scheduledSends', 'abTests', 'templates'],
    eventsPerMonth: null,
    retentionDays: 90,
  },
] as const;

const CONTENT = {
  push: { title: 'Hi', body: 'There' },
  email: { subject: 'Hi', text: 'There' },
  sms: { body: 'There' },
} as const;
const users = { userIds: ['ann'] };
type Named = 'abTestId' | 'templateId' | 'audienceId';
type Case = {
  readonly says: string;
  readonly path: string;
  readonly field: Named;
  readonly body: (id: string) => object;
};

const workflow = (name: string, channel: (typeof CHANNELS)[number], config: object) => ({
  name,
  description: null,
  trigger: { eventType: 'go' },
  isActive: true,
  steps: [{ type: `send_${channel}`, config: { ...CONTENT[channel], ...config } }],
});
const bundle = (one: object) => ({ version: 1, exportedAt: '2026-03-01T12:00:00.000Z', workflows: [one] });

const CASES: readonly Case[] = [
  ...CHANNELS.flatMap((channel): Case[] => {
    const at = (route: string) => `/${channel}/${route}`;
    const content = CONTENT[channel];
    return [
      ...[{}, { dryRun: true }].flatMap((more): Case[] => {
        const how = 'dryRun' in more ? 'a dry run' : 'a send';
        return [
          {
            says: how,
            path: at('send'),
            field: 'abTestId',
            body: (id) => ({ ...content, ...users, ...more, abTestId: id }),
          },
          { says: how, path: at('send'), field: 'templateId', body: (id) => ({ ...users, ...more, templateId: id }) },
          { says: how, path: at('send'), field: 'audienceId', body: (id) => ({ ...content, ...more, audienceId: id }) },
          {
            says: how,
            path: at('send-to-audience'),
            field: 'audienceId',
            body: (id) => ({ ...content, ...more, audienceId: id }),
          },
        ];
      }),
      ...(['abTestId', 'templateId'] as const).flatMap((field): Case[] => [
        {
          says: 'a saved step',
          path: '/automation/workflows',
          field,
          body: (id) => workflow('W', channel, { [field]: id }),
        },
        {
          says: 'an imported step',
          path: '/automation/workflows/import',
          field,
          body: (id) => bundle(workflow('W', channel, { [field]: id })),
        },
        {
          says: 'a step that an import would save',
          path: '/automation/workflows/import?dryRun=true',
          field,
          body: (id) => bundle(workflow('W', channel, { [field]: id })),
        },
      ]),
    ];
  }),
  {
    says: 'a live activity',
    path: '/push/live-activities/start',
    field: 'audienceId',
    body: (audienceId) => ({
      activityType: 'Order',
      externalId: 'order-17',
      attributesType: 'OrderAttributes',
      attributes: {},
      contentState: {},
      alert: { title: 'a', body: 'b' },
      audienceId,
    }),
  },
];

describe('plan gates of referenced features', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let key: string;
  beforeEach(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock,
      plans: PLANS.map((one) => ({ ...one, gates: [...one.gates] })),
    });
    handler = createHandler(beckon, { clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    key = (await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants: [{ orgId, projectId }] }))
      .secret;
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const call = async (path: string, body: object, method = 'POST') => {
    const response = await handler.fetch(
      new Request(`http://127.0.0.1/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    return { status: response.status, text: await response.text() };
  };
  const answers = async (id: string) => {
    const all: string[] = [];
    for (const { says, path, field, body } of CASES) {
      const { status, text } = await call(path, body(id));
      all.push(
        `${says}, ${path}, ${field}: ${status}${status === 402 ? ` ${JSON.parse(text).error.details.requiredPlan}` : ''}`,
      );
    }
    return all;
  };
  const expected = (status: (one: Case) => string) =>
    CASES.map((one) => `${one.says}, ${one.path}, ${one.field}: ${status(one)}`);

  it('a body with a feature that the plan lacks is 402, whatever id it names', async () => {
    await beckon.plans.set(scope.orgId, 'narrow');
    expect(await answers(NOBODY)).toEqual(expected(() => '402 wide'));
  });

  it('a malformed id is 400 on any plan', async () => {
    await beckon.plans.set(scope.orgId, 'narrow');
    expect(await answers('no id')).toEqual(expected(() => '400'));
  });

  it('an unknown id is 400 on a plan with the feature; a workflow step with one saves with a warning', async () => {
    await beckon.plans.set(scope.orgId, 'wide');
    const found = await answers(NOBODY);
    for (const [index, { says }] of CASES.entries())
      expect(found[index]).toMatch(says.includes('step') ? /: (20[01]|409)$/ : /: (400|412)$/);
  });

  it('402 comes after other errors of the body, also if a template could fill in the field', async () => {
    await beckon.plans.set(scope.orgId, 'narrow');
    for (const channel of CHANNELS) {
      const { status, text } = await call(`/${channel}/send`, { ...users, templateId: NOBODY, class: 'no such class' });
      expect([channel, status, Object.keys(JSON.parse(text).error.details.fieldErrors)]).toEqual([
        channel,
        400,
        ['class'],
      ]);
    }
  });

  it('after a downgrade a workflow keeps its step, and the step ends with tier_required', async () => {
    await beckon.plans.set(scope.orgId, 'wide');
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com', phone: '+14155550100' } });
    const variants = [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50 },
    ];
    const test = await beckon.abTests.create(scope, 'email', { name: 'T', variants, metric: { type: 'open' } });
    const template = await beckon.templates.create(scope, 'sms', { name: 'S', body: 'x' });
    const { id } = await beckon.workflows.create(scope, {
      name: 'W',
      trigger: { eventType: 'go' },
      isActive: true,
      steps: [
        { type: 'send_email', config: { ...CONTENT.email, abTestId: test.id } },
        { type: 'send_sms', config: { templateId: template.id } },
        { type: 'send_sms', config: { body: 'plain' } },
      ],
    });
    await beckon.plans.set(scope.orgId, 'narrow');
    await beckon.events.track(scope, { module: 'm', eventType: 'go', userId: 'ann' });
    await beckon.worker.drain();
    const [run] = (await beckon.runs.list(scope, {})).data;
    const { steps } = await beckon.runs.get(scope, run?.id ?? '');
    expect(steps.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['error', 'tier_required'],
      ['error', 'tier_required'],
      ['ok', null],
    ]);
    // A change that does not touch its steps is still allowed.
    expect((await call(`/automation/workflows/${id}`, { isActive: false }, 'PATCH')).status).toBe(200);
    const steps402 = [{ type: 'send_sms', config: { templateId: template.id } }];
    expect((await call(`/automation/workflows/${id}`, { steps: steps402 }, 'PATCH')).status).toBe(402);
    expect((await call(`/automation/workflows/${NOBODY}`, { steps: steps402 }, 'PATCH')).status).toBe(402);
    const simulated = await beckon.workflows.simulate(scope, id, { event: { eventType: 'go', userId: 'ann' } });
    expect(JSON.stringify(simulated)).toContain('tier_required');
  });
});
