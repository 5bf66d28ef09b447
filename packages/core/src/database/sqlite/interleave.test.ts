import { describe, expect, it } from 'vitest';
import { sampleTables } from '../../../test/support/database/sample.ts';
import { byStatement, type Write, write } from '../commit/write-set.ts';
import { bulkDelete, bulkInsert } from '../statements/bulk.ts';
import { interleaved } from './interleave.ts';

const { counters, samples } = sampleTables('sqlite');
const go = bulkDelete('contract.go', counters, { where: ['id'], isInTurns: true, rank: 0 });
const come = bulkInsert('contract.come', counters, ['id'], { isInTurns: true, rank: 1 });
const follow = bulkInsert('contract.follow', counters, ['id'], { isInTurns: true, rank: 2 });
const apart = bulkInsert('contract.apart', counters, ['id'], { rank: 1 });
const elsewhere = bulkInsert('contract.elsewhere', samples, ['id'], { isInTurns: true, rank: 1 });

type Bulk = typeof go | typeof come | typeof elsewhere;
const rowsOf = (bulk: Bulk, count: number): Write[] =>
  Array.from({ length: count }, (_, at) => write(bulk, { id: `${at}` }));
/** The statements that run, in order, with their rows. */
const turns = (...writes: readonly Write[][]): string[] =>
  interleaved(byStatement({ writes: writes.flat() })).map(
    ([{ id }, rows]) => `${id.slice('contract.'.length)} ${rows.map(({ row }) => row['id']).join(' ')}`,
  );

describe('interleaved', () => {
  it('interleaved statements alternate some rows of each, then the rest of one', () => {
    expect(turns(rowsOf(come, 19), rowsOf(go, 9))).toEqual([
      'go 0 1 2 3 4 5 6 7',
      'come 0 1 2 3 4 5 6 7',
      'go 8',
      'come 8 9 10 11 12 13 14 15',
      'come 16 17 18',
    ]);
  });

  it('two adjacent statements are interleaved, and a third runs after them', () => {
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
  ])('statements run one after the other if %s', (_, other) => {
    const [first, second] = turns(rowsOf(go, 9), rowsOf(other, 9));
    expect([first, second]).toEqual([
      'go 0 1 2 3 4 5 6 7 8',
      `${other.id.slice('contract.'.length)} 0 1 2 3 4 5 6 7 8`,
    ]);
  });

  it('no statements give an empty list', () => {
    expect(turns()).toEqual([]);
    expect(turns(rowsOf(come, 2))).toEqual(['come 0 1']);
  });
});
