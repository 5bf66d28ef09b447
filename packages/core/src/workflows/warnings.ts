import type { Channel, ImportWarning } from '../api.ts';
import type { ProjectScope, Scope } from '../primitives/scope.ts';
import type { StoredStep } from '../runs/cursor.ts';
import { stepTypes } from '../runs/steps/list.ts';
import { walkSteps } from '../runs/steps/walk.ts';
import { secretsIn, type WebhookConfig } from '../runs/steps/webhook.ts';
import { refKey, type TemplateRef } from '../templates/use.ts';
import type { Workflow } from './schema.ts';

/** What an import points out. */
export const IMPORT_WARNINGS = [
  'unknown_audience',
  'unknown_template',
  'unknown_variable',
  'no_provider',
  'no_model',
  'missing_secret',
  'no_subject',
  'no_person',
] as const;
/** Warnings of one import; ours: a template of a few bytes makes one of many. */
export const MAX_WARNINGS = 1_000;

/** What a project lacks of what its workflows name. */
export type Lacking = {
  /** Channels without provider. */
  readonly channels: ReadonlySet<Channel>;
  /** Templates by `refKey`. */
  readonly templates: ReadonlySet<string>;
  /** Secrets by name. */
  readonly secrets: ReadonlySet<string>;
  /** A provider of models, of the org or of the deployment. */
  readonly isModelless: boolean;
};
/** Reads it for those workflows. */
export type LoadLacking = (
  scope: ProjectScope | Scope,
  workflows: readonly Pick<Workflow, 'steps'>[],
) => Promise<Lacking>;
const NOTHING: Lacking = { channels: new Set(), templates: new Set(), secrets: new Set(), isModelless: false };

/** Of whoever knows of nothing that could lack. */
export const nothingLacks: LoadLacking = async () => NOTHING;

/** The template that a step names; null: none. */
const templateOf = ({ type, config }: StoredStep): TemplateRef | null => {
  const channel = stepTypes.find(type)?.sends;
  const id = config['templateId'];
  return channel === undefined || typeof id !== 'string' ? null : { channel, id };
};

const stepsIn = (steps: readonly StoredStep[]) => walkSteps(steps, 'steps', stepTypes.armsOf);

/** The templates that steps name, those of steps within steps among them. Throws nothing. */
export const templatesIn = (workflows: readonly Pick<Workflow, 'steps'>[]): TemplateRef[] =>
  workflows.flatMap(({ steps }) => [...stepsIn(steps)].flatMap(({ step }) => templateOf(step) ?? []));

/** The secrets that a step names, by header. */
const secretsOf = ({ type, config }: StoredStep): [header: string, secret: string][] =>
  // Safe: a step of this type was let in by its schema.
  type === 'webhook' ? secretsIn(config as WebhookConfig) : [];

/** The secrets that steps name. Throws nothing. */
export const secretNamesIn = (workflows: readonly Pick<Workflow, 'steps'>[]): string[] => [
  ...new Set(
    workflows.flatMap(({ steps }) =>
      [...stepsIn(steps)].flatMap(({ step }) => secretsOf(step).map(([, name]) => name)),
    ),
  ),
];

function* lackingOf(
  { path, step }: { readonly path: string; readonly step: StoredStep },
  lacking: Lacking,
): Generator<Omit<ImportWarning, 'name'>> {
  if (step.type === 'ai_action' && lacking.isModelless)
    yield {
      path: `${path}.type`,
      code: 'no_model',
      message: 'Neither the org nor this deployment has a provider of models; the step ends as ai_unavailable.',
    };
  for (const [header, name] of secretsOf(step))
    if (lacking.secrets.has(name))
      yield {
        path: `${path}.config.headers.${header}`,
        code: 'missing_secret',
        message: `There is no secret ${name}; the step ends as error.`,
      };
}

function* warningsIn(workflow: Workflow, lacking: Lacking): Generator<ImportWarning> {
  const { name, trigger, steps } = workflow;
  if (trigger.audienceId !== undefined)
    yield {
      name,
      path: 'trigger.audienceId',
      code: 'unknown_audience',
      message: 'This project has no audience of that id; the workflow starts for nobody until it is mapped.',
    };
  for (const finding of stepTypes.findings(steps, 'steps', lacking.channels)) yield { name, ...finding };
  for (const { path, step } of stepsIn(steps)) {
    const named = templateOf(step);
    if (named && lacking.templates.has(refKey(named)))
      yield {
        name,
        path: `${path}.config.templateId`,
        code: 'unknown_template',
        message: `This project has no ${named.channel} template of that id; the step ends as error.`,
      };
    for (const finding of lackingOf({ path, step }, lacking)) yield { name, ...finding };
  }
}

/**
 * What an import should point out without refusing it, in the bundle's order: an audience, a template or a variable that there is not,
 * a step that sends on a channel without provider, asks a model that nobody has or names a secret that there is not, a mail without subject, a message that is nobody's. `path` is within
 * the workflow (`steps.0.config.subject`). At most MAX_WARNINGS. Throws nothing.
 */
export const warningsOf = (workflows: readonly Workflow[], lacking: Lacking = NOTHING): ImportWarning[] => {
  const warnings: ImportWarning[] = [];
  for (const workflow of workflows)
    for (const warning of warningsIn(workflow, lacking)) {
      if (warnings.length === MAX_WARNINGS) return warnings;
      warnings.push(warning);
    }
  return warnings;
};
