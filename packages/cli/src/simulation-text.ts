// What a simulation says, for people.

import type { Answer } from './api.ts';
import { clean } from './text.ts';

/** What one event would do. */
export type Simulation = Answer<'POST /automation/workflows/{id}/simulate'>;
type SimulatedStep = Simulation['steps'][number];

const MINUTE_MS = 60_000;

const WHY: Readonly<Record<Exclude<Simulation['verdict'], 'started' | 'filter'>, string>> = {
  inactive: 'It is disabled, so nothing starts; enabled it would do this:',
  event: 'Nothing starts: it listens to another event.',
  audience: 'Nothing starts: the person is not in the audience of its trigger.',
};

const whyLines = ({ verdict, filters = [] }: Simulation): string[] => {
  if (verdict === 'started') return [];
  if (verdict !== 'filter') return [WHY[verdict]];
  return [
    'Nothing starts: the event does not fit.',
    ...filters.map(
      ({ path, expected, actual }) =>
        `  ${clean(path)}: wants ${clean(JSON.stringify(expected))}, has ${actual === undefined ? 'nothing' : clean(JSON.stringify(actual))}`,
    ),
  ];
};

const messageLines = ({ send }: SimulatedStep): string[] =>
  (send?.messages ?? []).map(({ address, status, reason, content }) => {
    const subject = content && 'subject' in content ? content.subject : null;
    const said =
      subject ??
      (content && 'title' in content ? content.title : null) ??
      (content && 'body' in content ? content.body : null);
    const to = address === null ? '' : ` to ${clean(address)}`;
    const variant = send?.variant == null ? '' : ` [variant ${clean(send.variant)}]`;
    return `        ${send?.channel}${to}: ${status}${reason === null ? '' : ` (${reason})`}${variant}${said === null ? '' : `  ${clean(JSON.stringify(said))}`}`;
  });

const stepLines = (step: SimulatedStep): string[] => {
  const { path, type, name, startedAt, finishedAt, outcome, reason, changes, isMocked } = step;
  const waited = Date.parse(finishedAt) - Date.parse(startedAt);
  const notes = [
    reason === null ? null : `(${clean(reason)})`,
    waited > 0 ? `after ${Math.round(waited / MINUTE_MS)} min` : null,
    isMocked ? '[mocked]' : null,
  ].filter((note) => note !== null);
  return [
    `  ${finishedAt}  ${path}  ${type}${name === null ? '' : ` "${clean(name)}"`}: ${[outcome, ...notes].join(' ')}`,
    ...messageLines(step),
    ...Object.entries(changes).map(
      ([trait, value]) => `        trait ${clean(trait)} = ${clean(JSON.stringify(value))}`,
    ),
  ];
};

/** A warning on one line. Throws nothing. */
export const warningLine = ({ name, path, message }: Simulation['warnings'][number]): string =>
  `${clean(name)} ${clean(path)}: ${clean(message)}`;

/** A simulation line by line. Throws nothing. */
export const simulationLines = (simulation: Simulation): string[] => {
  // A service of an earlier version says no warnings.
  const { workflow, run, steps, warnings = [] } = simulation;
  const ended =
    run === null
      ? []
      : [
          `${run.status}${run.outcome === null ? '' : ` (${run.outcome})`}${run.exitReason === null ? '' : `, ${run.exitReason}`}${run.error === null ? '' : `: ${clean(run.error)}`}`,
        ];
  return [
    `workflow: ${clean(workflow.name)}`,
    ...whyLines(simulation),
    ...steps.flatMap(stepLines),
    ...ended,
    ...warnings.map((warning) => `! ${warningLine(warning)}`),
  ];
};
