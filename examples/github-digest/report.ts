/** The subject of a line. */
type Group =
  | 'devices'
  | 'events'
  | 'refused'
  | 'profiles'
  | 'runs'
  | 'messages'
  | 'audience'
  | 'branch'
  | 'wait'
  | 'webhook'
  | 'sign-in'
  | 'simulated'
  | 'service';

/** One check. It passed if both sides print alike. */
export type Line = {
  readonly group: Group;
  readonly what: string;
  readonly expected: string | number;
  readonly got: string | number;
};

const isRight = ({ expected, got }: Line): boolean => String(expected) === String(got);

const cells = (line: Line): readonly string[] => [
  line.group,
  line.what,
  String(line.expected),
  isRight(line) ? 'ok' : `DIFFERS: got ${line.got}`,
];

/** The lines as an aligned table. */
export const tableOf = (lines: readonly Line[]): string => {
  const rows = [['', 'what', 'expected', 'got'], ...lines.map(cells)];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((row) => row.trimEnd())
    .join('\n');
};

/** Failed checks. */
export const differencesOf = (lines: readonly Line[]): readonly Line[] => lines.filter((line) => !isRight(line));

/** Compares two lists regardless of order: by their lengths, or else by the first item that differs. */
export const compareLists = (expected: readonly string[], got: readonly string[]): Pick<Line, 'expected' | 'got'> => {
  const left = expected.toSorted();
  const right = got.toSorted();
  const at = left.findIndex((item, index) => item !== right[index]);
  if (at === -1) return { expected: left.length, got: right.length };
  const first = `${JSON.stringify(right[at] ?? null)} where ${JSON.stringify(left[at])} was expected`;
  return { expected: left.length, got: `${right.length}, with ${first}` };
};

/** The sum of numbers; 0 for none. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
