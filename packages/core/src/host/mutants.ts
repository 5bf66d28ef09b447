import type { Mutant } from '../../test/mutant.ts';

const AFTER = ['packages/core/src/host/after-commit.test.ts'];
const HOOKS = ['packages/core/src/host/hooks.db.test.ts'];

/** Rules of the hooks of a host program, for `npm run campaign -- mutants host`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a hook after the commit is one call at a time',
    file: 'after-commit.ts',
    find: 'running ??= ',
    replace: 'running = ',
    tests: AFTER,
  },
  {
    says: 'at most 10,000 wait for a hook after the commit',
    file: 'after-commit.ts',
    find: 'const MAX_WAITING = 10_000;',
    replace: 'const MAX_WAITING = 20_000;',
    tests: AFTER,
  },
  {
    says: 'closing waits for the hook of events',
    file: 'host.ts',
    find: ', afterEvents?.settled()]',
    replace: ']',
    tests: HOOKS,
  },
  {
    says: 'closing waits for the hook of messages',
    file: 'host.ts',
    find: 'afterMessages?.settled(), ',
    replace: '',
    tests: HOOKS,
  },
  {
    says: 'an event for which a hook throws is not accepted',
    file: 'events.ts',
    find: 'draft.along.push({',
    replace: 'draft.along.push({ isGivenUp: () => true,',
    tests: HOOKS,
  },
  {
    says: 'a hook after the commit is not told of events that were refused',
    file: 'events.ts',
    find: '...(after && { after: () => after.add(items) }),',
    replace: '...(after?.add(items) ?? {}),',
    tests: HOOKS,
  },
  {
    says: 'a hook is told of identify calls, too',
    file: 'events.ts',
    find: " || item.kind === 'identify'",
    replace: '',
    tests: HOOKS,
  },
  {
    says: 'a hook is told who an event is of once aliases are resolved',
    file: 'events.ts',
    find: 'userId: userIdOf(person),',
    replace: 'userId: item.userId,',
    tests: HOOKS,
  },
  {
    says: 'a hook is not called where nothing was accepted that it is told of',
    file: 'events.ts',
    find: 'if (items.length === 0) return;',
    replace: '',
    tests: ['packages/core/src/host/events.test.ts'],
  },
  {
    says: 'a hook is tried three times for a message',
    file: 'messages.ts',
    find: 'const TRIES = 3;',
    replace: 'const TRIES = 2;',
    tests: HOOKS,
  },
  {
    says: 'a message ends without a hook that always throws for it',
    file: 'messages.ts',
    find: '!isBorn && tries < TRIES',
    replace: '!isBorn',
    tests: HOOKS,
  },
  {
    says: 'for a message that ends as it is made a hook is tried once',
    file: 'messages.ts',
    find: '!isBorn && tries',
    replace: 'tries',
    tests: HOOKS,
  },
  {
    says: 'a hook after the commit is not told of an end that was undone',
    file: 'messages.ts',
    find: '...(after && { after: () => after.add(endings.map(({ message }) => message)) }),',
    replace: '...(after?.add(endings.map(({ message }) => message)) ?? {}),',
    tests: HOOKS,
  },
  {
    says: 'a hook is not called for a message that goes again later',
    file: 'messages.ts',
    find: 'concerns: ({ from, status }) => isEnd(status) && ',
    replace: 'concerns: ({ from }) => ',
    tests: HOOKS,
  },
];
