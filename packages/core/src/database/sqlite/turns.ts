// Rows that go and rows that come beside them, in turns. Were all that go first, the pages of an index that holds them side
// by side would be united, and split again by those that come.

import type { byStatement } from '../commit/write-set.ts';
import { ROWS_AT_ONCE } from '../statements/render.ts';

type Parts = ReturnType<typeof byStatement>;

/** Some rows of the one, then some of the other, until there are none. */
const cut = (pair: Parts): Parts => {
  const turns = Math.ceil(Math.max(...pair.map(([, rows]) => rows.length)) / ROWS_AT_ONCE);
  return Array.from({ length: turns }, (_, turn) => turn * ROWS_AT_ONCE)
    .flatMap((from) => pair.map(([bulk, rows]): Parts[number] => [bulk, rows.slice(from, from + ROWS_AT_ONCE)]))
    .filter(([, rows]) => rows.length > 0);
};

/** The statements of a commit; two that take turns are cut, and some rows of each stand behind one another. Throws nothing. */
export const inTurns = (parts: Parts): Parts => {
  const made: Parts[number][] = [];
  let before: Parts[number] | undefined;
  for (const part of parts) {
    const [{ table, isInTurns }] = part;
    if (before && isInTurns && before[0].isInTurns && before[0].table === table) {
      made.splice(-1, 1, ...cut([before, part]));
      before = undefined;
    } else {
      made.push(part);
      before = part;
    }
  }
  return made;
};
