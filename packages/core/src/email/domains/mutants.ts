import type { Mutant } from '../../../test/mutant.ts';

const PURE = ['packages/core/src/email/domains/records.test.ts'];
const DOMAINS = ['packages/core/src/email/domains/domains.db.test.ts'];
const UPKEEP = ['packages/core/src/email/domains/upkeep.db.test.ts'];

/** Rules of sending domains, for `npm run campaign -- mutants email`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'servers that fail leave what was known',
    file: 'look-up.ts',
    find: "ABSENT.has(code) ? 'absent' : 'unknown'",
    replace: "'absent'",
    tests: DOMAINS,
  },
  {
    says: 'the chunks of one record are joined',
    file: 'look-up.ts',
    find: "chunks.join('')",
    replace: "chunks.join(' ')",
    tests: DOMAINS,
  },
  {
    says: 'ownership is shown by the whole value',
    file: 'records.ts',
    find: 'record.trim() === ownershipValue(nonce)',
    replace: 'record.includes(nonce)',
    tests: PURE,
  },
  {
    says: 'a domain covers names below it, not names that end like it',
    file: 'known.ts',
    find: 'own.endsWith(`.${domain}`)',
    replace: 'own.endsWith(domain)',
    tests: PURE,
  },
  {
    says: 'a project with a domain is held to those that are verified',
    file: 'known.ts',
    find: 'isRequired: isAlwaysRequired || own.length > 0,',
    replace: 'isRequired: isAlwaysRequired,',
    tests: DOMAINS,
  },
  {
    says: 'nothing is signed before the record of the key was found',
    file: 'known.ts',
    find: 'sealed !== null && dkimFound ?',
    replace: 'sealed !== null ?',
    tests: UPKEEP,
  },
  {
    says: 'a domain that is due is looked up by one process',
    file: 'store.ts',
    find: 'and(one(due), eq(table.recheckAt, due.recheckAt))',
    replace: 'one(due)',
    tests: UPKEEP,
  },
];
