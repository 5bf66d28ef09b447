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
    says: 'Of equal messageIds in one batch the first is stored.',
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
    says: 'A duplicate event changes nothing of its person.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: 'if (entry.duplicateOf !== null) continue;',
    replace: '',
    tests,
  },
  {
    says: 'What a batch refuses is named by its place in the batch.',
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
    says: 'Ids and names hold no U+0000.',
    path: 'packages/core/src/people/events/envelope.ts',
    find: "throw validationError({ [field]: ['must not contain the character U+0000'] })",
    replace: 'return text',
    tests,
  },
  {
    says: 'A placeholder such as "undefined" is no userId.',
    path: 'packages/core/src/people/events/envelope.ts',
    find: "if (userId === undefined || !isPlaceholderUserId(userId)) return named('userId', userId);",
    replace: "if (userId !== '') return named('userId', userId);",
    tests,
  },
  {
    says: 'A public key may not send events under names that the service raises.',
    path: 'packages/core/src/people/events/envelope.ts',
    find: 'reception.isPublic && ',
    replace: 'false && ',
    tests,
  },
  {
    says: 'A user gets the traits of the anonymous person that they were.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: 'applyPatch(state, Object.fromEntries(missing));',
    replace: '',
    tests,
  },
  {
    says: 'A trait of the user wins over one of the anonymous person that they were.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: '.filter(([name]) => !own.has(name))',
    replace: '',
    tests,
  },
  {
    says: 'The first user who was named with an anonymous id keeps it.',
    path: 'packages/core/src/people/profiles/react.ts',
    find: 'if (aliases.has(personTag(scope, from))) continue;',
    replace: '',
    tests,
  },
  {
    says: "Later events of an anonymous person are the user's.",
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
