// Whom the benchmark sends to, as rows: members of one audience with one device each, all in the order of their ids.
import { sql } from 'drizzle-orm';
import { firstIdOf } from '../../../packages/core/src/primitives/derived-id.ts';
import type { Storage } from '../../../packages/core/src/storage/storage.ts';
import type { Tables } from '../../../packages/core/src/tables.ts';
import { userId } from '../../lib/fixtures.ts';

export const SCOPE = { scopeId: 1 } as const;
export const AUDIENCE = firstIdOf(1);
const AT = new Date(Date.UTC(2026, 0, 5, 8));
const BATCH = 500;
const TOKEN = 'a'.repeat(56);

/** `u:user-000000` and so on: their order is that of their numbers. */
export const personOf = (index: number): string => `u:${userId(index)}`;

/** Makes the audience and its members; one in three devices is of iOS. */
export const fillPeople = async (storage: Storage, tables: Tables, people: number, scopeId = 1): Promise<void> => {
  const { db } = storage;
  await db.insert(tables.audiences).values({
    ...{ scopeId, id: AUDIENCE, name: 'Everybody', description: null, kind: 'static', predicate: null, version: 1 },
    ...{ stage: null, cursor: null, createdAt: AT, updatedAt: AT, dueAt: null, leaseUntil: null, fence: 0 },
  });
  for (let first = 0; first < people; first += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, people - first) }, (_, at) => first + at);
    await storage.transaction(async (inside) => {
      await inside
        .insert(tables.audienceMembers)
        .values(indexes.map((at) => ({ scopeId, audienceId: AUDIENCE, person: personOf(at), joinedAt: AT })));
      await inside.insert(tables.pushTokens).values(
        indexes.map((at) => ({
          ...{ scopeId, id: firstIdOf(2 + at), tokenKey: `key-${at}`, person: personOf(at), isActive: true },
          ...(at % 3 === 0
            ? ({ platform: 'ios', apnsEnvironment: 'production' } as const)
            : ({ platform: 'android' } as const)),
          ...{ token: `${TOKEN}${at}`, createdAt: AT, updatedAt: AT, registeredAt: AT },
        })),
      );
    });
  }
};

/** How many messages there are, and of how many people. */
export const countMessages = async (storage: Storage, tables: Tables): Promise<readonly [number, number]> => {
  const { messages } = tables;
  const [row] = await storage.db
    .select({ rows: sql<number>`count(*)`, people: sql<number>`count(distinct person)` })
    .from(messages);
  return [Number(row?.rows), Number(row?.people)];
};

/** Takes away what a turn has made, a part at a time. */
export const emptyMessages = async (storage: Storage, tables: Tables): Promise<void> => {
  await storage.db.delete(tables.messages);
  await storage.db.delete(tables.sends);
};
