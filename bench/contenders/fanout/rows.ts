// Recipients of the benchmark as rows: members of one segment with one device each, in the order of their ids.
import { sql } from 'drizzle-orm';
import type { Tables } from '../../../packages/core/src/app/tables.ts';
import type { Storage } from '../../../packages/core/src/database/storage.ts';
import { firstIdOf } from '../../../packages/core/src/foundation/derived-id.ts';
import { userId } from '../../lib/fixtures.ts';
import { byHand } from '../people/by-hand.ts';
import { numbersTo, userOf } from '../people/people.ts';

export const SCOPE = { scopeId: 1 } as const;
export const AUDIENCE = firstIdOf(1);
const AT = new Date(Date.UTC(2026, 0, 5, 8));
const TOKEN = 'a'.repeat(56);

/** `u:user-000000` and so on: they sort by number. */
export const personOf = (index: number): string => `u:${userId(index)}`;

const WORDS = {
  sqlite: { id: `printf('%08x-%04x-7000-8000-000000000000', n >> 16, n & 65535)`, at: String(AT.getTime()), yes: '1' },
  postgres: {
    id: `(lpad(to_hex(n >> 16), 8, '0') || '-' || lpad(to_hex(n & 65535), 4, '0') || '-7000-8000-000000000000')::uuid`,
    at: `'${AT.toISOString()}'::timestamptz`,
    yes: 'true',
  },
};

/** Creates the segment and its members; one in three devices is an iOS device. */
export const fillPeople = async (storage: Storage, tables: Tables, url: string, people: number): Promise<void> => {
  const { scopeId } = SCOPE;
  await storage.db.insert(tables.audiences).values({
    ...{ scopeId, id: AUDIENCE, name: 'Everybody', description: null, kind: 'static', predicate: null, version: 1 },
    ...{ stage: null, cursor: null, createdAt: AT, updatedAt: AT, dueAt: null, leaseUntil: null, fence: 0 },
  });
  const hand = await byHand(url);
  const { id, at, yes } = WORDS[hand.dialect];
  const person = `'u:' || ${userOf(hand, 'n')}`;
  await hand.run(`insert into audience_members (scope_id, audience_id, person, joined_at)
    ${numbersTo(people)} select ${scopeId}, '${AUDIENCE}', ${person}, ${at} from numbers`);
  await hand.run(`insert into push_tokens
    (scope_id, id, token_key, person, is_active, platform, apns_environment, token, created_at, updated_at, registered_at)
    ${numbersTo(people)}
    select ${scopeId}, ${id}, 'key-' || n, ${person}, ${yes}, case n % 3 when 0 then 'ios' else 'android' end,
      case n % 3 when 0 then 'production' end, '${TOKEN}' || n, ${at}, ${at}, ${at} from numbers`);
  await hand.close();
};

/** The number of messages, and of their users. */
export const countMessages = async (storage: Storage, tables: Tables): Promise<readonly [number, number]> => {
  const { messages } = tables;
  const [row] = await storage.db
    .select({ rows: sql<number>`count(*)`, people: sql<number>`count(distinct person)` })
    .from(messages);
  return [Number(row?.rows), Number(row?.people)];
};

/** Deletes the rows of a turn, batch by batch. */
export const emptyMessages = async (storage: Storage, tables: Tables): Promise<void> => {
  await storage.db.delete(tables.messages);
  await storage.db.delete(tables.sends);
};
