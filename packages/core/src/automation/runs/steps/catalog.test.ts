import { describe, expect, it } from 'vitest';
import { fork, forkTypes } from '../../../../test/support/runs/steps/fork.ts';
import { fieldErrorsOf } from '../../../foundation/errors.ts';
import { catalogOf, STEP_TYPES } from './catalog.ts';
import { stepTypes } from './list.ts';
import { wait } from './wait/wait.ts';

const say = (text: string) => ({ type: 'say', config: { text } });
const nested = {
  type: 'fork',
  config: {
    ways: [
      { name: 'a.b', steps: [say('{{plan}}')] },
      { name: 'c', steps: [] },
    ],
    else: { steps: [say('hi'), { type: 'fork', config: { ways: [{ name: 'd', steps: [say('{{x}}')] }], take: 'd' } }] },
    take: 'c',
  },
};
const errorsIn = (step: unknown) => {
  const parsed = forkTypes.schema.safeParse(step);
  return parsed.success ? {} : fieldErrorsOf(parsed.error);
};

describe('stepTypes', () => {
  it('stepTypes has the types of the interface, each once, with common keys first', () => {
    const runnable = STEP_TYPES.filter((type) => stepTypes.find(type));
    expect(runnable).toEqual([
      'send_email',
      'send_push',
      'send_sms',
      'update_profile',
      'webhook',
      'branch',
      'wait',
      'ai_action',
    ]);
    expect(STEP_TYPES).toEqual(runnable);
    for (const type of runnable)
      expect(stepTypes.configOrder(type).keys.slice(0, 4)).toEqual(['name', 'onError', 'when', 'saveAs']);
  });

  it('stepTypes has no other type and no key order for one', () => {
    expect(stepTypes.find('dance')).toBe(undefined);
    expect(stepTypes.configOrder('dance').keys).toEqual([]);
    expect(stepTypes.armsOf({ type: 'dance', config: {} })).toEqual([]);
  });

  it('step types that send declare their channel', () => {
    expect(STEP_TYPES.map((type) => stepTypes.find(type)?.sends)).toEqual([
      'email',
      'push',
      'sms',
      ...Array(5).fill(undefined),
    ]);
  });
});

describe('awaitedIn', () => {
  const waits = (eventType: string) => ({
    type: 'wait',
    config: { event: { eventType, timeoutMinutes: 1, onTimeout: 'exit' } },
  });
  it('awaitedIn lists the events of all waits once, at any depth', () => {
    const inner = { type: 'fork', config: { take: 'a', ways: [{ name: 'a', steps: [waits('b'), waits('a')] }] } };
    const outer = {
      type: 'fork',
      config: { take: 'a', ways: [{ name: 'a', steps: [inner] }], else: { steps: [waits('c')] } },
    };
    const minutes = { type: 'wait', config: { minutes: 1 } };
    expect(catalogOf([fork, wait]).awaitedIn([waits('a'), outer, minutes, say('x')])).toEqual(['a', 'b', 'c']);
  });
});

