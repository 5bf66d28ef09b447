import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { abTestReader } from './messages.ts';
import { abTestStatements } from './statements.ts';
import { abTestStore } from './store.ts';

const SCOPE = testScope({ orgId: 'org-a', projectId: 'app', environment: 'prod' });
const id = rowId('test');
const ref = { ...scopeOf(SCOPE), abTestId: id };

describe('assigning variants of a test', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    database = await openTestDatabase({ clock });
    const { storage, tables } = database;
    await abTestStore({ db: storage.db, tables }).insert({
      ...scopeOf(SCOPE),
      id,
      channel: 'push',
      name: 'T',
      status: 'running',
      variants: [{ key: 'old', weight: 100 }],
      metric: { type: 'open', windowHours: 72 },
      eventType: null,
      winnerKey: null,
      version: 1,
      assignedAt: null,
      startedAt: clock.now(),
      completedAt: null,
      updatedAt: clock.now(),
    });
  });
  afterEach(() => database.close());

  /** Starts a process. */
  const process = () => {
    const { storage, tables } = database;
    return abTestReader({ storage, hot: abTestStatements(tables), clock });
  };
  /** A change by another process without a signal. */
  const change = async (
    variants: { key: string; weight: number }[] | null,
    status: 'running' | 'paused' = 'running',
  ) => {
    const { storage, tables } = database;
    const set = { status, updatedAt: clock.now(), ...(variants ? { variants } : {}) };
    return abTestStore({ db: storage.db, tables }).change(SCOPE, 'push', id, set, variants !== null);
  };
  type Tests = ReturnType<typeof process>;
  const assignedTo = async (tests: Tests, load: 'load' | 'loadToAssign' = 'loadToAssign') => {
    const test = (await tests[load]([ref]))({ ...ref, channel: 'push' });
    return [test?.status, test?.pick('ann').variant?.key];
  };

  it('variants changed before the first message are used, and cannot change afterwards', async () => {
    const tests = process();
    expect(await assignedTo(tests, 'load')).toEqual(['running', 'old']);
    expect(await change([{ key: 'new', weight: 100 }])).toMatchObject({ version: 2, assignedAt: null });
    expect(await assignedTo(tests, 'load')).toEqual(['running', 'old']);
    expect(await assignedTo(tests)).toEqual(['running', 'new']);
    expect(await change([{ key: 'late', weight: 100 }])).toBeUndefined();
    expect(await assignedTo(process())).toEqual(['running', 'new']);
  });

  it('the first of several processes fixes the variants; one that sees the test paused does not', async () => {
    await change(null, 'paused');
    const tests = process();
    expect((await assignedTo(tests))[0]).toBe('paused');
    expect(await change([{ key: 'new', weight: 100 }])).toMatchObject({ assignedAt: null });
    tests.changed();
    const marked = clock.now();
    expect(await Promise.all([assignedTo(tests), assignedTo(process())])).toEqual(Array(2).fill(['running', 'new']));
    clock.advance(1_000);
    expect(await assignedTo(process())).toEqual(['running', 'new']);
    const { storage, tables } = database;
    expect((await abTestStore({ db: storage.db, tables }).get(SCOPE, 'push', id))?.assignedAt).toEqual(marked);
  });

  it('a change by another process is visible within ten seconds', async () => {
    const tests = process();
    await assignedTo(tests);
    await change(null, 'paused');
    clock.advance(10_000);
    expect((await assignedTo(tests))[0]).toBe('paused');
  });

  it('a test of another channel or scope is unknown', async () => {
    const of = await process().load([ref, { ...ref, scopeId: ref.scopeId + 1 }]);
    expect(of({ ...ref, channel: 'email' })).toBeNull();
    expect(of({ ...ref, scopeId: ref.scopeId + 1, channel: 'push' })).toBeNull();
  });
});
