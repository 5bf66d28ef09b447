// Simulations as text.

import type { Answer } from './api.ts';
import { clean } from './text.ts';

/** Result of a simulation. */
export type Simulation = Answer<'POST /automation/workflows/{id}/simulate'>;
type SimulatedStep = Simulation['steps'][number];

const MINUTE_MS = 60_000;

const WHY: Readonly<Record<Exclude<Simulation['verdict'], 'started' | 'filter'>, string>> = {
  inactive: 'Not started: the workflow is disabled. If enabled, it would run:',
  event: 'Not started: the trigger is another event.',
  audience: 'Not started: the user is not in the segment of the trigger.',
};

const verdictLines = ({ verdict, filters = [] }: Simulation): string[] => {
  if (verdict === 'started') return [];
  if (verdict !== 'filter') return [WHY[verdict]];
  return [
    'Not started: the event does not match the filters.',
    ...filters.map(
      ({ path, expected, actual }) =>
        `  ${clean(path)}: expected ${clean(JSON.stringify(expected))}, got ${actual === undefined ? 'no value' : clean(JSON.stringify(actual))}`,
    ),
  ];
};

const messageLines = ({ send }: SimulatedStep): string[] =>
  (send?.messages ?? []).map(({ address, status, reason, content }) => {
    const subject = content && 'subject' in content ? content.subject : null;
    const title =
      subject ??
      (content && 'title' in content ? content.title : null) ??
      (content && 'body' in content ? content.body : null);
    const to = address === null ? '' : ` to ${clean(address)}`;
    const variant = send?.variant == null ? '' : ` [variant ${clean(send.variant)}]`;
    return `        ${send?.channel}${to}: ${status}${reason === null ? '' : ` (${reason})`}${variant}${title === null ? '' : `  ${clean(JSON.stringify(title))}`}`;
  });

const stepLines = (step: SimulatedStep): string[] => {
  const { path, type, name, startedAt, finishedAt, outcome, reason, changes, isMocked } = step;
  const waited = Date.parse(finishedAt) - Date.parse(startedAt);
  const notes = [
    reason === null ? null : `(${clean(reason)})`,
    waited > 0 ? `after ${Math.round(waited / MINUTE_MS)} min` : null,
    isMocked ? '[example result]' : null,
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
  // Servers of earlier versions return no warnings.
  const { workflow, run, steps, warnings = [] } = simulation;
  const ended =
    run === null
      ? []
      : [
          `${run.status}${run.outcome === null ? '' : ` (${run.outcome})`}${run.exitReason === null ? '' : `, ${run.exitReason}`}${run.error === null ? '' : `: ${clean(run.error)}`}`,
        ];
  return [
    `workflow: ${clean(workflow.name)}`,
    ...verdictLines(simulation),
    ...steps.flatMap(stepLines),
    ...ended,
    ...warnings.map((warning) => `! ${warningLine(warning)}`),
  ];
};
