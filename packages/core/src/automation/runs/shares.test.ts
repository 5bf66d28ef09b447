import { describe, expect, it } from 'vitest';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { tablesOf } from '../../app/tables.ts';
import { scopeKey } from '../../foundation/scope.ts';
import { partOf } from '../../people/events/run-budget.ts';
import { type Drawn, drawsFrom } from './shares.ts';
import { MAX_REFUSED, runStatements } from './statements.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const hot = runStatements(tablesOf('sqlite'));
const budgetRunId = rowId('r');
const key = `${scopeKey(scope)}/${budgetRunId}`;
const failed = (grants: readonly unknown[]): number => grants.filter((grant) => grant === null).length;

describe('what runs get of a budget', () => {
  it('an event divides its own budget equally, and each run counts itself', () => {
    const { grant, writes } = drawsFrom(hot, new Map());
    expect(grant(scope, { runs: 10, budgetRunId: null }, 3)).toEqual(
      Array(3).fill({ runBudget: 2, budgetRunId: null }),
    );
    expect(writes()).toEqual([]);
  });

  it('an event with fewer runs than workflows starts as many as it has', () => {
    const grants = drawsFrom(hot, new Map()).grant(scope, { runs: 2, budgetRunId: null }, 3);
    expect(grants).toEqual([{ runBudget: 0, budgetRunId: null }, { runBudget: 0, budgetRunId: null }, null]);
  });

  it('events of one plan draw from one share, in one write', () => {
    const drawn: Drawn = new Map([[key, { used: 5, refused: 0 }]]);
    const { grant, writes } = drawsFrom(hot, drawn);
    expect(grant(scope, { runs: 9, budgetRunId }, 3)).toEqual(Array(3).fill({ runBudget: 9, budgetRunId }));
    expect(grant(scope, { runs: 9, budgetRunId }, 3)).toEqual([{ runBudget: 9, budgetRunId }, null, null]);
    expect(writes().map(({ row }) => row)).toMatchObject([{ runId: budgetRunId, used: 4, refused: 2, maxRuns: 9 }]);
  });

  it('a used up share stores failed runs up to the limit and then nothing', () => {
    const drawn: Drawn = new Map([[key, { used: 9, refused: MAX_REFUSED - 2 }]]);
    const { grant } = drawsFrom(hot, drawn);
    expect(failed(grant(scope, { runs: 9, budgetRunId }, 5))).toBe(2);
    const { grant: later, writes } = drawsFrom(hot, new Map([[key, { used: 9, refused: MAX_REFUSED }]]));
    expect([later(scope, { runs: 9, budgetRunId }, 5), writes()]).toEqual([[], []]);
  });

  it('an event has a part of its own budget, and all of the share that it draws from', () => {
    expect(partOf({ runs: 10_000, budgetRunId: null }, 3)).toEqual({ runs: 3_333, budgetRunId: null });
    expect(partOf({ runs: 7, budgetRunId }, 3)).toEqual({ runs: 7, budgetRunId });
  });
});
