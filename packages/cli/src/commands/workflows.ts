import type { Beckon, ProjectScope, WorkflowRecord, WorkflowRow } from '@beckon/core';
import type { Command } from 'commander';
import { relativeTime, shortId } from '../cells.ts';
import {
  act,
  type Context,
  databaseOptions,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines, inProject } from '../scoped.ts';
import { figuresCommand } from './workflow-figures.ts';
import { simulateCommand, testCommand } from './workflow-simulate.ts';

type ListFlags = { readonly active?: boolean; readonly inactive?: boolean; readonly limit: number };

const columns = ({ io }: Context): readonly Column<WorkflowRow>[] => [
  ['NAME', ({ name }) => name],
  ['ACTIVE', ({ isActive }) => (isActive ? 'yes' : 'no')],
  ['VERSION', ({ version }) => version],
  ['EVENT', ({ trigger }) => trigger.eventType],
  ['CHANGED', ({ updatedAt }) => (io.stdout.isTTY ? relativeTime(updatedAt, io.now()) : updatedAt.toISOString())],
  ['ID', ({ id }) => (io.stdout.isTTY ? shortId(id) : id)],
];

/** The workflow of that name, or of that id. Throws CliError, or NOT_FOUND. */
export const findWorkflow = async (
  { workflows }: Beckon,
  scope: ProjectScope,
  given: string,
): Promise<WorkflowRecord> => {
  const [named] = (await workflows.list(scope, { name: given, limit: 1 })).data;
  if (named) return workflows.get(scope, named.id);
  const id = await wholeId('workflow', given, (query) => workflows.list(scope, query));
  try {
    return await workflows.get(scope, id);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')) throw error;
    throw new CliError(EXIT.negative, `This project has no workflow of the name or id ${given}.`, {
      code: 'NOT_FOUND',
      hint: 'See them with: beckon workflows list',
    });
  }
};

const stepLines = ({ steps }: WorkflowRecord): string[] =>
  steps.map(({ type, config, delayMinutes }, index) => {
    const delay = delayMinutes ? `, ${delayMinutes} min after the one before` : '';
    return `  ${index}  ${type}${delay}  ${JSON.stringify(config)}`;
  });

const lines = (workflow: WorkflowRecord): string[] => {
  const { id, name, description, isActive, version, createdAt, updatedAt, trigger, steps } = workflow;
  const { eventType, filters, audienceId = null } = trigger;
  return [
    ...fieldLines([
      ['id', id],
      ['name', name],
      ['description', description],
      ['active', isActive ? 'yes' : 'no'],
      ['version', version],
      ['created', createdAt.toISOString()],
      ['changed', updatedAt.toISOString()],
      ['event', eventType],
    ]),
    ...Object.entries(filters ?? {}).map(([path, wanted]) => `filter: ${path} = ${JSON.stringify(wanted)}`),
    ...fieldLines([['audience', audienceId]]),
    `steps: ${steps.length}`,
    ...stepLines(workflow),
  ];
};

/** `beckon workflows list|show|simulate|test|figures|enable|disable`: definitions, which serve both environments of a project. */
export const register: Register = (program, context) => {
  const group = program.command('workflows').description('see workflows, and switch them on and off');
  const leaf = (name: string, description: string): Command =>
    remoteOptions(scopeOptions(databaseOptions(group.command(name).description(description))));

  outputOptions(leaf('list', 'list them, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--active', 'those that start runs')
    .option('--inactive', 'those that do not')
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags) =>
        inProject(context, flags, async ({ workflows }, scope) => {
          const isActive = flags.active === flags.inactive ? undefined : flags.active === true;
          const { rows, hasMore } = await collect(flags.limit, (query) =>
            workflows.list(scope, { isActive, ...query }),
          );
          const output = createOutput(context.io, flags);
          output.rows(rows, columns(context));
          if (output.form === 'table' && rows.length === 0)
            output.note(`This project has no such workflow in ${context.place}.`);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('show', 'show one with its steps'))
    .argument('<workflow>', 'its name or id')
    .action(
      act(context, (flags, [given = '']) =>
        inProject(context, flags, async (beckon, scope) => {
          const workflow = await findWorkflow(beckon, scope, given);
          createOutput(context.io, flags).answer(workflow, lines(workflow));
          return undefined;
        }),
      ),
    );

  simulateCommand(leaf('simulate', 'what one event would make it do; nothing is sent'), context, findWorkflow);
  testCommand(group.command('test').description('check workflows against *.test.json beside their bundles'), context);
  figuresCommand(leaf('figures', 'what became of its runs, and how its steps ended'), context, findWorkflow);

  const toggle = (name: string, description: string, isActive: boolean): void => {
    outputOptions(leaf(name, description))
      .argument('<workflow>', 'its name or id')
      .action(
        act(context, (flags, [given = '']) =>
          inProject(context, flags, async (beckon, scope) => {
            const { id } = await findWorkflow(beckon, scope, given);
            const workflow = await beckon.workflows.update(scope, id, { isActive });
            const done = isActive ? 'Enabled' : 'Disabled';
            createOutput(context.io, flags).answer(workflow, [
              `${done} ${workflow.name} (version ${workflow.version}).`,
              ...(isActive ? workflow.warnings : []).map(({ path, message }) => `! ${path}: ${message}`),
            ]);
            return undefined;
          }),
        ),
      );
  };
  toggle('enable', 'let its event start runs', true);
  toggle('disable', 'start no more runs; those under way go on', false);
};
