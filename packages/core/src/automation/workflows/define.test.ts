import { describe, expect, expectTypeOf, it } from 'vitest';
import type { StepConfigs } from '../runs/steps/input.ts';
import type { BundleInput, WorkflowInput } from './api.ts';
import { defineWorkflow, type WorkflowDefinition } from './define.ts';
import { parseWorkflow } from './schema.ts';

const trigger = { eventType: 'order.placed' } as const;
/** A workflow of one step. Each call checks the types of its own steps. */
const withSteps = (steps: WorkflowDefinition['steps']) => ({ name: 'Orders', trigger, steps });

const orders = defineWorkflow({
  $schema: './node_modules/@beckon/core/workflow.schema.json',
  name: 'Orders',
  description: 'Thanks customers and asks for a review.',
  trigger: { eventType: 'order.placed', filters: { country: 'nz' } },
  isActive: true,
  steps: [
    {
      type: 'send_email',
      config: { subject: 'Thanks, {{trait.name}}', text: 'It is on its way.', tracking: { opens: true } },
    },
    {
      type: 'send_push',
      config: { title: 'Thanks', data: { order: 17 }, actions: [{ id: 'a', title: 'Open' }] },
      delayMinutes: 5,
    },
    { type: 'send_sms', config: { body: 'Thanks', when: [{ trait: 'phone_ok', op: 'eq', value: true }] } },
    { type: 'update_profile', config: { set: { buyer: true, tags: ['new', { level: 1 }] }, increment: { orders: 1 } } },
    { type: 'wait', config: { event: { eventType: 'order.delivered', timeoutMinutes: 60, onTimeout: 'continue' } } },
    { type: 'wait', config: { window: { days: ['mon', 'tue'], from: '09:00', to: '17:00', timezone: 'user' } } },
    { type: 'wait', config: { until: '{{trait.renews_at}}', offsetMinutes: -60, timezone: 'org' } },
    {
      type: 'ai_action',
      config: { flavor: 'decide', saveAs: 'mood', prompt: 'How was it?', options: [{ name: 'good' }, { name: 'bad' }] },
    },
    {
      type: 'branch',
      config: {
        branches: [
          {
            name: 'happy',
            when: {
              all: [{ path: 'steps.mood.choice', op: 'eq', value: 'good' }, { not: { trait: 'plan', op: 'set' } }],
            },
            steps: [
              { type: 'webhook', config: { url: 'https://shop.example/review', body: { order: '{{event.id}}' } } },
              {
                type: 'branch',
                config: { split: [{ name: 'all', weight: 100, steps: [{ type: 'wait', config: { minutes: 1 } }] }] },
              },
            ],
          },
          {
            name: 'regulars',
            when: { event: 'order.placed', op: 'performed', count: { gte: 3 }, within: { n: 30, unit: 'days' } },
            steps: [],
            exit: true,
          },
        ],
        else: { steps: [] },
      },
    },
  ],
});

