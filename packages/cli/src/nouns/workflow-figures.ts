import { InvalidArgumentError } from 'commander';
import type { Answer } from '../api.ts';
import type { Screen } from '../cells.ts';
import type { Paint } from '../colour.ts';
import type { Context } from '../command-line.ts';
import { workflowId } from '../lookups.ts';
import { type Column, type Line, tableText } from '../output.ts';
import { fieldLines } from '../scoped.ts';
import { calls } from '../table/verbs.ts';

type Figures = Answer<'GET /analytics/workflows/{id}'>;

const DAY_MS = 86_400_000;
/** Default range in days, as in the API. */
const DEFAULT_DAYS = 30;
/** Maximum range in days. Source: the longest retention of a plan. */
const MAX_DAYS = 400;

const daysOf = (text: string): number => {
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`Pass a whole number from 1 to ${MAX_DAYS}.`);
};

const countsText = (counts: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

const columns: readonly Column<Figures['steps'][number]>[] = [
  ['STEP', ({ path }) => path],
  ['VERSION', ({ version }) => version],
  ['TYPE', ({ type, name }) => (name === null ? type : `${type} (${name})`)],
  ['DONE', ({ finished }) => finished],
  ['OUTCOMES', ({ outcomes }) => countsText(outcomes)],
  ['ACTIVE', ({ active }) => active],
  ['EXITS', ({ exits }) => exits],
];

const lines = ({ name, totals, steps, range }: Figures, { isTTY }: Screen): Line[] => [
  ...fieldLines([
    ['workflow', name],
    ['started', `${range.from} to ${range.to}`],
    ['entered', totals.entered],
    ['active', totals.active],
    ['completed', `${totals.completed}${totals.completed > 0 ? ` (${countsText(totals.outcomes)})` : ''}`],
    ['failed', totals.failed],
    ['cancelled', totals.cancelled],
    ['ended early', Object.keys(totals.exits).length === 0 ? null : countsText(totals.exits)],
  ]),
  ...(range.clamped ? ['Only the newest runs are counted: there are too many.'] : []),
  ...(steps.length === 0 ? [] : ['', (paint: Paint) => tableText(steps, columns, isTTY, paint).trimEnd()]),
];

/** Outcomes of a workflow's runs in one environment. */
export const figures = calls('GET /analytics/workflows/{id}', {
  about: 'Show run and step statistics',
  examples: ["'Welcome series' --days 7 --env test"],
  args: [{ arg: ['<workflow>', 'Workflow name or id'], into: 'id', find: workflowId }],
  flags: {
    days: {
      field: 'from',
      text: 'Runs that started within this number of days',
      value: 'number',
      parse: daysOf,
      usual: [DEFAULT_DAYS, String(DEFAULT_DAYS)],
      convert: (days: number, { io }: Context) => new Date(io.now().getTime() - days * DAY_MS).toISOString(),
    },
    timezone: { text: 'Time zone of days', value: 'zone', usual: ['UTC', '"UTC"'] },
  },
  lines,
});
