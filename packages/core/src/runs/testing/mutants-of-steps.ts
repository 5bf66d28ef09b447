import type { Mutant } from '../../../test/mutant.ts';

const ADVANCE = ['packages/core/src/runs/advance.test.ts'];
const CATALOG = ['packages/core/src/runs/steps/catalog.test.ts'];

/** Rules of what steps save, and of the ways through them. */
export const mutantsOfSteps: readonly Mutant[] = [
  {
    says: 'an output that a run has no room for is left out',
    file: 'advance.ts',
    find: '<= MAX_CONTEXT_BYTES) return',
    replace: '<= 2 * MAX_CONTEXT_BYTES) return',
    tests: ADVANCE,
  },
  {
    says: 'a step says that its output was left out',
    file: 'advance.ts',
    find: "done: { reason: 'output_too_large', ...done }",
    replace: 'done',
    tests: ADVANCE,
  },
  {
    says: 'what a step has to say itself goes first',
    file: 'advance.ts',
    find: "{ reason: 'output_too_large', ...done }",
    replace: "{ ...done, reason: 'output_too_large' }",
    tests: ADVANCE,
  },
  {
    says: 'a send saves its id',
    file: 'advance.ts',
    find: 'output ?? (sendId === undefined ? undefined : { sendId })',
    replace: 'output',
    tests: ADVANCE,
  },
  {
    says: 'behind an arm that leaves the run nothing is done',
    file: 'cursor.ts',
    find: 'if (exitOf(steps, parts, armsOf) !== null) return null;',
    replace: '',
    tests: ADVANCE,
  },
  {
    says: 'an arm without steps leaves the run all the same',
    file: 'cursor.ts',
    find: 'return arm.exit === undefined ? pathAfter(steps, path, armsOf) : null;',
    replace: 'return pathAfter(steps, path, armsOf);',
    tests: ADVANCE,
  },
  {
    says: 'a run that left says why',
    file: 'advance.ts',
    find: 'return ended({ ...run, outcome }, now, { exitReason });',
    replace: 'return ended({ ...run, outcome }, now, {});',
    tests: ADVANCE,
  },
  {
    says: 'a name is saved under by one step of a way',
    file: 'steps/catalog.ts',
    find: 'if (first === undefined) continue;',
    replace: 'continue;',
    tests: CATALOG,
  },
  {
    says: 'arms beside each other may save under one name',
    file: 'steps/walk.ts',
    find: 'armsOf, saved);\n      if',
    replace: 'armsOf, behind.at(-1) ?? saved);\n      if',
    tests: CATALOG,
  },
  {
    says: 'what stands behind an arm that leaves the run may save under its names',
    file: 'steps/walk.ts',
    find: 'if (arm.exit === undefined) behind',
    replace: 'behind',
    tests: CATALOG,
  },
  {
    says: 'a send takes along what its texts name of what steps saved',
    file: 'steps/scopes.ts',
    find: 'named.steps.size > 0 ?',
    replace: 'named.steps.size > 9 ?',
    tests: ['packages/core/src/runs/steps/scopes.test.ts'],
  },
];
