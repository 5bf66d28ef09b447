import { randomUUID } from 'node:crypto';
import { type Tables, tablesOf } from '../../../packages/core/src/app/tables.ts';
import type { DialectName } from '../../../packages/core/src/database/dialect-name.ts';
import { uuidV7Ids } from '../../../packages/core/src/foundation/ids.ts';
import { messageQueue, sendingStatements } from '../../../packages/core/src/messaging/sends/statements.ts';
import { personKey } from '../../../packages/core/src/people/events/person-key.ts';
import { eventStatements } from '../../../packages/core/src/people/events/statements.ts';
import { profileStatements } from '../../../packages/core/src/people/profiles/statements.ts';
import { eventOf, eventType, traitsOf, USERS, userId } from '../../lib/fixtures.ts';
import { randomFrom, zipfRanks } from '../../lib/statistics.ts';

/** Rows per transaction and per claim. Source: performance design, the store benchmark. */
export const BATCH = 256;
/** Events per transaction of ingest. Measured: what 64 connections that wait for their responses fill. */
export const GROUP = 44;
/** Longer than any round, so that no lease expires within one. */
export const LEASE_MS = 600_000;

/** The scope of all rows. */
export const SCOPE = { scopeId: 1 } as const;
const SEND_ID = '0197a000-0000-7000-8000-000000000001';
const AT = new Date(Date.UTC(2026, 0, 5, 8));

/** The hot statements under test, declared as the product declares them. */
export const hotOf = (tables: Tables) => ({
  events: eventStatements(tables),
  profiles: profileStatements(tables),
  sending: sendingStatements(tables),
  messages: messageQueue(tables),
});
export type Hot = ReturnType<typeof hotOf>;
/** Tables and hot statements for one database. */
export const vocabularyOf = (dialect: DialectName): { tables: Tables; hot: Hot } => {
  const tables = tablesOf(dialect);
  return { tables, hot: hotOf(tables) };
};

type Inserted<Name extends keyof Tables> = Required<Tables[Name]['$inferInsert']>;
export type EventRow = Omit<Inserted<'events'>, 'position'>;
export type ProfileRow = Omit<Inserted<'profiles'>, 'email' | 'phone' | 'localeOverride' | 'timezoneOverride'>;
export type MessageRow = Pick<
  Inserted<'messages'>,
  | 'scopeId'
  | 'id'
  | 'sendId'
  | 'channel'
  | 'person'
  | 'address'
  | 'addressName'
  | 'tokenId'
  | 'facts'
  | 'role'
  | 'status'
  | 'reason'
  | 'attempt'
  | 'createdAt'
  | 'finishedAt'
  | 'priority'
  | 'dueAt'
  | 'fence'
>;
/** The part of a claimed row that finishing needs. */
export type Leased = Pick<MessageRow, 'id' | 'fence'>;

/** Lists of one length; the last one may be shorter. */
export const inBatches = <Row>(rows: readonly Row[], size = BATCH): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));

const personOf = (index: number): string => `u:${userId(index)}`;

/** Rows that are equal for both sides of a comparison. */
export const rowMaker = () => {
  const ids = uuidV7Ids({ now: () => new Date() });
  const random = randomFrom(2);
  const user = zipfRanks(USERS, random);
  let visit = 0;
  const anybody = (): number => Math.floor(random() * USERS);
  return {
    profiles: (): ProfileRow[] =>
      Array.from({ length: USERS }, (_, index) => ({
        ...SCOPE,
        person: personOf(index),
        traits: traitsOf(index, 0),
        version: 1,
        isTruncated: false,
        ...{ accountEmail: null, accountPhone: null },
        locale: 'en-GB',
        timezone: 'Europe/London',
        createdAt: AT,
        lastSeenAt: AT,
      })),
    people: (count: number): string[] => Array.from({ length: count }, () => personOf(anybody())),
    /** @param isIngested realistic: few users send most events, and every second event has a client's id */
    events: (count: number, isIngested = false): EventRow[] =>
      Array.from({ length: count }, (_, at) => {
        const index = isIngested ? user() : anybody();
        const { properties, context } = eventOf(index, at % 20, at, null);
        return {
          ...SCOPE,
          id: ids.next(),
          person: personOf(index),
          personKey: personKey(SCOPE, personOf(index)),
          anonymousId: null,
          module: 'shop',
          eventType: eventType(at % 20),
          // Safe: the fixture makes both objects.
          properties: properties as Record<string, unknown>,
          traits: null,
          context: context as Record<string, unknown>,
          sessionId: null,
          messageId: isIngested && at % 2 === 0 ? randomUUID() : null,
          source: 'customer',
          timestamp: AT,
          receivedAt: AT,
        };
      }),
    /** Every user in turn, with their current version. */
    changes: (count: number): ProfileRow[] => {
      const rows = Array.from({ length: count }, (_, at) => {
        const index = (visit + at) % USERS;
        const version = 1 + Math.floor((visit + at) / USERS);
        const row = { ...SCOPE, person: personOf(index), traits: traitsOf(index, version), version };
        return {
          ...row,
          isTruncated: false,
          ...{ accountEmail: null, accountPhone: null },
          locale: 'en-GB',
          timezone: 'Europe/London',
          createdAt: AT,
          lastSeenAt: AT,
        };
      });
      visit += count;
      return rows;
    },
    messages: (count: number): MessageRow[] =>
      Array.from({ length: count }, (_, at) => ({
        ...SCOPE,
        id: ids.next(),
        sendId: SEND_ID,
        channel: 'email',
        person: personOf(at % USERS),
        address: `${userId(at % USERS)}@example.com`,
        addressName: null,
        tokenId: null,
        facts: {},
        role: 'to',
        status: 'queued',
        reason: null,
        attempt: 0,
        createdAt: AT,
        finishedAt: null,
        priority: 0,
        dueAt: AT,
        fence: 0,
      })),
  };
};

/** What finishing a message writes. */
export const outcomeOf = ({ id, fence }: Leased) => ({
  ...SCOPE,
  id,
  fence,
  status: 'sent' as const,
  attempt: 1,
  reason: null,
  errorCode: null,
  error: null,
  providerId: 'provider',
  deferredAt: null,
  deferredUntil: null,
  sentAt: AT,
  finishedAt: AT,
  dueAt: null,
});
