import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../../test/support/runs/runs-world.ts';
import { stepTypes } from '../steps/list.ts';
import { runFigures } from './figures.ts';

const DAY_MS = 86_400_000;
const pause = { type: 'wait', config: { name: 'Pause', minutes: 60 } };
const adds = { type: 'update_profile', config: { increment: { n: 1 } } };
const stops = { type: 'send_email', config: { to: 'nobody', subject: 's', text: 't', onError: 'stop' } };

describe('statistics of a workflow', () => {
  let world: RunsWorld;
  let id: string;
  beforeAll(async () => {
    world = await openRuns();
    await world.define([adds, pause, stops]);
    id = (await world.beckon.workflows.list(world.scope, {})).data[0]?.id ?? '';
    for (const userId of ['a', 'b', 'c']) await world.trigger({ userId });
    await world.beckon.worker.drain();
    world.clock.advance(DAY_MS);
    await world.beckon.worker.drain();
    for (const userId of ['d', 'e']) await world.trigger({ userId });
    await world.beckon.worker.drain();
    await world.beckon.runs.cancel(world.scope, (await world.run('e')).id);
    await world.trigger({ environment: 'prod', userId: 'x' });
  });
  afterAll(() => world.close());

  const figures = (query = {}) => world.beckon.workflows.figures(world.scope, id, query);

  it('statistics count the runs and steps of one environment', async () => {
    expect(await figures()).toMatchObject({
      workflowId: id,
      name: 'W',
      series: [
        {
          key: 'entered',
          points: [
            ['2026-03-01', 3],
            ['2026-03-02', 2],
          ],
        },
        { key: 'completed', points: [['2026-03-01', 3]] },
        { key: 'failed', points: [] },
        { key: 'cancelled', points: [['2026-03-02', 1]] },
      ],
      totals: {
        entered: 5,
        active: 1,
        completed: 3,
        cancelled: 1,
        outcomes: { error: 3 },
        exits: { on_error_stop: 3 },
      },
      steps: [
        { version: 1, path: '0', type: 'update_profile', name: null, finished: 5, outcomes: { ok: 5 }, exits: 0 },
        { path: '1', type: 'wait', name: 'Pause', finished: 3, outcomes: { ok: 3 }, active: 1, exits: 1 },
        { path: '2', type: 'send_email', finished: 3, outcomes: { error: 3 }, active: 0, exits: 3 },
      ],
      range: { to: world.clock.now(), clamped: false },
      computedAt: world.clock.now(),
    });
  });

  it('the last of several attempts counts', async () => {
    const { id: runId } = await world.run('a');
    await world.beckon.runs.retry(world.scope, runId);
    await world.beckon.worker.drain();
    const { totals, steps } = await figures();
    expect(totals).toMatchObject({ entered: 5, completed: 3 });
    expect(steps[2]).toMatchObject({ finished: 3, outcomes: { error: 3 } });
  });

  it("statistics reach back as far as the plan's retention", async () => {
    const { range } = await figures({ from: new Date('2025-01-01') });
    expect(range).toEqual({ from: new Date('2025-01-26T10:00:00Z'), to: world.clock.now(), clamped: true });
  });

  it('statistics count runs that started in the range', async () => {
    const from = new Date('2026-03-02T00:00:00Z');
    expect((await figures({ from })).totals).toMatchObject({ entered: 2, completed: 0 });
    const before = await figures({ to: from, interval: 'hour', timezone: 'America/New_York' });
    expect([before.totals.entered, before.series[0]?.points]).toEqual([3, [['2026-03-01T10:00:00.000Z', 3]]]);
    expect(before.range).toEqual({ from: new Date(from.getTime() - 30 * DAY_MS), to: from, clamped: false });
  });

  it('an unknown workflow, zone, interval or an invalid range is rejected', async () => {
    const [from, to] = [new Date(1), new Date(0)];
    await expect(world.beckon.workflows.figures(world.scope, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(figures({ timezone: 'Mars/Base' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(figures({ interval: 'year' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(figures({ from, to })).rejects.toMatchObject({ code: 'INVALID_RANGE' });
  });

  it('beyond the maximum, older runs are omitted and the range is marked as clamped', async () => {
    const { storage, tables } = world.database;
    const count = runFigures({ storage, tables, clock: world.clock }, stepTypes.armsOf, 4);
    const workflow = await world.beckon.workflows.get(world.scope, id);
    const { totals, range } = await count(world.scope, workflow);
    expect(totals).toMatchObject({ entered: 4, active: 1, cancelled: 1 });
    expect(range).toMatchObject({ from: new Date('2026-03-01T10:00:00.000Z'), clamped: true });
  });
});