describe('defineWorkflow', () => {
  it('a workflow is returned as it was passed, and the parser accepts it', () => {
    const workflow = { name: 'A', trigger, steps: [] } as const;
    expect(defineWorkflow(workflow)).toBe(workflow);
    expect(parseWorkflow(orders).steps).toHaveLength(9);
  });

  it('the name and the event of a defined workflow are literal types', () => {
    expectTypeOf(orders.name).toEqualTypeOf<'Orders'>();
    expectTypeOf(orders.trigger.eventType).toEqualTypeOf<'order.placed'>();
    expectTypeOf(orders).toExtend<WorkflowInput>();
  });

  it('mistakes in a workflow do not compile', () => {
    const mistakes = [
      // @ts-expect-error: no steps
      () => defineWorkflow({ name: 'A', trigger }),
      // @ts-expect-error: no name
      () => defineWorkflow({ trigger, steps: [] }),
      // @ts-expect-error: a misspelt key of the workflow
      () => defineWorkflow({ name: 'A', trigger, steps: [], isactive: true }),
      // @ts-expect-error: a misspelt key of the trigger
      () => defineWorkflow({ name: 'A', trigger: { eventType: 'a', filter: { a: 'b' } }, steps: [] }),
      // @ts-expect-error: a filter that is not a text
      () => defineWorkflow({ name: 'A', trigger: { eventType: 'a', filters: { total: 12 } }, steps: [] }),
      // @ts-expect-error: a bundle in place of a workflow
      () => defineWorkflow({ version: 1, exportedAt: '', workflows: [] }),
    ];
    expect(mistakes).toHaveLength(6);
  });

  it('mistakes in steps do not compile', () => {
    const mistakes = [
      // @ts-expect-error: an unknown step type
      () => withSteps([{ type: 'send_fax', config: {} }]),
      // @ts-expect-error: a step without a config
      () => withSteps([{ type: 'wait' }]),
      // @ts-expect-error: a misspelt key of a step
      () => withSteps([{ type: 'wait', config: { minutes: 1 }, delayMinute: 1 }]),
      // @ts-expect-error: a misspelt key of a config
      () => withSteps([{ type: 'send_email', config: { subjct: 'Hi', text: 'Hi' } }]),
      // @ts-expect-error: an email without a body
      () => withSteps([{ type: 'send_email', config: { subject: 'Hi' } }]),
      // @ts-expect-error: an email with two HTML bodies
      () => withSteps([{ type: 'send_email', config: { html: '<p>', bodyHtml: '<p>' } }]),
      // @ts-expect-error: a field of another channel
      () => withSteps([{ type: 'send_sms', config: { body: 'Hi', subject: 'Hi' } }]),
      // @ts-expect-error: an SMS without a text
      () => withSteps([{ type: 'send_sms', config: { maxSegments: 2 } }]),
      // @ts-expect-error: a push without content
      () => withSteps([{ type: 'send_push', config: { badge: 1 } }]),
      // @ts-expect-error: a misspelt key of an action button
      () => withSteps([{ type: 'send_push', config: { title: 'Hi', actions: [{ id: 'a', label: 'Open' }] } }]),
      // @ts-expect-error: an unknown platform
      () => withSteps([{ type: 'send_push', config: { title: 'Hi', platforms: ['windows'] } }]),
      // @ts-expect-error: a profile update that changes nothing
      () => withSteps([{ type: 'update_profile', config: { name: 'Nothing' } }]),
      // @ts-expect-error: a trait that is not JSON
      () => withSteps([{ type: 'update_profile', config: { set: { since: new Date(0) } } }]),
      // @ts-expect-error: a webhook without a URL
      () => withSteps([{ type: 'webhook', config: { method: 'POST' } }]),
      // @ts-expect-error: a wait for nothing
      () => withSteps([{ type: 'wait', config: {} }]),
      // @ts-expect-error: a wait for two things
      () => withSteps([{ type: 'wait', config: { minutes: 1, until: '2027-01-01' } }]),
      // @ts-expect-error: an awaited event without a timeout
      () => withSteps([{ type: 'wait', config: { event: { eventType: 'a', onTimeout: 'exit' } } }]),
      // @ts-expect-error: an offset without a date
      () => withSteps([{ type: 'wait', config: { minutes: 1, offsetMinutes: 5 } }]),
      // @ts-expect-error: a choice without options
      () => withSteps([{ type: 'ai_action', config: { flavor: 'decide', saveAs: 'a', prompt: 'b' } }]),
      // @ts-expect-error: an AI step whose result has no name
      () => withSteps([{ type: 'ai_action', config: { flavor: 'generate', prompt: 'b' } }]),
    ];
    expect(mistakes).toHaveLength(20);
  });

  it('mistakes in conditions do not compile', () => {
    const when = (condition: StepConfigs['wait']['when']) => condition;
    const mistakes = [
      // @ts-expect-error: an unknown operator
      () => when({ trait: 'plan', op: 'equals', value: 'pro' }),
      // @ts-expect-error: a number compared with a text
      () => when({ trait: 'age', op: 'gt', value: '18' }),
      // @ts-expect-error: an operator without its value
      () => when({ trait: 'plan', op: 'eq' }),
      // @ts-expect-error: a condition about nothing
      () => when({ op: 'set' }),
      // @ts-expect-error: an unknown unit of time
      () => when({ event: 'a', op: 'performed', within: { n: 1, unit: 'years' } }),
      // @ts-expect-error: an operator of traits for an event
      () => when({ event: 'a', op: 'eq' }),
      // @ts-expect-error: a misspelt group
      () => when({ every: [{ trait: 'plan', op: 'set' }] }),
      // @ts-expect-error: a mistake within groups
      () => when({ any: [{ not: { all: [{ trait: 'plan', op: 'equals', value: 'pro' }] } }] }),
    ];
    expect(mistakes).toHaveLength(8);
  });

  it('mistakes in branches do not compile, also not in nested ones', () => {
    const when = { trait: 'plan', op: 'eq', value: 'pro' } as const;
    const branch = (config: StepConfigs['branch']) => withSteps([{ type: 'branch', config }]);
    const nested = (steps: WorkflowDefinition['steps']) => branch({ branches: [{ name: 'a', when, steps }] });
    const mistakes = [
      // @ts-expect-error: neither branches nor a split
      () => branch({ else: { steps: [] } }),
      // @ts-expect-error: branches and a split
      () => branch({ branches: [{ name: 'a', when, steps: [] }], split: [] }),
      // @ts-expect-error: a branch without a condition
      () => branch({ branches: [{ name: 'a', steps: [] }] }),
      // @ts-expect-error: an unknown step type in a branch
      () => branch({ branches: [{ name: 'a', when, steps: [{ type: 'delay', config: {} }] }] }),
      // @ts-expect-error: a misspelt key in a branch
      () => branch({ branches: [{ name: 'a', when, step: [] }] }),
      // @ts-expect-error: a misspelt key in a nested split
      () => nested([{ type: 'branch', config: { split: [{ name: 'b', wieght: 1, steps: [] }] } }]),
    ];
    expect(mistakes).toHaveLength(6);
  });

  it('a defined workflow is accepted where a workflow is created, imported and simulated', () => {
    const create = (workflow: WorkflowInput) => workflow;
    const bundle = (input: BundleInput) => input;
    expect(create(orders)).toBe(orders);
    const whole = { ...orders, description: null, isActive: true };
    expect(bundle({ version: 1, exportedAt: '', workflows: [whole] }).workflows).toHaveLength(1);
  });
});
