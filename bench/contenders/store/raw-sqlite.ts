import { checkpoints } from '../../../packages/core/src/database/sqlite/checkpoint.ts';
import { openConnection } from '../../../packages/core/src/database/sqlite/connection.ts';
import { renderClaim } from '../../../packages/core/src/database/statements/claim.ts';
import { renderSelect, renderWrite } from '../../../packages/core/src/database/statements/render.ts';
import { BATCH, type EventRow, type Hot, LEASE_MS, type Leased, outcomeOf, SCOPE } from './rows.ts';
import type { Side } from './side.ts';

type ReadRow = { traits: string; version: number; created_at: number; last_seen_at: number };

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const time = (value: Date | null): number | null => value?.getTime() ?? null;

/** The values of one row of the statement that finishes messages, in its order. */
export const outcomeValues = (o: ReturnType<typeof outcomeOf>): unknown[] => {
  const { scopeId } = SCOPE;
  const ends = [time(o.sentAt), time(o.finishedAt), time(o.dueAt)];
  const values = [o.status, o.attempt, o.reason, o.errorCode, o.error, o.providerId];
  // The later of two times occurs twice.
  const moments = [o.deferredAt, o.deferredUntil, o.deferredUntil, ...ends];
  return [...values, ...moments, scopeId, o.id, o.fence];
};

/** Prepared statements of better-sqlite3, with the product's pragmas, texts and values, bound by hand. */
export const rawSqliteSide = (path: string, hot: Hot): Side => {
  const connection = openConnection(path, 'full');
  checkpoints(connection);
  const fields = renderSelect('sqlite', hot.profiles.full).columns.map((column) => `"${column.name}"`);
  const one = connection.prepare(`select ${fields.join(', ')} from profiles where scope_id = ? and person = ?`);
  const insert = connection.prepare(renderWrite('sqlite', hot.events.insertEvent).text);
  const insertMessageId = connection.prepare(renderWrite('sqlite', hot.events.insertMessageId).text);
  const change = connection.prepare(renderWrite('sqlite', hot.profiles.change).text);
  const settle = connection.prepare(renderWrite('sqlite', hot.sending.finalizeStatement).text);
  const claim = connection.prepare(renderClaim('sqlite', hot.messages).claim);
  const { scopeId } = SCOPE;

  const inTransaction = async <Result>(work: () => Result): Promise<Result> => {
    begin.run();
    const result = work();
    commit.run();
    return result;
  };
  const begin = connection.prepare('begin immediate');
  const commit = connection.prepare('commit');
  const effective = ({ changes }: { changes: number }): void => {
    if (changes !== 1) throw new Error('a guard failed');
  };

  const read = async (person: string): Promise<number> => {
    // Safe: the columns of this statement.
    const row = one.get(scopeId, person) as ReadRow;
    const profile = {
      ...row,
      traits: JSON.parse(row.traits),
      createdAt: new Date(row.created_at),
      lastSeenAt: new Date(row.last_seen_at),
    };
    return profile.version;
  };

  const insertOne = (row: EventRow): void => {
    insert.run(
      row.scopeId,
      row.id,
      row.person,
      row.personKey,
      row.anonymousId,
      row.module,
      row.eventType,
      json(row.properties),
      json(row.traits),
      json(row.context),
      row.sessionId,
      row.messageId,
      row.source,
      time(row.timestamp),
      time(row.receivedAt),
    );
  };

  return {
    read,
    readBuilt: read,
    insert: (rows) =>
      inTransaction(() => {
        for (const row of rows) insertOne(row);
      }),
    ingest: (rows) =>
      inTransaction(() => {
        for (const row of rows) {
          const { messageId, receivedAt } = row;
          if (messageId !== null) effective(insertMessageId.run(row.scopeId, messageId, row.id, time(receivedAt)));
          insertOne(row);
        }
      }),
    derive: async () => undefined,
    change: (rows) =>
      inTransaction(() => {
        for (const row of rows) {
          const seen = time(row.lastSeenAt);
          const { traits, isTruncated, locale, timezone, person, version } = row;
          const values = [json(traits), isTruncated ? 1 : 0, locale, timezone, seen, seen];
          effective(change.run(...values, row.scopeId, person, version));
        }
      }),
    claimAndFinish: async () => {
      const params = { now: null, lease: LEASE_MS, limit: BATCH };
      // Safe: the statement returns whole rows of the table.
      const rows = await inTransaction(() => claim.all(params) as Leased[]);
      if (rows.length === 0) return 0;
      await inTransaction(() => {
        for (const row of rows) effective(settle.run(...outcomeValues(outcomeOf(row))));
      });
      return rows.length;
    },
  };
};
