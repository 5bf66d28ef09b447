import type { Mutant } from '../../../test/mutant.ts';

const AUDIENCE = ['packages/core/src/sending/expand/audience.db.test.ts'];

/** Rules of sends to audiences. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a send to an audience goes on behind the last member',
    file: 'expand.ts',
    find: 'expandedPerson: next.person,',
    replace: 'expandedPerson: null,',
    tests: AUDIENCE,
  },
  {
    says: 'the other devices of a member follow, whoever has left',
    file: 'parts.ts',
    find: 'if (after !== null && person !== null)',
    replace: 'if (after === undefined && person !== null)',
    tests: AUDIENCE,
  },
  {
    says: 'an audience that is being computed is waited for',
    file: 'expand.ts',
    find: '?.isReady !== false',
    replace: ' !== undefined',
    tests: AUDIENCE,
  },
  {
    says: 'a send to nobody says so',
    file: 'expand.ts',
    find: 'isLast && targeted === 0',
    replace: 'isLast && targeted < 0',
    tests: AUDIENCE,
  },
  {
    says: 'addresses of a send to an audience are told apart over its parts',
    file: 'expand.ts',
    find: 'seen: isEachOwn(send) ? new Set() : seen,',
    replace: 'seen: new Set(),',
    tests: AUDIENCE,
  },
];
