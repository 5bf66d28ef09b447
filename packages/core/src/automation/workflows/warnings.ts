import type { Channel } from '../../foundation/channel.ts';
import type { ProjectScope, Scope } from '../../foundation/scope.ts';
import { type TestName, type TestTexts, testKey } from '../../messaging/ab-tests/tested-texts.ts';
import { NOT_RENDERED, notRendered } from '../../messaging/templates/content-warnings.ts';
import { unrenderedTexts } from '../../messaging/templates/texts.ts';
import { refKey, type TemplateRef } from '../../messaging/templates/use.ts';
import type { ImportWarning } from '../runs/answers.generated.ts';
import type { StoredStep } from '../runs/cursor.ts';
import { audiencesOf, conditionsOf } from '../runs/steps/condition.ts';
import { stepTypes } from '../runs/steps/list.ts';
import type { Finding } from '../runs/steps/step.ts';
import { walkSteps } from '../runs/steps/walk.ts';
import { secretsIn, type WebhookConfig } from '../runs/steps/webhook.ts';
import type { Workflow } from './schema.ts';
import { hiddenIn } from './tested-texts.ts';

/** Warnings of one import; ours: a template of a few bytes makes one of many. */
export const MAX_WARNINGS = 1_000;

/** What a project lacks of what its workflows name. */
export type Lacking = {
  /** Channels without provider. */
  readonly channels: ReadonlySet<Channel>;
  /** Templates by `refKey`. */
  readonly templates: ReadonlySet<string>;
  /** Audiences by id; null: whoever asks has no project, so there is none. */
  readonly audiences: ReadonlySet<string> | null;
  /** Those of the tests that it names that there are, by `testKey`; null: they were not looked for. */
  readonly tests: ReadonlyMap<string, TestTexts> | null;
  /** Secrets by name. */
  readonly secrets: ReadonlySet<string>;
  /** A provider of models, of the org or of the deployment. */
  readonly isModelless: boolean;
};
/** As much of a workflow as names what may lack. */
export type Naming = Pick<Workflow, 'steps'> & Partial<Pick<Workflow, 'trigger'>>;
/** Reads it for those workflows. */
export type LoadLacking = (scope: ProjectScope | Scope, workflows: readonly Naming[]) => Promise<Lacking>;
const NOTHING: Lacking = {
  channels: new Set(),
  templates: new Set(),
  audiences: null,
  tests: null,
  secrets: new Set(),
  isModelless: false,
};

/** Of whoever knows of nothing that could lack. */
export const nothingLacks: LoadLacking = async () => NOTHING;

/** The template that a step names; null: none. */
const templateOf = ({ type, config }: StoredStep): TemplateRef | null => {
  const channel = stepTypes.find(type)?.sends;
  const id = config['templateId'];
  return channel === undefined || typeof id !== 'string' ? null : { channel, id };
};

/** The test that a step names; null: none. */
const testOf = ({ type, config }: StoredStep): TestName | null => {
  const channel = stepTypes.find(type)?.sends;
  const abTestId = config['abTestId'];
  return channel === undefined || typeof abTestId !== 'string' ? null : { channel, abTestId };
};

const stepsIn = (steps: readonly StoredStep[]) => walkSteps(steps, 'steps', stepTypes.armsOf);

/** The templates that steps name, those of steps within steps among them. Throws nothing. */
export const templatesIn = (workflows: readonly Pick<Workflow, 'steps'>[]): TemplateRef[] =>
  workflows.flatMap(({ steps }) => [...stepsIn(steps)].flatMap(({ step }) => templateOf(step) ?? []));

/** The audiences that triggers and conditions of steps name. Throws nothing. */
export const audiencesIn = (workflows: readonly Naming[]): string[] =>
  workflows.flatMap(({ trigger, steps }) => [
    ...(trigger?.audienceId === undefined ? [] : [trigger.audienceId]),
    ...[...stepsIn(steps)].flatMap(({ step }) =>
      conditionsOf(step).flatMap(({ conditions: condition }) => audiencesOf(condition)),
    ),
  ]);

/** The same of A/B tests. Throws nothing. */
export const testsIn = (workflows: readonly Pick<Workflow, 'steps'>[]): TestName[] =>
  workflows.flatMap(({ steps }) => [...stepsIn(steps)].flatMap(({ step }) => testOf(step) ?? []));

function* testWarnings(step: StoredStep, path: string, { tests }: Lacking): Generator<Omit<ImportWarning, 'name'>> {
  const named = testOf(step);
  if (!named || tests === null) return;
  const test = tests.get(testKey(named));
  if (!test) {
    const message = `There is no ${named.channel} test of that id here; the step says its own texts.`;
    yield { path: `${path}.config.abTestId`, code: 'unknown_ab_test', message };
    return;
  }
  for (const { field, keys } of hiddenIn(step, test))
    yield {
      path: `${path}.config.${field}`,
      code: 'hidden_variants',
      message: `Readers of these languages get this text, not that of variant ${keys.join(', ')}, which has no ${field}.`,
    };
}

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

function* lackingOf({ path, step }: { path: string; step: StoredStep }, lacking: Lacking): Generator<Finding> {
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
  const { audienceId } = trigger;
  const isLacking = (id: string): boolean => lacking.audiences === null || lacking.audiences.has(id);
  if (audienceId !== undefined && isLacking(audienceId))
    yield {
      name,
      path: 'trigger.audienceId',
      code: 'unknown_audience',
      message: 'The project has no audience with this id. The workflow does not start until you map it to one.',
    };
  for (const { path, text } of unrenderedTexts(trigger, []))
    yield { name, path: `trigger.${path}`, code: NOT_RENDERED, message: notRendered(text, []) };
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
    for (const { at, conditions: condition } of conditionsOf(step))
      for (const id of audiencesOf(condition).filter(isLacking))
        yield {
          name,
          path: `${path}.config.${at}`,
          code: 'unknown_audience',
          message: `This project has no audience ${id}; it is unknown who is in it.`,
        };
    for (const warning of testWarnings(step, path, lacking)) yield { name, ...warning };
    for (const finding of lackingOf({ path, step }, lacking)) yield { name, ...finding };
  }
}

/**
 * What an import should point out without refusing it, in the bundle's order: an audience, a template, an A/B test, a
 * secret, a model or a variable that there is not, a tag that is not filled in, a step that sends on a channel without
 * provider, a mail without subject, a message that is nobody's. `path` is within the workflow (`steps.0.config.subject`). At most MAX_WARNINGS. Throws nothing.
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

/** What a definition says wrong by itself, whatever project it is in. At most MAX_WARNINGS. Throws nothing. */
export const definitionWarnings = (workflow: Workflow): ImportWarning[] =>
  warningsOf([workflow], { ...NOTHING, audiences: new Set() });
