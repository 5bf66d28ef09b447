import type { Mutant } from '../../../test/mutant.ts';

const CONTROL = ['packages/core/src/runs/control.db.test.ts'];

/** Rules of cancelling and retrying runs. */
export const mutantsOfControl: readonly Mutant[] = [
  {
    says: 'a run is cancelled where it was read to stand, and while something is due',
    file: 'hot.ts',
    find: "when: (column) => `${column('due_at')} is not null`,\n    isGuarded: true,\n  }),\n  /** A run that is over",
    replace: "when: () => 'true',\n    isGuarded: true,\n  }),\n  /** A run that is over",
    tests: CONTROL,
  },
  {
    says: "a cancelled run is in no worker's hands",
    file: 'hot.ts',
    find: "leaseUntil: 'null',\n      fence: 'increment',",
    replace: "waitingSince: 'null',",
    tests: CONTROL,
  },
  {
    says: 'a run is tried again once, of many who ask',
    file: 'hot.ts',
    find: "when: (column) => `${column('due_at')} is null`,\n    isGuarded: true,",
    replace: "when: (column) => `${column('due_at')} is null`,\n    isGuarded: false,",
    tests: CONTROL,
  },
  {
    says: 'a cancelled run is not tried again',
    file: 'control.ts',
    find: 'if (!hasFailedStep(run) || run.error === TOO_DEEP || run.error === FAN_OUT)',
    replace: 'if (false)',
    tests: CONTROL,
  },
  {
    says: 'a run that is over is not cancelled',
    file: 'control.ts',
    find: "if (run.dueAt === null) throw conflict('final', { status: run.status });",
    replace: '',
    tests: CONTROL,
  },
  {
    says: 'what went wrong before the step that is tried again counts',
    file: 'control.ts',
    find: "return [...last.values()].includes('error') ? 'partial' : null;",
    replace: 'return null;',
    tests: CONTROL,
  },
  {
    says: 'a step that is tried again does not count as failed',
    file: 'control.ts',
    find: 'last.delete(cursor);',
    replace: '',
    tests: CONTROL,
  },
  {
    says: 'a run of somebody anonymous is tried again as the user that they are',
    file: 'control.ts',
    find: 'return userId === null ? run.person : userPerson(userId);',
    replace: 'return run.person;',
    tests: CONTROL,
  },
  {
    says: 'a run that is tried again follows who was merged meanwhile',
    file: 'control.ts',
    find: 'await follow(scope, id);',
    replace: '',
    tests: CONTROL,
  },
];
