import type { WorkflowInput } from '../../../../src/automation/workflows/api.ts';
import { type Hook, MODELS, type Outside } from './outside.ts';
import type { Random } from './random.ts';

/** Events that start workflows, and that some of them wait for. */
export const EVENTS = ['a', 'b', 'c'] as const;
const MAX_STEPS = 4;
/** Delays and waits in minutes: none, an hour, over a clock change, and most of a year. */
const MINUTES = [0, 0, 1, 30, 1_440, 20_160, 259_200] as const;

const HOOK_NAMES = ['taken', 'second', 'later', 'refused'] as const satisfies readonly Hook[];

type StepInput = WorkflowInput['steps'][number];

/** Half of the events satisfy this condition. */
const WHEN = { path: 'event.n', op: 'gte', value: 1 } as const;
/** From nine to five, in a zone without clock changes. */
export const WINDOW = { from: '09:00', to: '17:00', timezone: 'UTC' };

const branchOf = (random: Random, urlOf: Outside['urlOf'], depth: number): StepInput => {
  const arm = () => ({ steps: Array.from({ length: random.int(0, 2) }, () => stepOf(random, urlOf, depth + 1)) });
  const config = random.chance(0.5)
    ? {
        branches: [0, 1].map((n) => ({ name: `n is ${n}`, when: { path: 'event.n', op: 'eq', value: n }, ...arm() })),
        ...(random.chance(0.5) ? { else: arm() } : {}),
      }
    : { split: ['a', 'b'].map((name) => ({ name, weight: 50, ...arm() })) };
  // Safe: the schema rejects anything else.
  return { type: 'branch', config } as StepInput;
};

const stepOf = (random: Random, urlOf: Outside['urlOf'], depth = 0): StepInput => {
  if (depth < 2 && random.chance(0.15)) return branchOf(random, urlOf, depth);
  const step = plainStepOf(random, urlOf);
  // Safe: `when` is a key of every config.
  return random.chance(0.15) ? ({ ...step, config: { ...step.config, when: WHEN } } as StepInput) : step;
};

const plainStepOf = (random: Random, urlOf: Outside['urlOf']): StepInput => {
  const delay = random.chance(0.3) ? { delayMinutes: random.pick(MINUTES) } : {};
  const onError = random.chance(0.2) ? { onError: 'stop' as const } : {};
  const kind = random.int(0, 11);
  if (kind < 4) return { type: 'update_profile', config: { increment: { steps: 1 } }, ...delay };
  if (kind < 7) return { type: 'send_email', config: { subject: 'Hello', text: 'There', ...onError }, ...delay };
  if (kind < 8) return { type: 'wait', config: { minutes: random.pick(MINUTES) }, ...delay };
  if (kind < 9) return { type: 'wait', config: { window: WINDOW }, ...delay };
  if (kind < 10) return { type: 'webhook', config: { url: urlOf(random.pick(HOOK_NAMES)), ...onError }, ...delay };
  if (kind < 11) {
    const config = { flavor: 'generate', prompt: 'n is {{event.n}}', saveAs: `s${random.int(1, 1_000_000)}` } as const;
    return { type: 'ai_action', config: { ...config, model: random.pick(MODELS) }, ...delay };
  }
  const event = {
    eventType: random.pick(EVENTS),
    timeoutMinutes: random.pick(MINUTES) + 1,
    onTimeout: random.pick(['continue', 'exit'] as const),
    ...(random.chance(0.5) ? { filters: { n: '1' } } : {}),
  };
  return { type: 'wait', config: { event }, ...delay };
};

export const stepsOf = (random: Random, urlOf: Outside['urlOf']): StepInput[] =>
  Array.from({ length: random.int(0, MAX_STEPS) }, () => stepOf(random, urlOf));

export const workflowOf = (random: Random, name: string, urlOf: Outside['urlOf']): WorkflowInput => ({
  name,
  trigger: { eventType: random.pick(EVENTS) },
  steps: stepsOf(random, urlOf),
  isActive: random.chance(0.9),
});
