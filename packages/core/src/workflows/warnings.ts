import type { ImportWarning } from '../api.ts';
import { compileTemplate, variablePaths } from '../templates/compile.ts';
import type { Step, Workflow } from './schema.ts';

/** Built-in fields of a user that templates may read. Source: interface, Template variables. */
export const USER_FIELDS = ['userId', 'email', 'createdAt', 'lastSeenAt', 'locale', 'timezone'] as const;
/** Warnings of one import; ours: a template of a few bytes makes one of many. */
export const MAX_WARNINGS = 1_000;
/** Characters of a variable that a warning quotes; ours. */
const MAX_QUOTED = 128;

const EMAIL_TEXTS = ['to', 'from', 'replyTo', 'subject', 'preheader', 'text', 'html', 'bodyHtml'] as const;
const PUSH_TEXTS = ['title', 'body', 'data', 'actions', 'imageUrl'] as const;
const PROFILE_VALUES = ['set', 'setOnce', 'increment', 'append', 'remove'] as const;

type Text = { readonly path: string; readonly text: string };

function* textsIn(value: unknown, path: string): Generator<Text> {
  if (typeof value === 'string') yield { path, text: value };
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, `${path}.${key}`);
}

function* templatesOf(step: Step, path: string): Generator<Text> {
  switch (step.type) {
    case 'send_email':
      for (const field of EMAIL_TEXTS) yield* textsIn(step.config[field], `${path}.${field}`);
      yield* textsIn(step.config.headers, `${path}.headers`);
      return;
    case 'send_push':
      for (const field of PUSH_TEXTS) yield* textsIn(step.config[field], `${path}.${field}`);
      return;
    case 'send_sms':
      for (const field of ['to', 'body'] as const) yield* textsIn(step.config[field], `${path}.${field}`);
      return;
    case 'update_profile':
      for (const verb of PROFILE_VALUES) yield* textsIn(step.config[verb], `${path}.${verb}`);
      return;
    case 'wait':
      return;
  }
}

const isUserField = (name: string): boolean => USER_FIELDS.some((field) => field === name);

/** Whether a workflow's templates can ever fill this path: `event.*`, `trait.*`, and the built-in `user` fields. */
const isReadable = (path: string): boolean => {
  const [root, key, ...below] = path.split('.');
  if (key === undefined) return false;
  return root === 'event' || root === 'trait' || (root === 'user' && isUserField(key) && below.length === 0);
};

function* warningsIn(workflow: Workflow): Generator<ImportWarning> {
  const { name, trigger, steps } = workflow;
  if (trigger.audienceId !== undefined)
    yield {
      name,
      path: 'trigger.audienceId',
      code: 'unknown_audience',
      message: 'This project has no audience of that id; the workflow starts for nobody until it is mapped.',
    };
  for (const [index, step] of steps.entries())
    for (const { path, text } of templatesOf(step, `steps.${index}.config`))
      for (const variable of variablePaths(compileTemplate(text)))
        if (!isReadable(variable)) {
          const quoted = variable.slice(0, MAX_QUOTED).toWellFormed();
          yield { name, path, code: 'unknown_variable', message: `No scope has {{${quoted}}}; it renders empty.` };
        }
}

/**
 * What an import should point out without refusing it, in the bundle's order: `unknown_audience`, `unknown_variable`.
 * `path` is within the workflow (`steps.0.config.subject`). At most MAX_WARNINGS. Throws nothing.
 */
export const warningsOf = (workflows: readonly Workflow[]): ImportWarning[] => {
  const warnings: ImportWarning[] = [];
  for (const workflow of workflows)
    for (const warning of warningsIn(workflow)) {
      if (warnings.length === MAX_WARNINGS) return warnings;
      warnings.push(warning);
    }
  return warnings;
};
