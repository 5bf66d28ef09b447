import type { Mutant } from '../../test/mutant.ts';

/** Rules of limits, for `npm run mutants -- limits`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a request without provider gives its cost back',
    file: 'limits.ts',
    find: "if (isBeckonError(error, 'PROVIDER_NOT_CONFIGURED')) await store.giveBack(scope.orgId, rate);",
    replace: '',
  },
  {
    says: 'the statement decides, not what was read before it',
    file: 'store.ts',
    find: 'eq(table.isProbation, isProbation), allowed)',
    replace: 'eq(table.isProbation, isProbation))',
  },
  {
    says: 'the last place of a burst is one',
    file: 'gcra.ts',
    find: 'waitUs <= 0',
    replace: 'waitUs < 0',
  },
  {
    says: 'places that another process took meanwhile are not taken again',
    file: 'store.ts',
    find: ', eq(table.tatUs, tatUs));',
    replace: ');',
  },
];
