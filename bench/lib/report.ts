import { type Gate, judge } from './gates.ts';
import type { Results } from './rounds.ts';

/** Results of one benchmark. */
export type Report = {
  readonly name: string;
  /** Parameters: rounds, client, sizes. */
  readonly about: string;
  /** First row: the column heads. The first column is text, the others are numbers. */
  readonly table: readonly (readonly string[])[];
  readonly notes: readonly string[];
  /** What did not run, and why. */
  readonly skips: readonly string[];
  readonly gates: readonly Gate[];
  readonly results: Results;
};

/** A number with a readable number of decimals. */
export const figure = (value: number): string => {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
};

const columns = (table: Report['table']): string[] => {
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
};

/** Marks a gate with diverging rounds, also in a quick run. */
const UNSTABLE = 'UNSTABLE';

const gateLine = (gate: Gate, isJudged: boolean): string => {
  const { value, spread, least, greatest, isStable, isMet, isStretchMet } = judge(gate);
  const limit = `${gate.bound === 'at least' ? '>=' : '<='} ${gate.limit}${gate.unit}`;
  const answer = isJudged ? (isMet ? 'met' : 'NOT MET') : 'not judged';
  const parts = [
    `GATE  ${gate.id.padEnd(22)} ${figure(value)}${gate.unit} ${limit}`.padEnd(52),
    answer.padEnd(10),
    `spread ${figure(spread)} (${figure(least)} to ${figure(greatest)})`,
    `stretch ${gate.stretch}${gate.unit} ${isStretchMet ? 'yes' : 'no'}`,
  ];
  return `${parts.join('  ')}${isStable ? '' : `  ${UNSTABLE}`}`;
};

/** The printed block of a benchmark. */
export const textOf = ({ name, about, table, notes, skips, gates }: Report, isJudged: boolean): string =>
  [
    `bench ${name}   ${about}`,
    ...columns(table),
    ...notes.map((note) => `NOTE  ${note}`),
    ...skips.map((skip) => `SKIP  ${skip}`),
    ...gates.map((gate) => gateLine(gate, isJudged)),
  ].join('\n');

const markdownTable = (table: Report['table']): string[] => {
  const [head = [], ...rows] = table;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)];
};

const gateTable = (gates: readonly Gate[]): string[][] => [
  ['gate', 'measured', 'limit', 'met', 'spread', 'rounds', 'stretch', 'met'],
  ...gates.map((gate) => {
    const { value, spread, least, greatest, isMet, isStretchMet, isStable } = judge(gate);
    return [
      `${gate.id}: ${gate.says}`,
      `${figure(value)}${gate.unit}`,
      `${gate.bound} ${gate.limit}${gate.unit}`,
      `${isMet ? 'yes' : '**no**'}${isStable ? '' : ' (unstable)'}`,
      figure(spread),
      `${figure(least)} to ${figure(greatest)}`,
      `${gate.stretch}${gate.unit}`,
      isStretchMet ? 'yes' : 'no',
    ];
  }),
];

const INTRODUCTION = `# Results of the last full run

Written by \`npm run bench\`; do not edit. Read ratios and CPU time per operation rather than rates: load client, service
and database share the machine's processors. A gate is the median of the ratios of all rounds of this one run; a spread
(greatest over smallest) above 2 fails it unless each round keeps the limit by itself. What each benchmark does:
[README.md](README.md).`;

/** The results file of a full run. */
export const markdownOf = (header: readonly string[], reports: readonly Report[]): string =>
  [
    INTRODUCTION,
    header.map((line) => `- ${line}`).join('\n'),
    ...reports.flatMap(({ name, about, table, notes, skips, gates }) => [
      `## ${name}`,
      about,
      markdownTable(table).join('\n'),
      ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
      ...(skips.length > 0 ? [skips.map((skip) => `- Not run: ${skip}`).join('\n')] : []),
      markdownTable(gateTable(gates)).join('\n'),
    ]),
    '',
  ].join('\n\n');

/** What `--json` writes for a benchmark: every round, and the gates with their verdicts. */
export const jsonOf = ({ results, gates, ...report }: Report) => ({
  ...report,
  rounds: Object.fromEntries(results),
  gates: gates.map((gate) => ({ ...gate, ...judge(gate) })),
});
