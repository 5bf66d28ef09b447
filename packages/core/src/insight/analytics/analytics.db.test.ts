import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the analytics API', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let prod: Scope;
  let templateId: string;
  let workflowId: string;

  const tell = (userId: string, eventType: string, of = scope) =>
    beckon.events.track(of, { module: 'shop', eventType, userId, properties: {} });
  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    prod = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    const made = await beckon.templates.create(scope, 'email', { name: 'T', subject: 's', text: 't' });
    templateId = made.id;
    const step = { type: 'send_email', config: { to: 'shop@example.com', subject: 's', text: 't' } } as const;
    const workflow = { name: 'W', trigger: { eventType: 'bought' }, steps: [step], isActive: true };
    workflowId = (await beckon.workflows.create(scope, workflow)).id;
    for (const userId of ['ann', 'bob', 'cas']) await tell(userId, 'seen');
    clock.advance(HOUR_MS);
    await tell('ann', 'bought');
    await beckon.email.send(scope, { to: ['a@example.com', 'sandbox-dead@example.com'], templateId });
    await beckon.worker.drain();
    clock.advance(DAY_MS);
    for (const userId of ['ann', 'dan']) await tell(userId, 'seen');
    await tell('xeno', 'seen', prod);
    await beckon.email.send(scope, { to: ['a@example.com'], subject: 's', text: 't' });
    await beckon.worker.drain();
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  it('a range ends with the current interval or now, however far in the future its end is', async () => {
    const far = { from: new Date('2026-01-01'), to: new Date('9999-12-31'), interval: 'month' } as const;
    const [current, month] = [new Date('2026-03-02T11:15:00.000Z'), new Date('2026-04-01')];
    const { overview, events, sends, retention, usage, funnel } = beckon.analytics;
    for (const answer of [overview(scope, far), events(scope, far), sends(scope, far)])
      expect((await answer).range).toMatchObject({ to: month, clamped: true });
    const texts = { from: '2026-01-01', to: '9999-12-31' };
    const steps = { steps: ['seen', 'bought'], windowHours: 24 };
    for (const answer of [retention(scope, far), usage(scope, far), funnel(scope, { ...texts, ...steps })])
      expect((await answer).range).toMatchObject({ to: current, clamped: true });
    expect((await overview(scope, far)).totals).toMatchObject({ events: 6, people: 4 });
    const figures = await beckon.workflows.figures(scope, workflowId, far);
    expect(figures.range).toMatchObject({ to: clock.now(), clamped: true });
    expect(figures.totals).toMatchObject({ entered: 1 });
  });

  it('a range in the future has empty series', async () => {
    const future = { from: new Date('5000-01-01'), to: new Date('9999-12-31') };
    const { overview, events, sends, retention, usage, funnel } = beckon.analytics;
    expect((await overview(scope, future)).series.flatMap(({ points }) => points)).toEqual([]);
    expect((await overview(scope, future)).totals).toMatchObject({ events: 0, people: 0, targeted: 0 });
    for (const answer of [events(scope, future), sends(scope, future), retention(scope, future), usage(scope, future)])
      expect((await answer).series.flatMap(({ points }) => points)).toEqual([]);
    const body = { from: '5000-01-01', to: '9999-12-31', steps: ['seen', 'bought'], windowHours: 24 };
    expect((await funnel(scope, body)).totals).toMatchObject({ conversion: 0 });
    const figures = await beckon.workflows.figures(scope, workflowId, future);
    expect(figures.totals).toMatchObject({ entered: 0 });
  });

  it('overview returns events, users and sends', async () => {
    const { series, totals, range, computedAt } = await beckon.analytics.overview(scope);
    expect(totals).toMatchObject({ events: 6, people: 4, isEstimated: false, targeted: 4, sent: 3, failed: 1 });
    expect(series).toEqual([
      {
        key: 'events',
        points: [
          ['2026-03-01', 4],
          ['2026-03-02', 2],
        ],
      },
      {
        key: 'people',
        points: [
          ['2026-03-01', 3],
          ['2026-03-02', 2],
        ],
      },
      {
        key: 'sent',
        points: [
          ['2026-03-01', 2],
          ['2026-03-02', 1],
        ],
      },
    ]);
    expect([range.clamped, range.to, computedAt]).toEqual([false, new Date('2026-03-02T11:15:00Z'), clock.now()]);
    expect((await beckon.analytics.overview(prod)).totals).toMatchObject({ events: 1, people: 1, targeted: 0 });
  });

  it('events are grouped, including raised ones', async () => {
    const byType = await beckon.analytics.events(scope, { groupBy: 'eventType' });
    expect(byType.series.slice(0, 1)).toEqual([
      {
        key: 'seen',
        points: [
          ['2026-03-01', 3],
          ['2026-03-02', 2],
        ],
      },
    ]);
    expect(byType.series.map(({ key }) => key)).toContain('bought');
    const hours = await beckon.analytics.events(scope, {
      eventType: 'bought',
      interval: 'hour',
      timezone: 'Asia/Kathmandu',
    });
    expect(hours.series).toEqual([{ key: 'events', points: [['2026-03-01T10:15:00.000Z', 1]] }]);
  });

  it('sends are grouped by template and by workflow', async () => {
    const { series, totals } = await beckon.analytics.sends(scope, { groupBy: 'template', channel: 'email' });
    expect(totals).toMatchObject({
      targeted: 4,
      groups: [
        { key: templateId, targeted: 2, sent: 1, failed: 1 },
        { key: 'none', targeted: 2, sent: 2 },
      ],
    });
    expect(series[1]?.points).toEqual([
      ['2026-03-01', 1],
      ['2026-03-02', 1],
    ]);
    const byWorkflow = await beckon.analytics.sends(scope, { groupBy: 'workflow' });
    expect(byWorkflow.totals.groups).toContainEqual(expect.objectContaining({ key: workflowId, targeted: 1, sent: 1 }));
    const days = await beckon.analytics.sends(scope);
    expect(days.series.find(({ key }) => key === 'failed')?.points).toEqual([['2026-03-01', 1]]);
    expect((await beckon.analytics.sends(scope, { channel: 'sms' })).totals).toMatchObject({ targeted: 0, groups: [] });
  });

  it('funnel and retention return how far users got and who returned', async () => {
    const { totals } = await beckon.analytics.funnel(scope, { steps: ['seen', 'bought'], windowHours: 2 });
    expect(totals).toEqual({
      steps: [
        { eventType: 'seen', people: 4 },
        { eventType: 'bought', people: 1 },
      ],
      conversion: 0.25,
      isEstimated: false,
    });
    await expect(beckon.analytics.funnel(scope, { steps: ['seen'] })).rejects.toMatchObject({
      details: { fieldErrors: { steps: [expect.any(String)] } },
    });
    const retention = await beckon.analytics.retention(scope, { interval: 'day' });
    expect(retention.series).toEqual([
      {
        key: '2026-03-01',
        points: [
          ['2026-03-01', 3],
          ['2026-03-02', 1],
        ],
      },
      { key: '2026-03-02', points: [['2026-03-02', 1]] },
    ]);
  });

  it('usage counts the whole organization by month', async () => {
    expect(await beckon.analytics.usage(scope)).toMatchObject({
      series: [{ key: 'events', points: [['2026-03-01', 7]] }],
      totals: { events: 7, plan: 'unlimited', eventsPerMonth: null },
    });
  });

  it("answers reach back as far as the plan's retention", async () => {
    const from = new Date('2025-01-01');
    expect((await beckon.analytics.events(scope, { from })).range).toMatchObject({ clamped: true });
    await beckon.plans.set(scope.orgId, 'free');
    const { range } = await beckon.analytics.events(scope, { from });
    await beckon.plans.set(scope.orgId, 'unlimited');
    expect(range).toMatchObject({ clamped: true, from: new Date('2026-01-31T11:00:00Z') });
  });

  it('answers contain no erased user', async () => {
    await beckon.profiles.erase(scope, 'cas');
    await beckon.worker.drain();
    expect((await beckon.analytics.overview(scope)).totals).toMatchObject({ events: 6, people: 3 });
  });
});
