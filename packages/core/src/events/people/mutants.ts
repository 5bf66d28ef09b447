import type { Mutant } from '../../../test/mutant.ts';

export const mutants: readonly Mutant[] = [
  {
    says: 'events that move behind the mark are indexed under their new person',
    file: 'store.ts',
    find: 'newKey < nextKey ? until : position',
    replace: '0',
  },
  {
    says: 'events that move within a pass are indexed where it has been',
    file: 'store.ts',
    find: 'newKey < nextKey ? until : position',
    replace: 'position',
  },
  {
    says: 'events that move leave the index of their old person',
    file: 'store.ts',
    find: 'eq(eventPeople.personKey, oldKey)',
    replace: 'eq(eventPeople.personKey, -1)',
  },
  {
    says: 'events of a pass under way are listed once',
    file: 'store.ts',
    find: 'Math.min(mark.position + 1, ',
    replace: 'Math.min(mark.until + 1, ',
  },
  {
    says: 'the mark stays until its pass is whole',
    file: 'store.ts',
    find: ': { position, until, nextKey: end }',
    replace: ': { position: until, until, nextKey: end }',
  },
  {
    says: 'people of one digest have each their own events',
    file: 'store.ts',
    find: ', inArray(events.person, [...people]));\n  const among',
    replace: ');\n  const among',
  },
  {
    says: 'recent events are found by their position',
    file: 'store.ts',
    find: 'sql`+${events.scopeId}',
    replace: 'sql`${events.scopeId}',
  },
  {
    says: 'a full pass is indexed at once',
    file: 'indexing.ts',
    find: 'behind >= PASS',
    replace: 'behind > PASS',
  },
  {
    says: 'the index is stopped before the database closes',
    file: 'indexing.ts',
    find: 'await running;',
    replace: '',
  },
  {
    says: 'events of a time are those received in it',
    file: 'store.ts',
    find: 'lt(events.receivedAt, new Date(range.toMs))',
    replace: 'undefined',
    tests: ['packages/core/src/events/history.db.test.ts'],
  },
];
