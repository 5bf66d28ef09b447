import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../test/support/runs/runs-world.ts';
import type { WorkflowInput } from './api.ts';
import type { Trigger } from './schema.ts';
import { MAX_AGE_MS, matches, mismatchesOf } from './triggers.ts';

const EVENT = 'order.placed';

describe('explaining an event', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const make = (name: string, over: Partial<WorkflowInput> = {}) =>
    world.beckon.workflows.create(world.scope, {
      name,
      trigger: { eventType: EVENT },
      steps: [],
      isActive: true,
      ...over,
    });
  const happens = async (properties: Record<string, unknown> = {}, userId = 'ann'): Promise<string> =>
    (await world.beckon.events.track(world.scope, { module: 'shop', eventType: EVENT, userId, properties })).id;
  const verdicts = async (id: string) =>
    (await world.beckon.events.get(world.scope, id)).workflows.map(
      ({ workflowId: _, workflowName, workflowVersion, ...verdict }) => [workflowName, workflowVersion, verdict],
    );
  const waitOut = () => world.clock.advance(MAX_AGE_MS + 1);

  it('an event is returned as it was stored', async () => {
    const id = await happens({ total: 5 });
    expect(await world.beckon.events.get(world.scope, id)).toMatchObject({
      id,
      userId: 'ann',
      eventType: EVENT,
      properties: { total: 5 },
      source: 'customer',
      receivedAt: world.clock.now(),
      workflows: [],
    });
  });

  it('each workflow with the trigger event has a verdict', async () => {
    const audienceId = randomUUID();
    await make('a started');
    await make('b filtered', { trigger: { eventType: EVENT, filters: { plan: 'pro', kind: 'x', total: '5' } } });
    await make('c inactive', { isActive: false });
    await make('d audience', { trigger: { eventType: EVENT, audienceId } });
    await make('e of another event', { trigger: { eventType: 'other' } });
    const id = await happens({ plan: 'free', total: 5 });
    const { id: runId } = await world.run();
    expect(await verdicts(id)).toEqual([
      ['a started', 1, { verdict: 'started', runId }],
      [
        'b filtered',
        1,
        {
          verdict: 'filter',
          filters: [
            { path: 'kind', expected: 'x' },
            { path: 'plan', expected: 'pro', actual: 'free' },
          ],
        },
      ],
      ['c inactive', 1, { verdict: 'inactive' }],
      ['d audience', 1, { verdict: 'audience', audienceId }],
    ]);
  });

  it("verdicts use the versions of the event's time", async () => {
    const { id: disabled } = await make('disabled since');
    const { id: enabled } = await make('enabled since', { isActive: false });
    const { id: gone } = await make('deleted since', { trigger: { eventType: EVENT, filters: { plan: 'pro' } } });
    const { id: moved } = await make('listens to another since', { isActive: false });
    waitOut();
    const id = await happens({ plan: 'free' });
    waitOut();
    await world.beckon.workflows.update(world.scope, disabled, { isActive: false });
    await world.beckon.workflows.update(world.scope, enabled, { isActive: true });
    await world.beckon.workflows.update(world.scope, moved, { trigger: { eventType: 'other' } });
    await world.beckon.workflows.delete(world.scope, gone);
    const { id: runId } = await world.run();
    expect(await verdicts(id)).toEqual([
      ['deleted since', 1, { verdict: 'filter', filters: [{ path: 'plan', expected: 'pro', actual: 'free' }] }],
      ['disabled since', 1, { verdict: 'started', runId }],
      ['enabled since', 1, { verdict: 'inactive' }],
      ['listens to another since', 1, { verdict: 'inactive' }],
    ]);
  });

  it('a workflow that got the trigger later has the verdict added_later', async () => {
    const { id: deleted } = await make('gone before');
    const { id: other } = await make('changed', { trigger: { eventType: 'other' } });
    await world.beckon.workflows.delete(world.scope, deleted);
    waitOut();
    const id = await happens();
    waitOut();
    await make('new');
    await world.beckon.workflows.update(world.scope, other, { trigger: { eventType: EVENT } });
    expect(await verdicts(id)).toEqual([
      ['changed', 2, { verdict: 'added_later' }],
      ['new', 1, { verdict: 'added_later' }],
    ]);
  });

  it('runs of a process that did not know of a change yet are explained', async () => {
    const elsewhere = await world.another();
    const { id: one } = await make('disabled a moment before');
    waitOut();
    const first = await happens({}, 'eve');
    await elsewhere.workflows.update(elsewhere.scope, one, { isActive: false });
    await elsewhere.workflows.create(elsewhere.scope, {
      name: 'made a moment before',
      trigger: { eventType: EVENT },
      steps: [],
      isActive: true,
    });
    world.clock.advance(10);
    const id = await happens();
    const { id: runId } = await world.run();
    expect(await verdicts(id)).toEqual([
      ['disabled a moment before', 1, { verdict: 'started', runId }],
      ['made a moment before', 1, { verdict: 'not_loaded' }],
    ]);
    await elsewhere.close();
    expect(first).not.toBe(id);
  });

  it('a raised event has the verdict waiting until a worker processed it', async () => {
    await make('hears', { trigger: { eventType: 'user.identified' } });
    await make('hears runs', { trigger: { eventType: 'workflow.run_started', filters: { workflowName: 'first' } } });
    await make('first');
    waitOut();
    await happens();
    const raised = (await world.beckon.events.list(world.scope)).data.find(({ source }) => source === 'system');
    expect(await verdicts(raised?.id ?? '')).toEqual([['hears runs', 1, { verdict: 'waiting' }]]);
    await world.beckon.worker.drain();
    expect(await verdicts(raised?.id ?? '')).toMatchObject([['hears runs', 1, { verdict: 'started' }]]);
  });

  it('a loop of runs has the verdict depth at the depth where it was stopped', async () => {
    await make('circle', { trigger: { eventType: 'workflow.run_completed' } });
    await make('first');
    waitOut();
    await happens();
    await world.beckon.worker.drain();
    const raised = (await world.beckon.events.list(world.scope)).data.filter(({ source }) => source === 'system');
    const told = await Promise.all(raised.map(({ id }) => verdicts(id)));
    const kinds = told.flatMap((one) => one.map(([, , verdict]) => verdict)).map((one) => JSON.stringify(one));
    const depths = kinds.filter((one) => one.includes('"depth"'));
    // The run stopped at depth 10 and the event of its end have the same millisecond, so they are ordered by id.
    expect(depths.map((one) => one.includes('runId')).toSorted()).toEqual([false, true]);
    expect(kinds.filter((one) => one.includes('started'))).toHaveLength(kinds.length - 2);
  });

  it('an event is found in its own scope only', async () => {
    const id = await happens();
    const { orgId, projectId } = world.scope;
    const prod = await world.beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await expect(world.beckon.events.get(prod, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(world.beckon.events.get(world.scope, 'nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await world.beckon.events.list(prod)).data).toEqual([]);
  });

  it('an event is listed newest first within a time range', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      ids.push(await happens({}, `u${at}`));
      world.clock.advance(1_000);
    }
    const shown = async (query: Parameters<typeof world.beckon.events.list>[1]) =>
      (await world.beckon.events.list(world.scope, query)).data.map(({ id }) => ids.indexOf(id));
    const at = (seconds: number) => new Date(Date.parse('2026-03-01T10:00:00.000Z') + seconds * 1_000);
    expect(await shown({})).toEqual([4, 3, 2, 1, 0]);
    expect(await shown({ from: at(1), to: at(4) })).toEqual([3, 2, 1]);
    const first = await world.beckon.events.list(world.scope, { limit: 2, to: at(4) });
    const cursor = first.pagination.nextCursor ?? '';
    expect(await shown({ limit: 2, to: at(4), cursor })).toEqual([1, 0]);
    await expect(shown({ cursor })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(shown({ from: new Date(Number.NaN) })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('the event list rejects invalid times like every other list', async () => {
    await happens();
    const list = (query: Parameters<typeof world.beckon.events.list>[1]) =>
      world.beckon.events.list(world.scope, query);
    const [early, late] = [new Date('2026-01-01'), new Date('2027-01-01')];
    await expect(list({ from: late, to: early })).rejects.toMatchObject({ code: 'INVALID_RANGE' });
    await expect(list({ from: new Date('0999-01-01') })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await list({ from: new Date('1950-01-01'), to: late })).data).toHaveLength(1);
    expect((await list({ to: new Date('1950-01-01') })).data).toEqual([]);
  });
});

describe('mismatchesOf', () => {
  const value = fc.oneof(fc.constantFrom('a', '1', 'true', 1, true, null, Number.NaN), fc.jsonValue());
  const key = fc.constantFrom('plan', 'total', '__proto__', 'toString');

  it('mismatchesOf is empty exactly for events that start a run', () => {
    const filters = fc.dictionary(key, fc.constantFrom('a', '1', 'true'));
    fc.assert(
      fc.property(fc.option(filters, { nil: undefined }), fc.dictionary(key, value), (wanted, properties) => {
        const trigger: Trigger = { eventType: 'e', ...(wanted && { filters: wanted }) };
        const event = { eventType: 'e', properties };
        expect(mismatchesOf(trigger, event).length === 0).toBe(matches(trigger, event));
      }),
    );
  });
});
