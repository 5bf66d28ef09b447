import { describe, expect, it } from 'vitest';
import type { ConditionInput, StepInput, WorkflowInput } from './index.ts';

describe('the types of workflows', () => {
  it('a workflow with branches and conditions has the type of workflows.create', () => {
    const workflow = {
      name: 'Welcome',
      trigger: { eventType: 'user.signed_up' },
      steps: [
        {
          type: 'branch',
          config: {
            branches: [
              {
                name: 'pro',
                when: [{ trait: 'plan', op: 'eq', value: 'pro' }, { not: { event: 'app.opened', op: 'performed' } }],
                steps: [{ type: 'wait', config: { minutes: 1 } }],
              },
            ],
          },
        },
      ],
    } satisfies WorkflowInput;
    expect(workflow.steps).toHaveLength(1);
  });

  it('mistakes in steps and conditions do not compile', () => {
    const mistakes = [
      // @ts-expect-error: an unknown step type
      () => ({ type: 'send_fax', config: {} }) satisfies StepInput,
      // @ts-expect-error: a misspelt key
      () => ({ type: 'send_sms', config: { boddy: 'Hi' } }) satisfies StepInput,
      // @ts-expect-error: an unknown operator
      () => ({ trait: 'plan', op: 'equals', value: 'pro' }) satisfies ConditionInput,
      // @ts-expect-error: a number compared with a text
      () => ({ trait: 'age', op: 'gt', value: '18' }) satisfies ConditionInput,
    ];
    expect(mistakes).toHaveLength(4);
  });
});
