import type { Answer, RowOf } from '../api.ts';
import type { Screen } from '../cells.ts';
import { type Paint, toneOf } from '../colour.ts';
import { byId, findWorkflow, workflowId } from '../lookups.ts';
import { type Column, type Line, tableText } from '../output.ts';
import { fieldLines } from '../scoped.ts';
import { custom } from '../table/custom.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';
import { figures } from './workflow-figures.ts';
import { schemaVerb, simulateVerb, testVerb } from './workflow-simulate.ts';

type Workflow = Answer<'GET /automation/workflows/{id}'>;
type RunRow = RowOf<'GET /automation/runs'>;
type Run = Answer<'GET /automation/runs/{id}'>;

const workflowLines = (workflow: Workflow): string[] => {
  const { id, name, description, isActive, version, createdAt, updatedAt, trigger, steps } = workflow;
  const { eventType, filters, audienceId = null } = trigger;
  return [
    ...fieldLines([
      ['id', id],
      ['name', name],
      ['description', description],
      ['active', isActive ? 'yes' : 'no'],
      ['version', version],
      ['created', createdAt],
      ['updated', updatedAt],
      ['event', eventType],
    ]),
    ...Object.entries(filters ?? {}).map(([path, value]) => `filter: ${path} = ${JSON.stringify(value)}`),
    ...fieldLines([['audience', audienceId]]),
    `steps: ${steps.length}`,
    ...steps.map(({ type, config, delayMinutes }, index) => {
      const delay = delayMinutes ? `, ${delayMinutes} min after the previous step` : '';
      return `  ${index}  ${type}${delay}  ${JSON.stringify(config)}`;
    }),
  ];
};

const level = 'project';
const workflow = { arg: ['<workflow>', 'Workflow name or id'], into: 'id', find: workflowId } as const;
const switched = (about: string, isActive: boolean) =>
  calls('PATCH /automation/workflows/{id}', {
    level,
    about,
    examples: ["'Welcome series'"],
    args: [workflow],
    body: { isActive },
    lines: ({ name, version, warnings }) => [
      `${isActive ? 'Enabled' : 'Disabled'} ${name} (version ${version}).`,
      ...(isActive ? warnings : []).map(({ path, message }) => `! ${path}: ${message}`),
    ],
  });

/** Workflow definitions, which apply to both environments of a project. */
export const workflows = noun('workflows', 'Manage, simulate and test workflows', {
  list: lists('GET /automation/workflows', {
    level,
    about: 'List workflows, newest first',
    examples: ['', '--active'],
    flags: {
      active: { field: 'isActive', text: 'Only enabled workflows' },
      inactive: { field: 'isActive', text: 'Only disabled workflows', convert: () => false },
    },
    query: ({ active, inactive }) => (active === inactive ? { isActive: undefined } : {}),
    columns: ({ id, time }) => [
      ['NAME', ({ name }) => name],
      ['ACTIVE', ({ isActive }) => (isActive ? 'yes' : 'no')],
      ['VERSION', ({ version }) => version],
      ['EVENT', ({ trigger }) => trigger.eventType],
      ['UPDATED', ({ updatedAt }) => time(updatedAt)],
      ['ID', (row) => id(row.id)],
    ],
    none: ({ place }) => `No workflows match in this project (${place}).`,
  }),
  show: custom({
    level,
    about: 'Show a workflow and its steps',
    examples: ["'Welcome series'"],
    args: [workflow.arg],
    work: async (api, { args: [named = ''], output }) => {
      const found = await findWorkflow(api, named);
      output.answer(found, workflowLines(found));
      return undefined;
    },
  }),
  simulate: simulateVerb,
  test: testVerb,
  schema: schemaVerb,
  figures,
  enable: switched('Enable a workflow', true),
  disable: switched('Disable a workflow; active runs continue', false),
});

const userOf = ({ userId, anonymousId }: RunRow): string | null => userId ?? anonymousId;

const stepColumns = ({ id, time }: Screen): readonly Column<Run['steps'][number]>[] => [
  ['STEP', ({ path }) => path],
  ['TYPE', ({ type }) => type],
  ['ATTEMPT', ({ attempt }) => attempt],
  ['OUTCOME', ({ outcome }) => outcome],
  ['REASON', ({ reason }) => reason],
  ['ENDED', ({ finishedAt }) => time(finishedAt)],
  ['SEND', ({ sendId }) => id(sendId)],
];

const runLines = (shown: Run, screen: Screen): Line[] => [
  ...fieldLines([
    ['id', shown.id],
    ['workflow', `${shown.workflowName} (version ${shown.workflowVersion})`],
    ['user', userOf(shown)],
    ['environment', shown.environment],
    ['status', shown.status],
    ['outcome', shown.outcome],
    ['exit reason', shown.exitReason],
    ['error', shown.error],
    ['event', `${shown.triggerEvent.eventType} ${shown.triggerEventId}`],
    ['step', shown.cursor],
    ['attempt', shown.attempt],
    ['next step', shown.next_step_at],
    ['started', shown.startedAt],
    ['completed', shown.completedAt],
  ]),
  ...(shown.steps.length === 0
    ? []
    : ['', (paint: Paint) => tableText(shown.steps, stepColumns(screen), screen.isTTY, paint).trimEnd()]),
];

const run = {
  arg: ['<id>', 'Run id, from "runs list"'],
  into: 'id',
  find: byId('run', 'GET /automation/runs'),
} as const;

/** Workflow runs, one per user and event. */
export const runs = noun('runs', 'Inspect, cancel and retry workflow runs', {
  list: lists('GET /automation/runs', {
    about: 'List runs, newest first',
    examples: ['--status failed --env test'],
    flags: {
      status: { text: 'Status', value: 'status' },
      workflow: { field: 'workflowId', text: 'Workflow name or id', value: 'workflow', find: workflowId },
      user: { field: 'userId', text: 'User id', value: 'id' },
    },
    columns: ({ id, time }) => [
      ['ID', (row) => id(row.id)],
      ['WORKFLOW', ({ workflowName }) => workflowName],
      ['USER', userOf],
      ['STATUS', ({ status }) => status, toneOf],
      ['OUTCOME', ({ outcome }) => outcome],
      ['STEP', ({ cursor }) => cursor],
      ['NEXT STEP', ({ next_step_at }) => time(next_step_at)],
      ['STARTED', ({ startedAt }) => time(startedAt)],
      ['ERROR', ({ error }) => error],
    ],
    none: ({ environment, place }) => `No runs match in ${environment} (${place}).`,
  }),
  show: calls('GET /automation/runs/{id}', {
    about: 'Show a run and its steps',
    examples: ['RUN_ID --env test'],
    args: [run],
    lines: runLines,
  }),
  cancel: calls('POST /automation/runs/{id}/cancel', {
    about: 'Cancel a run before its next step',
    examples: ['RUN_ID --env test'],
    exits: '0 cancelled, 6 already over',
    args: [run],
    lines: ({ id }) => [`Cancelled ${id}.`],
  }),
  retry: calls('POST /automation/runs/{id}/retry', {
    about: 'Retry a failed run from the failed step',
    examples: ['RUN_ID --env test'],
    exits: '0 retried, 6 not failed',
    args: [run],
    // The retried step may send messages.
    isSending: true,
    lines: ({ id, cursor, attempt }) => [`Retrying run ${id} at step ${cursor}, attempt ${attempt}.`],
  }),
});
