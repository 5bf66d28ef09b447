import type { Mutant } from '../../../test/mutant.ts';

const STATEMENTS = ['packages/core/src/statements.db.test.ts'];

/** Rules of runs that wait for an event; a part of the room's list. */
export const mutantsOfWaits: readonly Mutant[] = [
  {
    says: 'an event that no workflow waits for costs no statement',
    file: 'waits.ts',
    find: 'if (awaited.length === 0) return nobody;',
    replace: '',
  },
  {
    says: 'traits that a step changes are no event',
    file: 'waits.ts',
    find: "items.filter(({ kind }) => kind !== 'changed')",
    replace: 'items.filter(() => true)',
  },
  {
    says: 'a run is woken by the first event of a batch that fits',
    file: 'waits.ts',
    find: 'woken.has(run.id)',
    replace: 'false',
  },
  {
    says: 'an event has to fit the filters of a wait',
    file: 'waits.ts',
    find: '!fitsFilters(run.awaitsFilters ?? {}, properties)',
    replace: 'false',
  },
  {
    says: 'what comes when the time is over does not count',
    file: 'waits.ts',
    find: 'receivedAt < run.dueAt;',
    replace: 'receivedAt <= run.dueAt;',
  },
  {
    says: 'a duplicate wakes nobody',
    file: 'waits.ts',
    find: 'of freshEntries(draft)',
    replace: 'of draft.entries',
  },
  {
    says: 'whoever is merged in a batch brings the runs along',
    file: 'waits.ts',
    find: '[person, ...before.map(({ from }) => from)]',
    replace: '[person]',
  },
  {
    says: 'runs of somebody who is merged in a batch are read',
    file: 'waits.ts',
    find: 'return [...people, ...brought];',
    replace: 'return people;',
  },
  {
    says: 'an anonymous event wakes runs of the user that it is of',
    file: 'waits.ts',
    find: 'new Map(await usersOf(anonymous))',
    replace: 'new Map<string, string>()',
  },
  {
    says: 'a wait that is leased has timed out',
    file: 'hot.ts',
    find: " and ${column('lease_until')} is null`",
    replace: '`',
  },
  {
    says: 'a cancelled run waits for nothing',
    file: 'hot.ts',
    find: "      awaitsEvent: 'null',\n      awaitsFilters: 'null',\n      leaseUntil: 'null',",
    replace: "      leaseUntil: 'null',",
  },
  {
    says: 'a wait for an event is registered as it begins',
    file: 'advance.ts',
    find: 'const awaits = { awaitsEvent: eventType, awaitsFilters: filters };',
    replace: 'const awaits = { awaitsEvent: eventType };',
  },
  {
    says: 'filters of a wait are filled in as it begins',
    file: 'steps/wait/event.ts',
    find: 'filters: filters && filledFilters(filters, context)',
    replace: 'filters',
  },
  {
    says: 'a wait that its event ended did not time out',
    file: 'steps/wait/event.ts',
    find: 'if (run.wokenBy) return',
    replace: 'if (run.wokenBy && run.waitingSince === null) return',
  },
  {
    says: 'a wait that timed out ends its run only where it says so',
    file: 'steps/wait/event.ts',
    find: "onTimeout === 'exit'",
    replace: "onTimeout !== 'continue' || timeoutMinutes > 0",
  },
  {
    says: 'events that steps within steps wait for are known as well',
    file: 'steps/catalog.ts',
    find: '...armsOf(step).map((arm) => awaitedIn(arm.steps)),',
    replace: '',
  },
  {
    says: 'what waits is found by an index',
    file: 'tables.ts',
    find: "      c.index('runs_awaiting').on(t.scopeId, t.person, t.awaitsEvent).where(sql`awaits_event is not null`),\n",
    replace: '',
    tests: STATEMENTS,
  },
];
