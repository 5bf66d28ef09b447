import type { Mutant } from '../../test/mutant.ts';

const MEMBERSHIP = ['packages/core/src/audiences/membership.db.test.ts'];
const RECORDS = ['packages/core/src/audiences/audiences.db.test.ts'];

/** Rules of audiences, for `npm run mutants -- audiences`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'only users are in audiences',
    file: 'membership.ts',
    find: 'after === null || userIdOf(person) === null',
    replace: 'after === null',
    tests: MEMBERSHIP,
  },
  {
    says: 'what lacks a count is looked up by the worker',
    file: 'membership.ts',
    find: 'if (judge.lacksCounts()) {',
    replace: 'if (false) {',
    tests: MEMBERSHIP,
  },
  {
    says: 'an audience that is being built raises nothing',
    file: 'moves.ts',
    find: "stage !== 'build'",
    replace: 'stage !== undefined',
    tests: MEMBERSHIP,
  },
  {
    says: 'another audience is judged by its predicate',
    file: 'judge.ts',
    find: 'if (audience) return verdict(audience) === true;',
    replace: 'if (audience) return rows.has(id);',
    tests: MEMBERSHIP,
  },
  {
    says: 'time that passes is planned for',
    file: 'membership.ts',
    find: 'if (next !== null) draft.writes.push(checkAt(hot, key, next));',
    replace: '',
    tests: MEMBERSHIP,
  },
  {
    says: 'a build plans for time that passes',
    file: 'build.ts',
    find: 'if (next !== null) writes.push(checkAt(hot, user, next));',
    replace: '',
    tests: MEMBERSHIP,
  },
  {
    says: 'those who follow from an edited audience are built anew',
    file: 'records.ts',
    find: 'if (named) await inside.update(scope, [...dependentsOf(named, id)], built, true);',
    replace: '',
    tests: MEMBERSHIP,
  },
  {
    says: 'a cycle is refused',
    file: 'records.ts',
    find: 'if (dependentsOf(named, id).has(id))',
    replace: 'if (false)',
    tests: MEMBERSHIP,
  },
  {
    says: 'a list that changes is followed by the audiences that name it',
    file: 'list-changes.ts',
    find: 'if (liveOf(scope).byList.has(id)) {',
    replace: 'if (false) {',
    tests: MEMBERSHIP,
  },
  {
    says: 'what a workflow names is kept',
    file: 'records.ts',
    find: 'if (workflows.length + audiences.length > 0)',
    replace: 'if (audiences.length > 0)',
    tests: RECORDS,
  },
];
