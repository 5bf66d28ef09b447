import type { Mutant } from '../../test/mutant.ts';

const LISTS = ['packages/core/src/suppressions/suppressions.db.test.ts'];

/** Rules of the lists of addresses, for `npm run campaign -- mutants suppressions`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'mail addresses compare without their case',
    file: 'writes.ts',
    find: 'email: addressKey,',
    replace: 'email: (address) => address,',
    tests: LISTS,
  },
  {
    says: 'of equal entries in one write set the first counts',
    file: 'writes.ts',
    find: 'if (!named.has(name)) named.set(name, entry);',
    replace: 'named.set(name, entry);',
    tests: LISTS,
  },
  {
    says: 'a bounce puts its address on the list',
    file: 'reported-addresses.ts',
    find: "bounced: 'bounced_address',",
    replace: '',
    tests: LISTS,
  },
  {
    says: 'a number that opted out is on the list',
    file: 'reported-addresses.ts',
    find: "opted_out: 'sms_stopped',",
    replace: '',
    tests: LISTS,
  },
  {
    says: 'a list is filtered by reason',
    file: 'store.ts',
    find: '...(reason === null ? [] : [eq(suppressions.reason, reason)]),',
    replace: '',
    tests: LISTS,
  },
  {
    says: 'a list is filtered by time',
    file: 'store.ts',
    find: '...(fromMs === null ? [] : [gte(suppressions.createdAt, new Date(fromMs))]),',
    replace: '',
    tests: LISTS,
  },
  {
    says: 'an unknown reason is refused',
    file: 'suppressions.ts',
    find: 'if (reason !== undefined && known === null)',
    replace: 'if (false)',
    tests: LISTS,
  },
  {
    says: 'exactly one way of naming addresses is taken',
    file: 'schema.ts',
    find: '(address === undefined) !== (addresses === undefined)',
    replace: 'true',
    tests: LISTS,
  },
];
