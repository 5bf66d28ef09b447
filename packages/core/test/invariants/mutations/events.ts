import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/events.db.test.ts'];

export const eventsInvariants: readonly Invariant[] = [
  {
    says: 'A messageId is remembered for 72 hours.',
    path: 'packages/core/src/people/events/dedupe.ts',
    find: '= 72 * 3_600_000',
    replace: '= 71 * 3_600_000',
    tests,
  },
  {
    says: 'The first of equal messageIds in one batch is stored.',
    path: 'packages/core/src/people/events/dedupe.ts',
    find: 'seen.get(key) ?? ',
    replace: '',
    tests,
  },
  {
    says: 'A duplicate event is not stored.',
    path: 'packages/core/src/people/events/store-events.ts',
    find: 'of freshEntries(draft)',
    replace: 'of draft.entries',
    tests,
  },
  {
    says: 'A duplicate event does not change the profile.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: 'if (entry.duplicateOf !== null) continue;',
    replace: '',
    tests,
  },
  {
    says: 'A rejected event is listed with its index in the batch.',
    path: 'packages/core/src/people/events/events.ts',
    find: "rejected.push({ index, code: 'VALIDATION_ERROR',",
    replace: "rejected.push({ index: rejected.length, code: 'VALIDATION_ERROR',",
    tests,
  },
  {
    says: 'A batch has at most 500 events.',
    path: 'packages/core/src/people/events/events.ts',
    find: 'batch.length > MAX_BATCH',
    replace: 'batch.length > MAX_BATCH + 1',
    tests,
  },
  {
    says: 'Ids and names must not contain U+0000.',
    path: 'packages/core/src/people/events/envelope.ts',
    find: "throw validationError({ [field]: ['must not contain the character U+0000'] })",
    replace: 'return text',
    tests,
  },
  {
    says: 'A placeholder such as "undefined" is not a userId.',
    path: 'packages/core/src/people/events/envelope.ts',
    find: "if (userId === undefined || !isPlaceholderUserId(userId)) return named('userId', userId);",
    replace: "if (userId !== '') return named('userId', userId);",
    tests,
  },
  {
    says: 'A public key may not send reserved event names.',
    path: 'packages/core/src/people/events/envelope.ts',
    find: 'reception.isPublic && ',
    replace: 'false && ',
    tests,
  },
  {
    says: 'A merge gives a user the traits of the anonymous profile.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: 'applyPatch(state, Object.fromEntries(missing));',
    replace: '',
    tests,
  },
  {
    says: "A user's trait overrides that of the merged anonymous profile.",
    path: 'packages/core/src/people/profiles/react.ts',
    find: '.filter(([name]) => !own.has(name))',
    replace: '',
    tests,
  },
  {
    says: 'An anonymous id stays with the first user identified with it.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: 'if (aliases.has(personTag(scope, from))) continue;',
    replace: '',
    tests,
  },
  {
    says: 'Later events of a merged anonymous id belong to the user.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: 'return alias === undefined ? anonymous : userPerson(alias);',
    replace: 'return anonymous;',
    tests,
  },
  {
    says: 'A profile has at most 64 KB.',
    path: 'packages/core/src/people/profiles/merge.ts',
    find: 'counted + grown - 1 > maxBytes',
    replace: 'counted + grown - 1 > 2 * maxBytes',
    tests,
  },
];
