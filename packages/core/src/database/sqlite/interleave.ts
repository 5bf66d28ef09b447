// Interleaves deleted and inserted rows of adjacent index positions. If all deletes ran first, index pages would be
// merged and then split again by the inserts.

import type { byStatement } from '../commit/write-set.ts';
import { ROWS_AT_ONCE } from '../statements/render.ts';

type Parts = ReturnType<typeof byStatement>;

/** Alternates between some rows of each statement. */
const interleavePair = (pair: Parts): Parts => {
  const roundCount = Math.ceil(Math.max(...pair.map(([, rows]) => rows.length)) / ROWS_AT_ONCE);
  return Array.from({ length: roundCount }, (_, turn) => turn * ROWS_AT_ONCE)
    .flatMap((from) => pair.map(([bulk, rows]): Parts[number] => [bulk, rows.slice(from, from + ROWS_AT_ONCE)]))
    .filter(([, rows]) => rows.length > 0);
};

/** The statements of a commit; two adjacent interleaved ones are split and alternate. Throws nothing. */
export const interleaved = (parts: Parts): Parts => {
  const ordered: Parts[number][] = [];
  let previous: Parts[number] | undefined;
  for (const part of parts) {
    const [{ table, isInTurns }] = part;
    if (previous && isInTurns && previous[0].isInTurns && previous[0].table === table) {
      ordered.splice(-1, 1, ...interleavePair([previous, part]));
      previous = undefined;
    } else {
      ordered.push(part);
      previous = part;
    }
  }
  return ordered;
};
