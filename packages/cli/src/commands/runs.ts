import type { Beckon, Run, RunStatus, RunStep, RunWithSteps, Scope } from '@beckon/core';
import { type Command, Option } from 'commander';
import { relativeTime, shortId } from '../cells.ts';
import { type Paint, toneOf } from '../colour.ts';
import {
  act,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { wholeId } from '../ids.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { RUN_STATUSES } from '../names.ts';
import { type Column, createOutput, type Line, tableText } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';
import { findWorkflow } from './workflows.ts';

type ListFlags = {
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly user?: string;
  readonly limit: number;
};

const time = ({ io }: Context, moment: Date | null): string | null =>
  io.stdout.isTTY ? relativeTime(moment, io.now()) : (moment?.toISOString() ?? null);

const personOf = ({ userId, anonymousId }: Run): string | null => userId ?? anonymousId;

const columns = (context: Context): readonly Column<Run>[] => [
  ['ID', ({ id }) => (context.io.stdout.isTTY ? shortId(id) : id)],
  ['WORKFLOW', ({ workflowName }) => workflowName],
  ['PERSON', personOf],
  ['STATUS', ({ status }) => status, toneOf],
  ['OUTCOME', ({ outcome }) => outcome],
  ['STEP', ({ cursor }) => cursor],
  ['NEXT', ({ next_step_at }) => time(context, next_step_at)],
  ['STARTED', ({ startedAt }) => time(context, startedAt)],
  ['ERROR', ({ error }) => error],
];

const stepColumns = (context: Context): readonly Column<RunStep>[] => [
  ['STEP', ({ path }) => path],
  ['TYPE', ({ type }) => type],
  ['ATTEMPT', ({ attempt }) => attempt],
  ['OUTCOME', ({ outcome }) => outcome],
  ['REASON', ({ reason }) => reason],
  ['ENDED', ({ finishedAt }) => time(context, finishedAt)],
  ['SEND', ({ sendId }) => (sendId !== null && context.io.stdout.isTTY ? shortId(sendId) : sendId)],
];

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null;

const lines = (context: Context, run: RunWithSteps): Line[] => [
  ...fieldLines([
    ['id', run.id],
    ['workflow', `${run.workflowName} (version ${run.workflowVersion})`],
    ['person', personOf(run)],
    ['environment', run.environment],
    ['status', run.status],
    ['outcome', run.outcome],
    ['ended by', run.exitReason],
    ['error', run.error],
    ['event', `${run.triggerEvent.eventType} ${run.triggerEventId}`],
    ['step', run.cursor],
    ['attempt', run.attempt],
    ['next step', iso(run.next_step_at)],
    ['started', iso(run.startedAt)],
    ['completed', iso(run.completedAt)],
  ]),
  ...(run.steps.length === 0
    ? []
    : ['', (paint: Paint) => tableText(run.steps, stepColumns(context), context.io.stdout.isTTY, paint).trimEnd()]),
];

/** `beckon runs list|show|cancel|retry`: people's ways through workflows. */
export const register: Register = (program, context) => {
  const group = program.command('runs').description("see people's ways through workflows; cancel and retry them");
  const leaf = (name: string, description: string): Command =>
    remoteOptions(scopeOptions(databaseOptions(group.command(name).description(description)))).addOption(
      environmentOption(),
    );

  outputOptions(leaf('list', 'list them, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .addOption(new Option('--status <status>', 'in this status only').choices(RUN_STATUSES))
    .option('--workflow <workflow>', 'runs of this workflow only, by name or id')
    .option('--user <id>', 'of this user only')
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { status, user: userId, workflow, limit } = flags;
          const workflowId = workflow === undefined ? undefined : (await findWorkflow(beckon, scope, workflow)).id;
          const { rows, hasMore } = await collect(limit, (query) =>
            beckon.workflows.listRuns(scope, { status, userId, workflowId, ...query }),
          );
          const output = createOutput(context.io, flags);
          output.rows(rows, columns(context));
          if (output.form === 'table' && rows.length === 0)
            output.note(`There is no such run in ${scope.environment} in ${context.place}.`);
          noteMore(output, hasMore, limit);
          return undefined;
        }),
      ),
    );

  const one = (
    name: 'getRun' | 'cancelRun' | 'retryRun',
    command: Command,
    said: (run: RunWithSteps) => readonly Line[],
  ) =>
    outputOptions(command)
      .argument('<id>', 'id of the run, as "runs list" shows it')
      .action(
        act(context, (flags, [given = '']) => {
          const work = async ({ workflows }: Beckon, scope: Scope): Promise<undefined> => {
            const id = await wholeId('run', given, (query) => workflows.listRuns(scope, query));
            const run = await workflows[name](scope, id);
            createOutput(context.io, flags).answer(run, said(run));
          };
          // The step that is tried again may be one that sends.
          return inEnvironment(context, flags, work, { isSending: name === 'retryRun' });
        }),
      );
  one('getRun', leaf('show', 'show one with the steps that it has done'), (run) => lines(context, run));
  one('cancelRun', leaf('cancel', 'end one before its next step; exits 6 when it is over'), (run) => [
    `Cancelled ${run.id}.`,
  ]);
  one('retryRun', leaf('retry', 'let a failed one go on at the step that failed; exits 6 for others'), (run) => [
    `Run ${run.id} goes on at step ${run.cursor}, attempt ${run.attempt}.`,
  ]);
};
