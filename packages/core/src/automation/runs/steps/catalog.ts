import { z } from 'zod';
import type { Channel } from '../../../foundation/channel.ts';
import type { Condition } from '../../../people/audiences/predicate/types.ts';
import type { ArmsOf, StoredStep } from '../cursor.ts';
import { unknownOutputs } from './condition.ts';
import { MAX_DELAY_MINUTES } from './fields.ts';
import { type KeyOrder, keyOrderOf, NO_ORDER } from './key-order.ts';
import type { Finding, NestedSteps, StepDefinition } from './step.ts';
import { placeholderFindings } from './variables.ts';
import { type Visit, walkSteps } from './walk.ts';

/** Maximum steps of a workflow, including nested ones. Source: contract, Workflows. */
const MAX_STEPS = 100;
/** Maximum nesting of steps with arms. Source: contract, Workflows. */
const MAX_DEPTH = 5;

/** All types of the interface, whether this version runs them or not. */
export const STEP_TYPES = [
  'send_email',
  'send_push',
  'send_sms',
  'update_profile',
  'webhook',
  'branch',
  'wait',
  'ai_action',
] as const;

type Delay = { delayMinutes?: number | undefined };
/** A stored step of a definition's type. */
type StepOf<Definition> =
  Definition extends StepDefinition<infer Type, infer Config>
    ? { type: Type; config: z.output<Config> } & Delay
    : never;
/** A step of a definition's type as input. */
type InputOf<Definition> =
  Definition extends StepDefinition<infer Type, infer Config> ? { type: Type; config: z.input<Config> } & Delay : never;

const delayMinutes = z
  .int()
  .min(0)
  .max(MAX_DELAY_MINUTES)
  .optional()
  .describe('Minutes before the step starts. At most 525,600. Default: 0.');
const typeOf = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;

/** Builds everything about step types from their list. Throws nothing. */
export const catalogOf = <const Definitions extends readonly [StepDefinition, ...(readonly StepDefinition[])]>(
  definitions: Definitions,
) => {
  const nested: NestedSteps = z.lazy(() => z.array(schema).max(MAX_STEPS));
  const orders = new Map(definitions.map(({ type, config }) => [type, keyOrderOf(config(nested))]));
  const byType = new Map<string, StepDefinition>(definitions.map((one) => [one.type, one]));
  const names: readonly string[] = [...new Set<string>([...STEP_TYPES, ...byType.keys()])];

  const memberOf = ({ type, config }: StepDefinition) =>
    z.strictObject({
      type: z.literal(type).describe('Type of the step.'),
      config: config(nested).describe('Settings of the step.'),
      delayMinutes,
    });
  const [first, ...others] = definitions;
  const members = [memberOf(first), ...others.map(memberOf)] as const;
  const union = z.discriminatedUnion('type', members, {
    error: ({ code, input }) => {
      if (code !== 'invalid_union') return undefined;
      const type = typeOf(input);
      return names.some((name) => name === type)
        ? `unsupported step type ${type}`
        : `must be one of ${names.join(', ')}`;
    },
  });
  // Safe: the union has one member per definition, with its type and config.
  const schema = union as unknown as z.ZodType<StepOf<Definitions[number]>, InputOf<Definitions[number]>>;

  const find = (type: string): StepDefinition | undefined => byType.get(type);
  const armsOf: ArmsOf = ({ type, config }) => find(type)?.arms?.(config) ?? [];

  const countOf = (list: readonly StoredStep[]): number =>
    list.reduce((sum, step) => armsOf(step).reduce((inner, arm) => inner + countOf(arm.steps), sum + 1), 0);
  const depthOf = (list: readonly StoredStep[]): number =>
    Math.max(0, ...list.flatMap(armsOf).map((arm) => 1 + depthOf(arm.steps)));
  const steps = z
    .array(schema)
    .max(MAX_STEPS)
    .refine((list) => countOf(list) <= MAX_STEPS, `must hold at most ${MAX_STEPS} in all`)
    .refine((list) => depthOf(list) <= MAX_DEPTH, `must be at most ${MAX_DEPTH} levels deep`)
    .superRefine((list, { addIssue }) => {
      for (const { step, path, saved } of walkSteps(list, '', armsOf)) {
        const { saveAs } = step.config;
        const first = typeof saveAs === 'string' ? saved.get(saveAs) : undefined;
        if (first === undefined) continue;
        const message = `is already the saveAs of steps.${first}, which may run before`;
        addIssue({ code: 'custom', path: [...path.split('.'), 'config', 'saveAs'], message });
      }
    });

  function* findingsOf({ step, path, saved }: Visit, lacking: ReadonlySet<Channel>): Generator<Finding> {
    const definition = find(step.type);
    const channel = definition?.sends;
    if (channel !== undefined && lacking.has(channel))
      yield {
        path: `${path}.type`,
        code: 'no_provider',
        message: `This project has no provider of ${channel}; the step ends as error.`,
      };
    const { when } = step.config;
    // Safe: the schema of conditions produced every stored `when`.
    if (when !== undefined) yield* unknownOutputs(when as Condition, `${path}.config.when`, saved);
    for (const one of definition?.check?.(step.config, saved) ?? [])
      yield { ...one, path: `${path}.config.${one.path}` };
    const nested = new Set(armsOf(step).map(({ at }) => at));
    for (const one of placeholderFindings(step.config, definition?.renders ?? [], saved, (at) => nested.has(at)))
      yield { ...one, path: `${path}.config.${one.path}` };
  }
  function* findings(
    list: readonly StoredStep[],
    path: string,
    lacking: ReadonlySet<Channel> = new Set(),
  ): Generator<Finding> {
    for (const visit of walkSteps(list, path, armsOf)) yield* findingsOf(visit, lacking);
  }

  /** Names of the events that these steps and nested ones may wait for. */
  const awaitedIn = (list: readonly StoredStep[]): readonly string[] => [
    ...new Set(
      list
        .flatMap((step) => [
          find(step.type)?.awaits?.(step.config) ?? [],
          ...armsOf(step).map((arm) => awaitedIn(arm.steps)),
        ])
        .flat(),
    ),
  ];

  return {
    awaitedIn,
    /** Schema of one step. */
    schema,
    /** Schemas of one step of each type, in the order of the list. */
    members,
    /** Schema of a workflow's steps. */
    steps,
    /** Undefined for a type that this version cannot run. */
    find,
    armsOf,
    /** Key order of a type's config in bundles. */
    configOrder: (type: string): KeyOrder => orders.get(type) ?? NO_ORDER,
    /** Import warnings of the steps at `path` and nested ones, for channels without a provider. */
    findings,
  };
};

/** The parts of a catalog for running, checking and printing steps. */
export type StepCatalog = {
  /** Undefined for a type that this version cannot run. */
  find(type: string): StepDefinition | undefined;
  readonly armsOf: ArmsOf;
  /** Key order of a type's config in bundles. */
  configOrder(type: string): KeyOrder;
  /** Import warnings of the steps at `path`, for channels without a provider. */
  findings(list: readonly StoredStep[], path: string, lacking?: ReadonlySet<Channel>): Iterable<Finding>;
};
