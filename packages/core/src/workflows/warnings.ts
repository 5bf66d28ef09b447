import type { Channel, ImportWarning } from '../api.ts';
import { stepTypes } from '../runs/steps/list.ts';
import type { Workflow } from './schema.ts';

/** What an import points out. */
export const IMPORT_WARNINGS = [
  'unknown_audience',
  'unknown_variable',
  'no_provider',
  'no_subject',
  'no_person',
] as const;
/** Warnings of one import; ours: a template of a few bytes makes one of many. */
export const MAX_WARNINGS = 1_000;

function* warningsIn(workflow: Workflow, lacking: ReadonlySet<Channel>): Generator<ImportWarning> {
  const { name, trigger, steps } = workflow;
  if (trigger.audienceId !== undefined)
    yield {
      name,
      path: 'trigger.audienceId',
      code: 'unknown_audience',
      message: 'This project has no audience of that id; the workflow starts for nobody until it is mapped.',
    };
  for (const [index, step] of steps.entries())
    for (const finding of stepTypes.findings(step, `steps.${index}`, lacking)) yield { name, ...finding };
}

/**
 * What an import should point out without refusing it, in the bundle's order: an audience or a variable that there is not,
 * a step that sends on a channel without provider, a mail without subject, a message that is nobody's. `path` is within
 * the workflow (`steps.0.config.subject`). At most MAX_WARNINGS. Throws nothing.
 *
 * @param lacking channels without provider
 */
export const warningsOf = (
  workflows: readonly Workflow[],
  lacking: ReadonlySet<Channel> = new Set(),
): ImportWarning[] => {
  const warnings: ImportWarning[] = [];
  for (const workflow of workflows)
    for (const warning of warningsIn(workflow, lacking)) {
      if (warnings.length === MAX_WARNINGS) return warnings;
      warnings.push(warning);
    }
  return warnings;
};
