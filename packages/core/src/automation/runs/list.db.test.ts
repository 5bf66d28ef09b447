import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { RunQuery } from './api.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const at = (ms: number) => new Date(START + ms);

describe('the list of runs', () => {
  const clock = virtualClock(at(0).toISOString());
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    const steps = [{ type: 'wait', config: { minutes: 5 } }] as const;
    const workflow = { name: 'W', description: null, isActive: true, trigger: { eventType: 'asked' }, steps };
    await beckon.workflows.importBundle(scope, {
      version: 1,
      exportedAt: at(0).toISOString(),
      workflows: [{ ...workflow, steps: [...steps] }],
    });
    for (const userId of ['ann', 'bob', 'ann', 'cid']) {
      await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId });
      clock.advance(1_000);
    }
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });
  const listed = async (query: RunQuery) =>
    (await beckon.runs.list(scope, query)).data.map(({ userId, startedAt }) => [userId, startedAt.getTime() - START]);

  it('runs are filtered by start time; the end is exclusive', async () => {
    expect(await listed({ from: at(2_000) })).toEqual([
      ['cid', 3_000],
      ['ann', 2_000],
    ]);
    expect(await listed({ from: at(1_000), to: at(2_000) })).toEqual([['bob', 1_000]]);
    expect(await listed({ to: at(2_001), userId: 'ann' })).toEqual([
      ['ann', 2_000],
      ['ann', 0],
    ]);
    expect(await listed({ from: at(4_000) })).toEqual([]);
  });

  it('the count includes all matching runs and is computed on request', async () => {
    const { data, pagination } = await beckon.runs.list(scope, { userId: 'ann', limit: 1, count: true });
    expect([data.length, pagination.total]).toEqual([1, 2]);
    expect((await beckon.runs.list(scope, { from: at(1), count: true })).pagination.total).toBe(3);
    expect((await beckon.runs.list(scope)).pagination).not.toHaveProperty('total');
  });

  it('an invalid time, or an end before the begin, is rejected', async () => {
    const { list } = beckon.runs;
    await expect(list(scope, { from: new Date('no') })).rejects.toMatchObject({
      details: { fieldErrors: { from: [expect.any(String)] } },
    });
    await expect(list(scope, { from: at(1), to: at(0) })).rejects.toMatchObject({ code: 'INVALID_RANGE' });
  });

  it('a cursor is valid with its own time range only', async () => {
    const first = await beckon.runs.list(scope, { from: at(0), limit: 1 });
    const cursor = first.pagination.nextCursor ?? '';
    expect(await listed({ from: at(0), limit: 1, cursor })).toEqual([['ann', 2_000]]);
    await expect(listed({ from: at(1), limit: 1, cursor })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
