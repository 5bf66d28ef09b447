import type { Mutant } from '../../test/mutant.ts';

const BY_VALUE = ['packages/core/src/audiences/by-value.test.ts'];
const MEMBERSHIP = ['packages/core/src/audiences/membership.db.test.ts'];
const PASS = ['packages/core/src/audiences/pass.test.ts'];
const RECORDS = ['packages/core/src/audiences/audiences.db.test.ts'];

/** Rules of audiences, for `npm run campaign -- mutants audiences`. */
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
    says: 'of bounds all are looked at',
    file: 'by-value.ts',
    find: 'Math.min(...ranges.map(({ most }) => most))',
    replace: 'Math.max(...ranges.map(({ most }) => most))',
    tests: BY_VALUE,
  },
  {
    says: 'a bound itself is within',
    file: 'by-value.ts',
    find: 'value <= most)',
    replace: 'value < most)',
    tests: BY_VALUE,
  },
  {
    says: 'what time may change is always judged',
    file: 'by-value.ts',
    find: 'audience.all.isTimed ? null : ',
    replace: '',
    tests: BY_VALUE,
  },
  {
    says: 'somebody may go from the audiences that they are in',
    file: 'person.ts',
    find: 'isAnyOf(audience.all.traits, changed)',
    replace: 'false',
    tests: MEMBERSHIP,
  },
  {
    says: 'what may still hold of somebody is judged before they go from it',
    file: 'person.ts',
    find: '  for (const audience of judged) gone.delete(audience);\n',
    replace: '',
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
    file: 'pass.ts',
    find: '...(next === null ? [] : [checkAt(hot, user, next)]), ',
    replace: '',
    tests: PASS,
  },
  {
    says: 'rows that are older than the profile judge nobody',
    file: 'membership.ts',
    find: 'before !== null && before.version > seen',
    replace: 'before !== null && before.version < 0',
    tests: ['packages/core/src/audiences/membership.test.ts'],
  },
  {
    says: 'a build holds whoever moves',
    file: 'pass.ts',
    find: '[people.hold(seen, tag), ...rows]',
    replace: 'rows',
    tests: PASS,
  },
  {
    says: 'SQL judges nothing that time changes, and asks no rows of an audience that follows',
    file: 'pass.ts',
    find: '!all.isTimed && [...own.audiences].every((id) => live.lists.has(id))',
    replace: 'all !== own || live !== undefined',
    tests: PASS,
  },
  {
    says: 'an audience in other hands is left out of a walk',
    file: 'pass.ts',
    find: 'failed.has(buildTag(row))',
    replace: 'failed.size < 0 && failed.has(buildTag(row))',
    tests: PASS,
  },
  {
    says: 'a walk goes on behind the last one whom it looked at',
    file: 'pass.ts',
    find: 'from = plan?.last ?? null;',
    replace: 'from = null;',
    tests: PASS,
  },
  {
    says: 'what comes during a walk waits for the next one',
    file: 'in-turns.ts',
    find: 'if (next) {',
    replace: 'if (next && name === undefined) {',
    tests: ['packages/core/src/audiences/in-turns.test.ts'],
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
