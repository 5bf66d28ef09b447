import { z } from 'zod';
import { jsonKeywords } from '../../../foundation/json-keywords.ts';
import { standInAnswer } from '../../ai/answer.ts';
import type { StepUsage } from '../../ai/answers.generated.ts';
import { MAX_MODEL } from '../../ai/schema.ts';
import { AI_FLAVORS, type AiQuestion, FALLBACK, VALUE_TYPES } from '../../ai/task.ts';
import type { StoredStep } from '../cursor.ts';
import { common, storableText } from './fields.ts';
import { RENDERED } from './rendered.ts';
import { defineStep, type StepResult, type StepRun } from './step.ts';

/** Maximum characters of a prompt. Chosen: above any reasonable prompt. */
const MAX_PROMPT = 16_000;
/** Maximum tokens of an answer. Chosen: at four characters each they fit a step's output. */
const MAX_OUTPUT_TOKENS = 4_096;
const DEFAULT_OUTPUT_TOKENS = 1_024;
/** Number of options of `decide`. Source: contract, Workflows. */
const MIN_OPTIONS = 2;
const MAX_OPTIONS = 16;
/** Maximum keys of a schema, and values of an enum. Chosen. */
const MAX_KEYS = 32;
const MAX_ENUM_VALUES = 50;
const MAX_DESCRIPTION = 500;

const description = storableText(MAX_DESCRIPTION)
  .optional()
  .describe('Explanation for the model. 1 to 500 characters. Default: none.');
const option = z.strictObject({
  name: storableText(64)
    .refine((name) => name !== FALLBACK, `must not be ${FALLBACK}, which is no option`)
    .register(jsonKeywords, { not: { const: FALLBACK } })
    .describe('Name of the option. 1 to 64 characters, unique in the step.'),
  description,
});
const valueSchema = z
  .strictObject({
    type: z.enum(VALUE_TYPES).describe('Type of the value.'),
    description,
    enum: z
      .array(z.union([storableText(200), z.number()]))
      .min(1)
      .max(MAX_ENUM_VALUES)
      .optional()
      .describe('Allowed values, texts or numbers. 1 to 50. Default: any.'),
  })
  .refine(
    ({ type, enum: values }) =>
      values === undefined ||
      (type !== 'boolean' && values.every((value) => (typeof value === 'string') === (type === 'string'))),
    { path: ['enum'], message: 'must hold values of its type, text or numbers' },
  )
  .register(jsonKeywords, {
    anyOf: [
      { properties: { type: { const: 'string' }, enum: { type: 'array', items: { type: 'string' } } } },
      { properties: { type: { enum: ['number', 'integer'] }, enum: { type: 'array', items: { type: 'number' } } } },
      { properties: { type: { const: 'boolean' }, enum: false } },
    ],
  });
const schema = z
  .strictObject({
    type: z.literal('object').default('object').describe('Type of the result. Always object.'),
    properties: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must be a name of letters, digits, _ and -'),
        valueSchema,
      )
      .refine((keys) => Object.keys(keys).length > 0, 'must have a key')
      .refine((keys) => Object.keys(keys).length <= MAX_KEYS, `must have at most ${MAX_KEYS} keys`)
      .register(jsonKeywords, { minProperties: 1, maxProperties: MAX_KEYS })
      .describe('Values to extract, by name. 1 to 32.'),
    required: z
      .array(z.string())
      .max(MAX_KEYS)
      .default([])
      .describe('Names of values that the model must find. Default: none.'),
    additionalProperties: z.literal(false).default(false).describe('Whether other values are allowed. Always false.'),
  })
  .refine(({ properties, required }) => required.every((name) => Object.hasOwn(properties, name)), {
    path: ['required'],
    message: 'must name properties of the schema',
  });

const ALLOWED_KEYS = { generate: [], decide: ['options', 'fallback'], extract: ['schema'] } as const satisfies Record<
  (typeof AI_FLAVORS)[number],
  readonly string[]
>;
const REQUIRED_KEY = { generate: null, decide: 'options', extract: 'schema' } as const;
const OWN_KEYS = ['options', 'fallback', 'schema'] as const;
const isOwn = (flavor: (typeof AI_FLAVORS)[number], key: (typeof OWN_KEYS)[number]): boolean =>
  ALLOWED_KEYS[flavor].some((own) => own === key);