describe('a step with arms', () => {
  it('nested steps are accepted unchanged', () => {
    expect(forkTypes.schema.parse(nested)).toEqual(nested);
  });

  it('an error in a nested step is rejected with its path', () => {
    const wrong = { ...say('x'), delayMinutes: -1 };
    const unfit = { type: 'say', config: { text: 1 } };
    const config = { take: 'a', ways: [{ name: 'a', steps: [say('x'), wrong] }], else: { steps: [unfit] } };
    expect(Object.keys(errorsIn({ type: 'fork', config }))).toEqual([
      'config.ways.0.steps.1.delayMinutes',
      'config.else.steps.0.config.text',
    ]);
  });

  it('unknown and unsupported types of nested steps are reported', () => {
    const within = (type: string) =>
      errorsIn({ type: 'fork', config: { take: '', ways: [], else: { steps: [{ type, config: {} }] } } });
    const path = 'config.else.steps.0.type';
    expect(within('branch')).toEqual({ [path]: ['unsupported step type branch'] });
    expect(within('dance')).toEqual({ [path]: [`must be one of ${STEP_TYPES.join(', ')}, fork, say`] });
  });

  it('nested steps count toward the hundred steps', () => {
    const inArm = (count: number) => ({
      type: 'fork',
      config: { take: '', ways: [{ name: 'a', steps: [say('x')] }], else: { steps: Array(count).fill(say('x')) } },
    });
    const refused = (...steps: unknown[]) => {
      const { error } = forkTypes.steps.safeParse(steps);
      return error ? fieldErrorsOf(error) : {};
    };
    expect(refused(inArm(97), say('x'))).toEqual({});
    expect(Object.values(refused(inArm(97), say('x'), say('x')))).toEqual([['must hold at most 100 in all']]);
    expect(Object.keys(refused(inArm(101)))).toEqual(['0.config.else.steps']);
    expect(Object.values(refused(...Array(101).fill(say('x')))).map((errors) => errors.length)).toEqual([1]);
  });

  it('steps with arms nest at most five levels', () => {
    const nestedIn = (levels: number): object =>
      levels === 0
        ? say('x')
        : { type: 'fork', config: { take: '', ways: [{ name: 'a', steps: [nestedIn(levels - 1)] }] } };
    expect(forkTypes.steps.safeParse([nestedIn(5)]).success).toBe(true);
    expect(forkTypes.steps.safeParse([say('x'), nestedIn(6)]).error?.issues).toMatchObject([
      { message: 'must be at most 5 levels deep' },
    ]);
  });

  it('a saveAs that an earlier step may have used is rejected', () => {
    const saving = (saveAs: string) => ({ type: 'say', config: { text: 'x', saveAs } });
    const fork = (ways: readonly (readonly object[])[], rest: object) => ({
      type: 'fork',
      config: { take: '', ways: ways.map((steps) => ({ name: 'w', steps })), else: rest },
    });
    const refused = (...steps: unknown[]) => {
      const { error } = forkTypes.steps.safeParse(steps);
      return error ? fieldErrorsOf(error) : {};
    };
    expect(refused(saving('a'), saving('b'), saving('a'))).toEqual({
      '2.config.saveAs': ['is already the saveAs of steps.0, which may run before'],
    });
    expect(refused(fork([[saving('a')], [saving('a')]], { steps: [saving('a')] }))).toEqual({});
    expect(refused(fork([[saving('a')]], { steps: [] }), saving('a'))).toEqual({
      '1.config.saveAs': ['is already the saveAs of steps.0.config.ways.0.steps.0, which may run before'],
    });
    expect(Object.keys(refused(saving('a'), fork([], { steps: [saving('a')] })))).toEqual([
      '1.config.else.steps.0.config.saveAs',
    ]);
    expect(refused(fork([], { steps: [saving('a')], exit: true }), saving('a'))).toEqual({});
  });

  it('reading an output that no earlier step saves is reported', () => {
    const reads = (...names: string[]) => ({
      type: 'say',
      config: { text: names.map((name) => `{{steps.${name}.x}}`).join('') },
    });
    const steps = [
      reads('a'),
      { type: 'say', config: { text: 'x', saveAs: 'a' } },
      { type: 'fork', config: { take: '', ways: [], else: { steps: [reads('a', 'b')] }, saveAs: 'b' } },
    ];
    expect([...forkTypes.findings(steps, 'steps')].map(({ path, message }) => [path, message])).toEqual([
      ['steps.0.config.text', 'No step before this one saves steps.a, so {{steps.a.x}} renders empty.'],
    ]);
  });

  it('warnings have the path of the text at any depth', () => {
    expect([...forkTypes.findings([nested], 'steps')].map(({ path, code }) => [path, code])).toEqual([
      ['steps.0.config.ways.0.steps.0.config.text', 'unknown_variable'],
      ['steps.0.config.else.steps.1.config.ways.0.steps.0.config.text', 'unknown_variable'],
    ]);
  });
});
