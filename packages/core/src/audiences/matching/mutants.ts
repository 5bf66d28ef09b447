import type { Mutant } from '../../../test/mutant.ts';

const POSTGRES = ['packages/core/src/audiences/matching/matching.postgres.test.ts'];

/** Rules of finding and counting users, for `npm run campaign -- mutants audiences/matching`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'who is in an audience and is to be in it does not differ',
    file: 'store.ts',
    find: '((${condition}) is true) <> ${there}',
    replace: '((${condition}) is true or ${there})',
  },
  {
    says: "of moves that were cut off a person's are left together",
    file: 'differing.ts',
    find: 'const end = rows.length < most ? undefined : rows.at(-1)?.person;',
    replace: 'const end = undefined as string | undefined;',
  },
  {
    says: 'who differs is not told where only the log knows',
    file: 'differing.ts',
    find: 'asked.some(({ isExact }) => !isExact)',
    replace: 'asked.length === 0',
  },
  {
    says: 'a slice ends with its last user',
    file: 'store.ts',
    find: 'sql` and profiles.person <= ${until}`',
    replace: 'sql` and profiles.person < ${until}`',
  },
  {
    says: 'a slice begins behind the one before',
    file: 'store.ts',
    find: "sql`profiles.person > ${after ?? 'u:'}`",
    replace: "sql`profiles.person >= ${after ?? 'u:'}`",
  },
  {
    says: 'nobody anonymous is found',
    file: 'store.ts',
    find: "${after ?? 'u:'}`",
    replace: "${after ?? ''}`",
  },
  {
    says: 'nobody of another scope is found',
    file: 'store.ts',
    find: 'sql`profiles.scope_id = ${scopeId} and ',
    replace: 'sql`profiles.scope_id >= ${scopeId * 0} and ',
  },
  {
    says: 'memory has the last word where the database lets too many through',
    file: 'matching.ts',
    find: 'isLarge || !one.isExact ? holding.has(person) : true',
    replace: 'isLarge ? holding.has(person) : true',
  },
  {
    says: 'memory has the last word of a count, too',
    file: 'matching.ts',
    find: 'if (!one.isExact) {',
    replace: 'if (one.condition === null) {',
  },
  {
    says: 'a leaf that only the log answers lets through whom another may keep',
    file: '../predicate/store.ts',
    find: 'return isNegated ? words.no : words.yes;',
    replace: 'return words.yes;',
  },
  {
    says: 'a leaf that is not counted yet is asked of the log',
    file: 'matching.ts',
    find: 'asked.events.size > 0 ? await isTold(scope) : () => true',
    replace: '() => true',
  },
  {
    says: 'a preview shows no more than are asked for',
    file: 'matching.ts',
    find: 'found.slice(0, sample - people.length)',
    replace: 'found',
  },
  {
    says: 'a slice that is counted in one statement ends with its last user',
    file: 'store.ts',
    find: '<= coalesce(e.edge',
    replace: '< coalesce(e.edge',
  },
  {
    says: 'a slice that is counted in one statement has as many users as it is told',
    file: 'store.ts',
    find: 'limit 1 offset ${users - 1}`;',
    replace: 'limit 1 offset ${users}`;',
  },
  {
    says: 'a preview that reads all users at once finds nobody anonymous',
    file: 'store.ts',
    find: 'sql`case when ${condition} then ${isUser(null)} end`',
    replace: 'condition',
    tests: POSTGRES,
  },
  {
    says: 'a preview leaves room for those who write',
    file: 'store.ts',
    find: 'isBeside ? sql`${RESTED} and ` : sql``',
    replace: 'sql``',
    tests: POSTGRES,
  },
  {
    says: 'a preview rests for those alone who write',
    file: 'matching.ts',
    find: '>= LOOK.commits',
    replace: '>= 0',
    tests: POSTGRES,
  },
  {
    says: 'a preview that is over lets the next one read',
    file: 'matching.ts',
    find: '          wholeReads.release();\n',
    replace: '',
    tests: POSTGRES,
  },
  {
    says: 'a preview waits for others no longer than its caller does',
    file: 'matching.ts',
    find: 'AbortSignal.timeout(leftMs)',
    replace: 'new AbortController().signal',
    tests: POSTGRES,
  },
];
