import type { Beckon, ProjectScope, StepFigures, WorkflowFigures, WorkflowRecord } from '@beckon/core';
import { type Command, InvalidArgumentError } from 'commander';
import type { Paint } from '../colour.ts';
import { act, type Context, environmentOption, outputOptions } from '../command-line.ts';
import { type Column, createOutput, type Line, tableText } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';

const DAY_MS = 86_400_000;
/** As many as the service counts where nothing is said. */
const DEFAULT_DAYS = 30;
/** Ours: as long as anything is kept. */
const MAX_DAYS = 400;

/** Finds a workflow by its name or id. */
export type FindWorkflow = (beckon: Beckon, scope: ProjectScope, given: string) => Promise<WorkflowRecord>;

const daysOf = (text: string): number => {
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`give a number of days from 1 to ${MAX_DAYS}.`);
};

const counts = (given: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(given)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

// Of a service that runs elsewhere these are texts.
const moment = (time: Date): string => new Date(time).toISOString();

const columns: readonly Column<StepFigures>[] = [
  ['STEP', ({ path }) => path],
  ['VERSION', ({ version }) => version],
  ['TYPE', ({ type, name }) => (name === null ? type : `${type} (${name})`)],
  ['DONE', ({ done }) => done],
  ['OUTCOMES', ({ outcomes }) => counts(outcomes)],
  ['ACTIVE', ({ active }) => active],
  ['EXITS', ({ exits }) => exits],
];

const lines = ({ io }: Context, { name, totals, steps, range }: WorkflowFigures): Line[] => [
  ...fieldLines([
    ['workflow', name],
    ['began', `${moment(range.from)} to ${moment(range.to)}`],
    ['entered', totals.entered],
    ['active', totals.active],
    ['completed', `${totals.completed}${totals.completed > 0 ? ` (${counts(totals.outcomes)})` : ''}`],
    ['failed', totals.failed],
    ['cancelled', totals.cancelled],
    ['ended early', Object.keys(totals.exits).length === 0 ? null : counts(totals.exits)],
  ]),
  ...(range.clamped ? ['There were more runs than are counted; the older ones are left out.'] : []),
  ...(steps.length === 0 ? [] : ['', (paint: Paint) => tableText(steps, columns, io.stdout.isTTY, paint).trimEnd()]),
];

/** `beckon workflows figures`: what became of its runs, in one environment. */
export const figuresCommand = (leaf: Command, context: Context, find: FindWorkflow): void => {
  outputOptions(leaf.addOption(environmentOption()))
    .argument('<workflow>', 'its name or id')
    .option('--days <number>', 'runs that began within so many days', daysOf, DEFAULT_DAYS)
    .option('--timezone <zone>', 'the zone in which days begin', 'UTC')
    .action(
      act<{ readonly days: number; readonly timezone: string }>(context, ({ days, timezone, ...flags }, [given = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { id } = await find(beckon, scope, given);
          const from = new Date(context.io.now().getTime() - days * DAY_MS);
          const figures = await beckon.workflows.figures(scope, id, { from, timezone });
          createOutput(context.io, flags).answer(figures, lines(context, figures));
          return undefined;
        }),
      ),
    );
};
