import type { Mutant } from '../../../test/mutant.ts';

/** Rules of finding and counting users, for `npm run mutants -- audiences/matching`. */
export const mutants: readonly Mutant[] = [
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
    find: 'people: isExact ? people : await judged',
    replace: 'people: isExact || true ? people : await judged',
  },
  {
    says: 'memory has the last word of a count, too',
    file: 'matching.ts',
    find: 'if (isExact) return { count: await',
    replace: 'if (isExact || true) return { count: await',
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
];
