import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { write } from '../../database/commit/write-set.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { drawsFrom } from './shares.ts';
import { MAX_REFUSED, runStatements } from './statements.ts';

const CALLERS = 8;
const MOST = 10;
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });

describe('the share of a run', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const draw = (name: string, used: number, refused = 0) =>
    database.storage.commit({
      writes: [
        write(
          runStatements(database.tables).draw,
          { ...scopeOf(scope), runId: rowId(name), used, refused, maxRuns: MOST },
          name,
        ),
      ],
    });
  const drawn = async (name: string) => {
    const rows = await database.storage.db.select().from(database.tables.runBudgets);
    return rows.filter(({ runId }) => runId === rowId(name)).map(({ used, refused }) => [used, refused]);
  };
  const doneOf = async (calls: readonly Promise<{ readonly ok: boolean }>[]): Promise<number> =>
    (await Promise.all(calls)).filter(({ ok }) => ok).length;

  it('the last run of a share goes to one of eight callers at once', async () => {
    await draw('last', MOST - 1);
    expect(await doneOf(Array.from({ length: CALLERS }, () => draw('last', 1)))).toBe(1);
    expect(await drawn('last')).toEqual([[MOST, 0]]);
  });

  it('callers that draw from an untouched share at once never draw more than it has', async () => {
    expect(await doneOf(Array.from({ length: CALLERS }, () => draw('first', 3)))).toBe(3);
    expect(await drawn('first')).toEqual([[9, 0]]);
  });

  it('callers at once write no more failed runs of a share than may be', async () => {
    await draw('failed', MOST, MAX_REFUSED - 1);
    expect(await doneOf(Array.from({ length: CALLERS }, () => draw('failed', 0, 1)))).toBe(1);
    expect(await drawn('failed')).toEqual([[MOST, MAX_REFUSED]]);
  });

  it('a plan that draws more than is left of a stale reading is refused by the database', async () => {
    const hot = runStatements(database.tables);
    const stale = drawsFrom(hot, new Map());
    expect(stale.grant(scope, { runs: MOST, budgetRunId: rowId('stale') }, 4)).toHaveLength(4);
    await draw('stale', MOST - 3);
    expect(await database.storage.commit({ writes: stale.writes() })).toMatchObject({ ok: false });
    expect(await drawn('stale')).toEqual([[MOST - 3, 0]]);
  });
});
