import { type Paint, paintLines, paintOf, plain, type Tone } from './colour.ts';
import type { Failure } from './exit-codes.ts';
import type { Io } from './io.ts';
import { clean, cleanLines, escapeJson } from './text.ts';
import { fitText, textWidth } from './text-width.ts';
import { yamlText } from './yaml.ts';

/** Output format: text, one JSON envelope, one JSON object per line, YAML, or `NAME=value` lines. */
export type Form = 'table' | 'json' | 'ndjson' | 'yaml' | 'env';

/**
 * One column of a table: heading, text of a cell, and its tone. Cells are sanitized, so they may contain anything.
 */
export type Column<Row> = readonly [
  heading: string,
  cell: (row: Row) => string | number | null,
  toneOf?: (text: string) => Tone,
];

/** A line of text, or a function that returns sanitized text with colours, such as a table. */
export type Line = string | ((paint: Paint) => string);

/** Flags about output. */
export type OutputFlags = {
  readonly json?: boolean | undefined;
  readonly output?: Form | undefined;
  readonly quiet?: boolean | undefined;
};

/** Output of a command. Data goes to stdout, notes to stderr. */
export type Output = {
  readonly form: Form;
  /** Prints a result: `data` in JSON and YAML, else `lines`. */
  answer(data: unknown, lines: readonly Line[]): void;
  /** Prints a list. */
  rows<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void;
  /** Prints a note on stderr; `--quiet` hides it. */
  note(text: string): void;
};

/** The format of the flags; `--json` is `--output json`. */
export const formOf = (flags: OutputFlags): Form => (flags.json === true ? 'json' : (flags.output ?? 'table'));

/** One line of JSON, safe on a terminal. Dates are ISO 8601. */
export const jsonLine = (value: unknown): string => `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;

/** The envelope of a failure, as in the HTTP API. */
export const failureEnvelope = ({ code, message, details }: Failure): string =>
  jsonLine({ success: false, error: { code, message, ...(details === undefined ? {} : { details }) } });

/** Width of every terminal. Chosen. */
const MAX_WIDTH = 80;
/** Minimum width of a truncated column. Chosen: shorter cells are meaningless. */
const MIN_COLUMN = 6;
const GAP = '  ';

/** Column widths; the widest columns shrink until a line fits. */
const fitted = (widths: readonly number[]): number[] => {
  const fitting = [...widths];
  const total = (): number => fitting.reduce((sum, width) => sum + width, (fitting.length - 1) * GAP.length);
  for (let over = total() - MAX_WIDTH; over > 0; over = total() - MAX_WIDTH) {
    const widest = fitting.indexOf(Math.max(...fitting));
    const width = fitting[widest] ?? 0;
    if (width <= MIN_COLUMN) return fitting;
    fitting[widest] = width - 1;
  }
  return fitting;
};

const cellText = (value: string | number | null): string => (value === null ? '-' : clean(String(value)) || '-');

/** Colours the word, not the padding of its cell. */
const painted = (cell: string, paint: Paint, tone: Tone): string => {
  const word = cell.trimEnd();
  return `${paint(word, tone)}${cell.slice(word.length)}`;
};

/**
 * Rows as text with a heading: aligned and within 80 columns on a terminal, tab-separated and untruncated in a pipe.
 *
 * @returns lines, each with a line feed
 */
export const tableText = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  isTTY: boolean,
  paint: Paint = plain,
): string => {
  const cells = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, cell]) => cellText(cell(row)))),
  ];
  const tone = (line: number, column: number): Tone =>
    line === 0 ? null : (columns[column]?.[2]?.(cells[line]?.[column] ?? '') ?? null);
  if (!isTTY) return cells.map((line) => `${line.join('\t')}\n`).join('');
  const widths = fitted(columns.map((_, index) => Math.max(...cells.map((line) => textWidth(line[index] ?? '')))));
  return cells
    .map(
      (line, at) =>
        `${line
          .map((cell, index) => painted(fitText(cell, widths[index] ?? 0), paint, tone(at, index)))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
};

/** The output of one command. */
export const createOutput = (io: Pick<Io, 'stdout' | 'stderr' | 'env'>, flags: OutputFlags): Output => {
  const form = formOf(flags);
  const paint = paintOf(io, 'stdout');
  const textOf = (line: Line): string => (typeof line === 'string' ? paintLines(cleanLines(line), paint) : line(paint));
  return {
    form,
    answer: (data, lines) => {
      if (form === 'json') io.stdout.write(jsonLine({ success: true, data }));
      else if (form === 'ndjson') io.stdout.write(jsonLine(data));
      else if (form === 'yaml') io.stdout.write(yamlText(data));
      else for (const line of lines) io.stdout.write(`${textOf(line)}\n`);
    },
    rows: (rows, columns) => {
      if (form === 'json') io.stdout.write(jsonLine({ success: true, data: rows }));
      else if (form === 'ndjson') for (const row of rows) io.stdout.write(jsonLine(row));
      else if (form === 'yaml') io.stdout.write(yamlText(rows));
      else io.stdout.write(tableText(rows, columns, io.stdout.isTTY, paint));
    },
    note: (text) => {
      if (flags.quiet !== true) io.stderr.write(`${paintLines(cleanLines(text), paintOf(io, 'stderr'))}\n`);
    },
  };
};
