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

/** Maximum warnings of an import. Chosen: a template of a few bytes can cause one of many. */
export const MAX_WARNINGS = 1_000;

/** References of workflows that do not exist. */
export type Lacking = {
  /** Channels without a provider. */
  readonly channels: ReadonlySet<Channel>;
  /** Templates by `refKey`. */
  readonly templates: ReadonlySet<string>;
  /** Audiences by id; null: no project is known, so none exists. */
  readonly audiences: ReadonlySet<string> | null;
  /** The existing A/B tests among those referred to, by `testKey`; null: not checked. */
  readonly tests: ReadonlyMap<string, TestTexts> | null;
  /** Secrets by name. */
  readonly secrets: ReadonlySet<string>;
  /** True if neither the org nor the deployment has a model provider. */
  readonly isModelless: boolean;
};
/** The parts of a workflow that have references. */
export type Naming = Pick<Workflow, 'steps'> & Partial<Pick<Workflow, 'trigger'>>;
/** Finds missing references of workflows. */
export type LoadLacking = (scope: ProjectScope | Scope, workflows: readonly Naming[]) => Promise<Lacking>;
const NOTHING: Lacking = {
  channels: new Set(),
  templates: new Set(),
  audiences: null,
  tests: null,
  secrets: new Set(),
  isModelless: false,
};

/** For callers that cannot check references. */
export const nothingLacks: LoadLacking = async () => NOTHING;

/** Template of a step; null if it has none. */
const templateOf = ({ type, config }: StoredStep): TemplateRef | null => {
  const channel = stepTypes.find(type)?.sends;
  const id = config['templateId'];
  return channel === undefined || typeof id !== 'string' ? null : { channel, id };
};

/** A/B test of a step; null if it has none. */
const testOf = ({ type, config }: StoredStep): TestName | null => {
  const channel = stepTypes.find(type)?.sends;
  const abTestId = config['abTestId'];
  return channel === undefined || typeof abTestId !== 'string' ? null : { channel, abTestId };
};

const stepsIn = (steps: readonly StoredStep[]) => walkSteps(steps, 'steps', stepTypes.armsOf);

/** Templates of all steps, including nested ones. Throws nothing. */
export const templatesIn = (workflows: readonly Pick<Workflow, 'steps'>[]): TemplateRef[] =>
  workflows.flatMap(({ steps }) => [...stepsIn(steps)].flatMap(({ step }) => templateOf(step) ?? []));

/** Audiences of triggers and step conditions. Throws nothing. */
export const audiencesIn = (workflows: readonly Naming[]): string[] =>
  workflows.flatMap(({ trigger, steps }) => [
    ...(trigger?.audienceId === undefined ? [] : [trigger.audienceId]),
    ...[...stepsIn(steps)].flatMap(({ step }) =>
      conditionsOf(step).flatMap(({ conditions: condition }) => audiencesOf(condition)),
    ),
  ]);

/** A/B tests of all steps. Throws nothing. */
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

/** Secrets of a step, by header. */
const secretsOf = ({ type, config }: StoredStep): [header: string, secret: string][] =>
  // Safe: the schema validated a step of this type.
  type === 'webhook' ? secretsIn(config as WebhookConfig) : [];

/** Secrets of all steps. Throws nothing. */
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
          message: `This project has no audience ${id}; its members are unknown.`,
        };
    for (const warning of testWarnings(step, path, lacking)) yield { name, ...warning };
    for (const finding of lackingOf({ path, step }, lacking)) yield { name, ...finding };
  }
}

/**
 * Warnings of an import, in the order of the bundle: missing audiences, templates, A/B tests, secrets, models or
 * variables, tags that are not rendered, steps on a channel without a provider, emails without a subject, messages
 * without a user. `path` is relative to the workflow (`steps.0.config.subject`). At most MAX_WARNINGS. Throws nothing.
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

/** Warnings of a definition independent of any project. At most MAX_WARNINGS. Throws nothing. */
export const definitionWarnings = (workflow: Workflow): ImportWarning[] =>
  warningsOf([workflow], { ...NOTHING, audiences: new Set() });
