import type { Mutant } from '../../test/mutant.ts';

/** Rules of requests that may come twice, for `npm run campaign -- mutants idempotency`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'an answer that was written is not dropped when its request fails afterwards',
    file: 'hot.ts',
    find: ' is null`,',
    replace: ' is null or 1 = 1`,',
  },
  {
    says: 'a request that failed may be tried again at once',
    file: 'idempotency.ts',
    find: 'writes: [write(hot.drop, { ...key, ...held })]',
    replace: 'writes: []',
  },
  {
    says: 'only the holder drops its mark',
    file: 'hot.ts',
    find: "drop: bulkDelete('idempotency.drop', idempotencyKeys, {\n    where: [...KEY, 'holder'],",
    replace: "drop: bulkDelete('idempotency.drop', idempotencyKeys, {\n    where: [...KEY],",
  },
  {
    says: 'a key that was taken over in mid-sweep survives the sweep',
    file: 'store.ts',
    find: 'and(or(...these), lte(keys.expiresAt, now))',
    replace: 'or(...these)',
  },
  {
    says: 'upkeep looks only at what expired',
    file: 'store.ts',
    find: '      .where(lte(keys.expiresAt, now))\n',
    replace: '',
  },
  {
    says: 'an answer is kept for 24 hours',
    file: 'idempotency.ts',
    find: 'const KEPT_MS = 86_400_000;',
    replace: 'const KEPT_MS = 86_300_000;',
  },
  {
    says: 'an answer in the plan of its work is kept for 24 hours',
    file: 'hot.ts',
    find: "set: { answer: 'value', expiresAt: 'value' },",
    replace: "set: { answer: 'value' },",
  },
  {
    says: 'an answer in a transaction of its own is kept for 24 hours',
    file: 'store.ts',
    find: '.set({ answer, expiresAt })',
    replace: '.set({ answer })',
  },
  {
    says: 'a mark lapses after 30 seconds',
    file: 'idempotency.ts',
    find: 'const MARK_MS = 30_000;',
    replace: 'const MARK_MS = 30_001;',
  },
  {
    says: 'a mark holds for 30 seconds',
    file: 'idempotency.ts',
    find: 'const MARK_MS = 30_000;',
    replace: 'const MARK_MS = 29_999;',
  },
  {
    says: 'another body is refused',
    file: 'idempotency.ts',
    find: 'if (row.bodyHash !== bodyHash) throw mismatch(field);',
    replace: '',
  },
  {
    says: 'another body is refused before it is told that the first one runs',
    file: 'idempotency.ts',
    find: "        if (row.bodyHash !== bodyHash) throw mismatch(field);\n        if (row.answer === null) throw conflict('idempotency_in_progress');",
    replace:
      "        if (row.answer === null) throw conflict('idempotency_in_progress');\n        if (row.bodyHash !== bodyHash) throw mismatch(field);",
  },
  {
    says: 'a key that is taken over is for the new body',
    file: 'hot.ts',
    find: "set: { holder: 'value', bodyHash: 'value', expiresAt: 'value', answer: 'null' },",
    replace: "set: { holder: 'value', expiresAt: 'value', answer: 'null' },",
  },
  {
    says: 'a key that is taken over forgets its old answer',
    file: 'hot.ts',
    find: "expiresAt: 'value', answer: 'null' }",
    replace: "expiresAt: 'value' }",
  },
  {
    says: 'a mark that lapsed writes no answer in the plan of its work',
    file: 'hot.ts',
    find: "finish: bulkUpdate('idempotency.finish', idempotencyKeys, {\n    where: [...KEY, 'holder'],",
    replace: "finish: bulkUpdate('idempotency.finish', idempotencyKeys, {\n    where: [...KEY],",
  },
  {
    says: 'a mark that lapsed writes no answer in a transaction of its own',
    file: 'store.ts',
    find: ', eq(keys.holder, holder)',
    replace: '',
  },
  {
    says: 'what lapsed in a transaction of its own undoes it',
    file: 'idempotency.ts',
    find: "if (!(await inside.finish(key, held.holder, JSON.stringify(answer), until(now))))\n          throw conflict('idempotency_in_progress');",
    replace: 'await inside.finish(key, held.holder, JSON.stringify(answer), until(now));',
  },
  {
    says: 'a key belongs to its route',
    file: 'hot.ts',
    find: "row: bulkSelect('idempotency.row', idempotencyKeys, KEY,",
    replace: "row: bulkSelect('idempotency.row', idempotencyKeys, ['scopeId', 'route'],",
  },
  {
    says: 'a key has at most 256 characters',
    file: 'idempotency.ts',
    find: 'key.length > MAX_KEY',
    replace: 'key.length > MAX_KEY + 1',
  },
  {
    says: 'a key holds no control characters',
    file: 'idempotency.ts',
    find: ' || /\\p{Cc}/u.test(key)',
    replace: '',
  },
  {
    says: 'upkeep says that more is left',
    file: 'idempotency.ts',
    find: '=== SWEEP',
    replace: '> SWEEP',
  },
  {
    says: 'a key belongs to its scope',
    file: 'idempotency.ts',
    find: '{ ...scopeOf(scope), route, key: name }',
    replace: '{ scopeId: 1, route, key: name }',
  },
  {
    says: 'an answer that was written with what it tells of is not written again',
    file: 'idempotency.ts',
    find: '        isPassedOn = true;\n        return finish(answer, now);',
    replace: '        return finish(answer, now);',
  },
  {
    says: 'an answer that was written in a transaction of its own is not written again',
    file: 'idempotency.ts',
    find: '        isPassedOn = true;\n        const inside',
    replace: '        const inside',
  },
  {
    says: 'an answer that nobody passed on is kept',
    file: 'idempotency.ts',
    find: 'if (!isPassedOn) await',
    replace: 'if (isPassedOn) await',
  },
  {
    says: 'a key is taken over from whoever held it, once',
    file: 'hot.ts',
    find: "where: [...KEY, 'holder'],\n    set: { holder: 'value', bodyHash",
    replace: "where: [...KEY],\n    set: { holder: 'value', bodyHash",
  },
];
