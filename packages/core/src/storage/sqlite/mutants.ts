import type { Mutant } from '../../../test/mutant.ts';

const CONTRACT = ['packages/core/src/storage/storage.db.test.ts'];

/**
 * Rules of the log, the threads and the statements of SQLite, for `npm run campaign -- mutants storage/sqlite`. None of `reader.ts`: its
 * threads load the file as it is, so no mutant gets there.
 */
export const mutants: readonly Mutant[] = [
  {
    says: 'a transaction is waited for unless all of it may be lost',
    file: 'group.ts',
    find: '!jobs.every(({ mayBeLost }) => mayBeLost)',
    replace: '!jobs.some(({ mayBeLost }) => mayBeLost)',
    tests: ['packages/core/src/storage/sqlite/group.test.ts'],
  },
  {
    says: 'after one that may be lost the next is waited for',
    file: 'group.ts',
    find: "connection.pragma('synchronous = FULL');",
    replace: '',
    tests: ['packages/core/src/storage/sqlite/group.test.ts'],
  },
  {
    says: 'a thread copies the log again until little of it is left',
    file: 'checkpoint.ts',
    find: 'return copy(1);',
    replace: '',
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'a log that somebody reads of is left alone for a while',
    file: 'checkpoint.ts',
    find: '} else lookAtMs = performance.now() + AGAIN_MS;',
    replace: '}',
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'the log is emptied once no thread is copying it',
    file: 'open.ts',
    find: '          await log.copied();\n          storageErrors.sync(() => scrub',
    replace: '          storageErrors.sync(() => scrub',
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'a group of commits is written again without whose deadline passed',
    file: 'group.ts',
    find: 'if (jobs.some(isLate))',
    replace: 'if (false)',
    tests: CONTRACT,
  },
  {
    says: 'keys that differ in several places are no flat list',
    file: 'key-list.ts',
    find: 'if (found !== null) return null;',
    replace: '',
    tests: ['packages/core/src/storage/sqlite/key-list.test.ts'],
  },
  {
    says: 'of rows that run together none without effect goes unseen',
    file: 'apply.ts',
    find: '.changes !== group.rows.length) return null;',
    replace: '.changes === 0) return null;',
    tests: CONTRACT,
  },
  {
    says: 'rows that differ in what they set do not run together',
    file: 'together.ts',
    find: 'values[at] !== group.values[at]',
    replace: 'values[at] === undefined',
    tests: CONTRACT,
  },
  {
    says: 'a database that is a link is refused',
    file: 'file.ts',
    find: '  if (link !== undefined)\n',
    replace: '  if (link === "")\n',
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'what lies in the place of a log is looked at too',
    file: 'file.ts',
    find: "['', '-wal', '-shm', '-journal']",
    replace: "['']",
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'a folder that others may write into is refused',
    file: 'file.ts',
    find: '(mode & WRITABLE) !== 0 && ',
    replace: 'mode === 0 && ',
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'a file of another user is refused in a sentence',
    file: 'file.ts',
    find: "error.code === 'EPERM')) throw error;\n    if (isTrusted) return;",
    replace: "error.code === 'EPERM')) throw error;\n    return;",
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'a copy of the log that fails ends nothing',
    file: 'checkpoint.ts',
    find: 'const copyIdle = contained(',
    replace: 'const copyIdle = ((work: () => unknown, _?: unknown) => work)(',
    tests: ['packages/core/src/storage/sqlite/'],
  },
  {
    says: 'rows that fill no whole statement are inserted too',
    file: 'apply.ts',
    find: 'return rows.slice(whole);',
    replace: 'return [];',
    tests: CONTRACT,
  },
  {
    says: 'of rows that are inserted together none that was there goes unseen',
    file: 'apply.ts',
    find: 'if (isGuarded && changes !== ROWS_AT_ONCE) return null;',
    replace: '',
    tests: CONTRACT,
  },
  {
    says: 'which of those it was is told by running them one by one',
    file: 'apply.ts',
    find: '!(isGuarded && isApart)',
    replace: 'true',
    tests: CONTRACT,
  },
  {
    says: 'statements take turns in pairs',
    file: 'turns.ts',
    find: '      before = undefined;',
    replace: '      before = part;',
    tests: ['packages/core/src/storage/sqlite/turns.test.ts'],
  },
  {
    says: 'statements of two tables take no turns',
    file: 'turns.ts',
    find: ' && before[0].table === table',
    replace: '',
    tests: ['packages/core/src/storage/sqlite/turns.test.ts'],
  },
];
