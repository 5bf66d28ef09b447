import type { WorkflowInput } from '../../../api-input.ts';
import type { Random } from './random.ts';

/** What starts workflows, and what some of them wait for. */
export const EVENTS = ['a', 'b', 'c'] as const;
const MAX_STEPS = 4;
/** Delays and waits, in minutes: at once, by the hour, over a change of the clocks, and most of a year. */
const MINUTES = [0, 0, 1, 30, 1_440, 20_160, 259_200] as const;

type StepInput = WorkflowInput['steps'][number];

const stepOf = (random: Random): StepInput => {
  const delay = random.chance(0.3) ? { delayMinutes: random.pick(MINUTES) } : {};
  const onError = random.chance(0.2) ? { onError: 'stop' as const } : {};
  const kind = random.int(0, 9);
  if (kind < 4) return { type: 'update_profile', config: { increment: { steps: 1 } }, ...delay };
  if (kind < 7) return { type: 'send_email', config: { subject: 'Hello', text: 'There', ...onError }, ...delay };
  if (kind < 9) return { type: 'wait', config: { minutes: random.pick(MINUTES) }, ...delay };
  const event = {
    eventType: random.pick(EVENTS),
    timeoutMinutes: random.pick(MINUTES) + 1,
    onTimeout: random.pick(['continue', 'exit'] as const),
    ...(random.chance(0.5) ? { filters: { n: '1' } } : {}),
  };
  return { type: 'wait', config: { event }, ...delay };
};

export const stepsOf = (random: Random): StepInput[] =>
  Array.from({ length: random.int(0, MAX_STEPS) }, () => stepOf(random));

export const workflowOf = (random: Random, name: string): WorkflowInput => ({
  name,
  trigger: { eventType: random.pick(EVENTS) },
  steps: stepsOf(random),
  isActive: random.chance(0.9),
});
