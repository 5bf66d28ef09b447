import pg from 'pg';
import { renderClaim } from '../../../packages/core/src/database/statements/claim.ts';
import { renderSelect, renderWrite } from '../../../packages/core/src/database/statements/render.ts';
import { BATCH, type EventRow, type Hot, LEASE_MS, outcomeOf, SCOPE } from './rows.ts';
import type { Side } from './side.ts';

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const time = (value: Date | null): string | null => value?.toISOString() ?? null;

/** The columns of a batch of the statement that finishes messages, in its order. */
export const outcomeColumns = (outcomes: readonly ReturnType<typeof outcomeOf>[]): unknown[][] => {
  const { scopeId } = SCOPE;
  return [
    outcomes.map((o) => o.status),
    outcomes.map((o) => o.attempt),
    outcomes.map((o) => o.reason),
    outcomes.map((o) => o.errorCode),
    outcomes.map((o) => o.error),
    outcomes.map((o) => o.providerId),
    outcomes.map((o) => o.deferredAt),
    outcomes.map((o) => o.deferredUntil),
    outcomes.map((o) => time(o.sentAt)),
    outcomes.map((o) => time(o.finishedAt)),
    outcomes.map((o) => time(o.dueAt)),
    outcomes.map(() => scopeId),
    outcomes.map((o) => o.id),
    outcomes.map((o) => o.fence),
  ];
};

/** Named statements of pg on one connection, with the product's texts and values, bound by hand. */
export const rawPostgresSide = async (url: string, hot: Hot): Promise<Side> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const fields = renderSelect('postgres', hot.profiles.full).columns.map((column) => `"${column.name}"`);
  const one = `select ${fields.join(', ')} from profiles where scope_id = $1 and person = $2`;
  const insert = renderWrite('postgres', hot.events.insertEvent).text;
  const insertMessageIds = renderWrite('postgres', hot.events.insertMessageId).text;
  const change = renderWrite('postgres', hot.profiles.change).text;
  const settle = renderWrite('postgres', hot.sending.finalizeStatement).text;
  const { claim } = renderClaim('postgres', hot.messages);
  const { scopeId } = SCOPE;

  const inTransaction = async (name: string, text: string, values: unknown[], wanted: number): Promise<void> => {
    await client.query('begin');
    const { rowCount } = await client.query({ name, text, values });
    if (rowCount !== wanted) throw new Error(`a guard of ${name} failed`);
    await client.query('commit');
  };
  const read = async (person: string): Promise<number> => {
    const values = [scopeId, person];
    const { rows } = await client.query<{ version: number }>({ name: 'read', text: one, values });
    return rows[0]?.version ?? Number.NaN;
  };

  const eventColumns = (rows: readonly EventRow[]): unknown[][] => [
    rows.map((row) => row.scopeId),
    rows.map((row) => row.id),
    rows.map((row) => row.person),
    rows.map((row) => row.personKey),
    rows.map((row) => row.anonymousId),
    rows.map((row) => row.module),
    rows.map((row) => row.eventType),
    rows.map((row) => json(row.properties)),
    rows.map((row) => json(row.traits)),
    rows.map((row) => json(row.context)),
    rows.map((row) => row.sessionId),
    rows.map((row) => row.messageId),
    rows.map((row) => row.source),
    rows.map((row) => time(row.timestamp)),
    rows.map((row) => time(row.receivedAt)),
  ];

  return {
    read,
    readBuilt: read,
    insert: (rows) => inTransaction('insert', insert, eventColumns(rows), rows.length),
    ingest: async (rows) => {
      const named = rows.filter(({ messageId }) => messageId !== null);
      const ids = [
        named.map((row) => row.scopeId),
        named.map((row) => row.messageId),
        named.map((row) => row.id),
        named.map((row) => time(row.receivedAt)),
      ];
      await client.query('begin');
      const first = await client.query({ name: 'message ids', text: insertMessageIds, values: ids });
      if (first.rowCount !== named.length) throw new Error('a message id is there already');
      await client.query({ name: 'insert', text: insert, values: eventColumns(rows) });
      await client.query('commit');
    },
    derive: async () => undefined,
    change: (rows) => {
      const values = [
        rows.map((row) => json(row.traits)),
        rows.map((row) => row.isTruncated),
        rows.map((row) => row.locale),
        rows.map((row) => row.timezone),
        rows.map((row) => time(row.lastSeenAt)),
        rows.map((row) => row.scopeId),
        rows.map((row) => row.person),
        rows.map((row) => row.version),
      ];
      return inTransaction('change', change, values, rows.length);
    },
    claimAndFinish: async () => {
      const values = [null, LEASE_MS, BATCH];
      const { rows } = await client.query<{ id: string; fence: number }>({ name: 'claim', text: claim, values });
      if (rows.length === 0) return 0;
      const columns = outcomeColumns(rows.map(outcomeOf));
      await inTransaction('settle', settle, columns, rows.length);
      return rows.length;
    },
  };
};
