import type { Mutant } from '../../../test/mutant.ts';

const READS = ['packages/core/src/sending/read/reads.db.test.ts'];
const HEALTH = ['packages/core/src/sending/read/health.db.test.ts'];

/** Rules of what is read of sends, for `npm run campaign -- mutants sending`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'messages of a page are counted up to a bound',
    file: 'sends.ts',
    find: 'return left < 0 ? [] : [id];',
    replace: 'return [id];',
    tests: READS,
  },
  {
    says: 'an open send shows what its attempts fail with',
    file: 'sends.ts',
    find: 'open.length === 0 ? [] : store.problemsOf(scope, open)',
    replace: '[]',
    tests: READS,
  },
  {
    says: 'a list is filtered by user',
    file: 'sends.ts',
    find: 'userId === undefined ? null : userPerson(userId)',
    replace: 'null',
    tests: READS,
  },
  {
    says: 'a total is told only where it is asked for',
    file: 'sends.ts',
    find: 'count === true ? reads.count() : undefined',
    replace: 'reads.count()',
    tests: READS,
  },
  {
    says: 'the subject of a mail is called so',
    file: 'view.ts',
    find: "row.channel === 'email'",
    replace: "row.channel === 'sms'",
    tests: READS,
  },
  {
    says: 'a new send tells why some of its messages were suppressed',
    file: 'view.ts',
    find: 'standing: messages.map(',
    replace: 'standing: messages.slice(0, 0).map(',
    tests: READS,
  },
  {
    says: 'a message that is tried again counts as failed',
    file: 'health.ts',
    find: "isWaiting(one) ? { ...one, status: 'failed' as const } : one",
    replace: 'one',
    tests: HEALTH,
  },
  {
    says: 'of a send whose open messages are all deferred nothing could have gone',
    file: '../store.ts',
    find: ' + ${sends.suppressed} + ${sends.deferred} < ${sends.targeted}',
    replace: ' + ${sends.suppressed} < ${sends.targeted}',
    tests: HEALTH,
  },
  {
    says: 'a message that was put off waits from when it could go',
    file: 'pace.ts',
    find: 'mayGoAt?.getTime() ?? 0',
    replace: '0',
  },
  {
    says: 'a pace is that of the last seconds',
    file: 'pace.ts',
    find: 'sentAt.getTime() > nowMs - PACE_MS',
    replace: 'sentAt.getTime() > 0',
  },
];