const config = z
  .strictObject({
    ...common,
    saveAs: common.saveAs
      .unwrap()
      .describe(
        'Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _ and -.',
      ),
    flavor: z
      .enum(AI_FLAVORS)
      .describe('Task: write a text (generate), choose an option (decide) or find values (extract).'),
    prompt: storableText(MAX_PROMPT).describe(
      'Instruction for the model. May contain {{variables}}. 1 to 16,000 characters.',
    ),
    model: storableText(MAX_MODEL)
      .optional()
      .describe("Name of the model. Default: the organization's model for the flavor."),
    maxOutputTokens: z
      .int()
      .min(1)
      .max(MAX_OUTPUT_TOKENS)
      .optional()
      .describe('Longest answer, in tokens. 1 to 4,096. Default: 1,024.'),
    temperature: z.number().min(0).max(2).optional().describe("Randomness, from 0 to 2. Default: the model's own."),
    options: z
      .array(option)
      .min(MIN_OPTIONS)
      .max(MAX_OPTIONS)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'must have names that differ')
      .optional()
      .describe('Options of decide. 2 to 16. Required for decide, else not allowed.'),
    /** Allows the model to answer that no option fits. */
    fallback: z
      .boolean()
      .optional()
      .describe('Whether the model may choose none of the options. Only for decide. Default: false.'),
    schema: schema.optional().describe('Values that extract finds. Required for extract, else not allowed.'),
  })
  .superRefine((rawConfig, context) => {
    const needed = REQUIRED_KEY[rawConfig.flavor];
    if (needed !== null && rawConfig[needed] === undefined)
      context.addIssue({ code: 'custom', path: [needed], message: `is required for flavor ${rawConfig.flavor}` });
    for (const key of OWN_KEYS)
      if (rawConfig[key] !== undefined && !isOwn(rawConfig.flavor, key))
        context.addIssue({ code: 'custom', path: [key], message: `is not allowed for flavor ${rawConfig.flavor}` });
  })
  .register(jsonKeywords, {
    oneOf: AI_FLAVORS.map((flavor) => ({
      properties: {
        flavor: { const: flavor },
        ...Object.fromEntries(OWN_KEYS.filter((key) => !isOwn(flavor, key)).map((key) => [key, false])),
      },
      ...(REQUIRED_KEY[flavor] === null ? {} : { required: [REQUIRED_KEY[flavor]] }),
    })),
  });
export type AiConfig = z.output<typeof config>;

/** Config of a stored step; null if it is another step type. */
export const aiConfig = ({ type, config: rawConfig }: StoredStep): AiConfig | null =>
  // Safe: this schema validated the step, or a newer one that agrees on these keys.
  type === 'ai_action' ? (rawConfig as AiConfig) : null;

/** The model task without its instruction. */
export const questionOf = ({ flavor, options = [], fallback = false, schema: answerSchema }: AiConfig): AiQuestion => {
  switch (flavor) {
    case 'generate':
      return { flavor };
    case 'decide':
      return { flavor, options, hasFallback: fallback };
    case 'extract':
      return { flavor, properties: answerSchema?.properties ?? {}, required: answerSchema?.required ?? [] };
    default:
      return flavor satisfies never;
  }
};

/** Maximum tokens of the answer, by config or default. */
export const outputTokensOf = ({ maxOutputTokens = DEFAULT_OUTPUT_TOKENS }: AiConfig): number => maxOutputTokens;

/** Maximum wait for an answer, in milliseconds. Chosen: a day, so that a long queue does not fail steps. */
const LONGEST_MS = 86_400_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Result that the queue of model calls passed to the run. */
const endOf = ({ wokenBy }: StepRun): StepResult => {
  if (wokenBy === null) return { outcome: 'ai_unavailable', reason: 'no_answer' };
  const { kind, reason, output, usage } = wokenBy;
  return {
    outcome: kind === 'answered' ? 'ok' : 'ai_unavailable',
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(isRecord(output) ? { output } : {}),
    // Safe: only the queue of model calls resumes a run at such a step.
    ...(isRecord(usage) ? { usage: wokenBy['usage'] as StepUsage } : {}),
  };
};

/**
 * Asks a model for a text, a choice or values. The call runs in a separate queue while the run waits, so that a slow
 * model delays no other run. Without an answer the outcome is `ai_unavailable`, and the run continues.
 */
export const aiAction = defineStep({
  type: 'ai_action',
  renders: RENDERED.ai_action,
  config,
  run:
    (rawConfig, { run }) =>
    ({ now, askModel }) => {
      if (run.waitingSince !== null) return endOf(run);
      const answer = askModel();
      if (answer === null) return { outcome: 'ok', reason: 'sandbox', output: standInAnswer(questionOf(rawConfig)) };
      return { waitUntil: new Date(now.getTime() + LONGEST_MS), ...answer };
    },
});
