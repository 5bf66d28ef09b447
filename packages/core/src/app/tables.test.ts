import { describe, expect, it } from 'vitest';
import { tablesOf } from './tables.ts';

describe('tables', () => {
  it('erasure covers every table with a column for a user', () => {
    const personal = Object.entries(tablesOf('sqlite')).filter(([, table]) =>
      Object.keys(table).some((column) => /person|user|anonymous|address|email|phone|recipient/i.test(column)),
    );
    expect(personal.map(([name]) => name).sort()).toEqual([
      'aliases',
      'audienceMembers',
      'authIdentities',
      'authOneTime',
      'authScimMembers',
      'authScimUsers',
      'authSessions',
      'authUsers',
      'callbackEvents',
      'capEntries',
      'capLocks',
      'erasures',
      'events',
      'eventsByPerson',
      'eventsByPersonCursor',
      'geofenceCrossings',
      'liveActivities',
      'liveActivityStartTokens',
      'messages',
      'outboxMessages',
      'personEvents',
      'profiles',
      'pushTokens',
      'raisedEvents',
      'runs',
      'sends',
      'subscriptions',
      'suppressions',
      'webhookBodies',
    ]);
  });
});
