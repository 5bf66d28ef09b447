import { describe, expect, it } from 'vitest';
import { sampleTables } from '../../../test/support/database/sample.ts';
import { byStatement, type Write, write } from '../commit/write-set.ts';
import { bulkDelete, bulkInsert } from '../statements/bulk.ts';
import { inTurns } from './turns.ts';

const { counters, samples } = sampleTables('sqlite');
const go = bulkDelete('contract.go', counters, { where: ['id'], isInTurns: true, rank: 0 });
const come = bulkInsert('contract.come', counters, ['id'], { isInTurns: true, rank: 1 });
const follow = bulkInsert('contract.follow', counters, ['id'], { isInTurns: true, rank: 2 });
const apart = bulkInsert('contract.apart', counters, ['id'], { rank: 1 });
const elsewhere = bulkInsert('contract.elsewhere', samples, ['id'], { isInTurns: true, rank: 1 });

type Bulk = typeof go | typeof come | typeof elsewhere;
const rowsOf = (bulk: Bulk, count: number): Write[] =>
  Array.from({ length: count }, (_, at) => write(bulk, { id: `${at}` }));
/** What runs, in its order: each statement with its rows. */
const turns = (...writes: readonly Write[][]): string[] =>
  inTurns(byStatement({ writes: writes.flat() })).map(
    ([{ id }, rows]) => `${id.slice('contract.'.length)} ${rows.map(({ row }) => row['id']).join(' ')}`,
  );

describe('statements that take turns', () => {
  it('run some rows of each, and then those that are left of the one', () => {
    expect(turns(rowsOf(come, 19), rowsOf(go, 9))).toEqual([
      'go 0 1 2 3 4 5 6 7',
      'come 0 1 2 3 4 5 6 7',
      'go 8',
      'come 8 9 10 11 12 13 14 15',
      'come 16 17 18',
    ]);
  });

  it('are the two that stand beside each other, and a third runs behind them', () => {
    expect(turns(rowsOf(go, 9), rowsOf(come, 9), rowsOf(follow, 9))).toEqual([
      'go 0 1 2 3 4 5 6 7',
      'come 0 1 2 3 4 5 6 7',
      'go 8',
      'come 8',
      'follow 0 1 2 3 4 5 6 7 8',
    ]);
  });

  it.each([
    ['one does not take them', apart],
    ['they are of two tables', elsewhere],
  ])('run one after the other where %s', (_, other) => {
    const [first, second] = turns(rowsOf(go, 9), rowsOf(other, 9));
    expect([first, second]).toEqual([
      'go 0 1 2 3 4 5 6 7 8',
      `${other.id.slice('contract.'.length)} 0 1 2 3 4 5 6 7 8`,
    ]);
  });

  it('are nothing where there are none', () => {
    expect(turns()).toEqual([]);
    expect(turns(rowsOf(come, 2))).toEqual(['come 0 1']);
  });
});
