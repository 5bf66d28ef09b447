import type { Mutant } from '../../../test/mutant.ts';

/** Rules of steps in hand, and of those that one run takes in one commit. */
export const mutantsOfTurns: readonly Mutant[] = [
  {
    says: 'steps that are due at once are taken in one commit',
    file: 'dispatch.ts',
    find: 'const MAX_STEPS = 32;',
    replace: 'const MAX_STEPS = 1;',
  },
  {
    says: 'so many of them and no more',
    file: 'dispatch.ts',
    find: 'const MAX_STEPS = 32;',
    replace: 'const MAX_STEPS = 100;',
  },
  {
    says: 'a step sees on disk what the one before it changed of its person',
    file: 'plan.ts',
    find: ' || person?.current !== person?.stored) return null;',
    replace: ') return null;',
  },
  {
    says: 'a step that asks for audiences or events is taken once what the one before it caused is on disk',
    file: 'dispatch.ts',
    find: 'asksDatabase ? null : found',
    replace: 'found',
  },
  {
    says: 'a step behind the first is run once, however often it is planned',
    file: 'dispatch.ts',
    find: 'known === undefined ? begins(run, seen, profile) : known',
    replace: 'begins(run, seen, profile)',
  },
  {
    says: 'steps that the database refused together come one by one',
    file: 'dispatch.ts',
    find: 'isTried ? 1 :',
    replace: '',
  },
  {
    says: 'a step behind the first began no later than it ended',
    file: 'plan.ts',
    find: 'begun === due.begun ? step.startedAt : now',
    replace: 'step.startedAt',
  },
  {
    says: 'many runs share the steps of one commit',
    file: 'dispatch.ts',
    find: 'Math.min(MAX_STEPS, Math.ceil(MAX_STEPS_OF_ALL / due.length))',
    replace: 'MAX_STEPS',
  },
  {
    says: 'reactions are asked of those alone whose steps changed somebody',
    file: 'effects.ts',
    find: 'if (changes.length === 0) return;',
    replace: '',
  },
  {
    says: 'the end of a run tells of every step that it took in that plan',
    file: 'effects.ts',
    find: 'taken.set(key, steps);',
    replace: '',
  },
  {
    says: 'a step that ran is reported before another one is put back',
    file: 'dispatch.ts',
    find: '      const failure = (await Promise.allSettled(each))',
    replace: '      await Promise.all(each);\n      const failure = (await Promise.allSettled(each))',
  },
];
