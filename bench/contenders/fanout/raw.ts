// The same rows by one INSERT ... SELECT on the driver, in batches of the same order.
import pg from 'pg';
import { checkpoints } from '../../../packages/core/src/database/sqlite/checkpoint.ts';
import { openConnection } from '../../../packages/core/src/database/sqlite/connection.ts';
import { AUDIENCE, personOf, SCOPE } from './rows.ts';

/** Rows of one transaction: about 20 ms. Source: performance design, fan-out. */
const PART = 5_000;

const COLUMNS =
  'scope_id, id, send_id, channel, person, address, address_name, token_id, facts, role, status, reason, attempt, created_at, finished_at, priority, due_at, fence';
const FROM = 'from audience_members m join push_tokens a on a.scope_id = m.scope_id and a.person = m.person';

const sqliteText = (id: string): string =>
  `insert into messages (${COLUMNS}) select m.scope_id, ${id}, @send, 'push', m.person, a.token, null, a.id, ` +
  `case when a.apns_environment is null then json_object('platform', a.platform) else ` +
  `json_object('platform', a.platform, 'apnsEnvironment', a.apns_environment) end, 'to', 'queued', null, 0, @now, null, 1, @now, 0 ` +
  `${FROM} and a.is_active = 1 where m.scope_id = @scope and m.audience_id = @audience and m.person > @after and m.person <= @upTo`;
const SQLITE_ID = `@head || printf('-7%03x-8%03x-', ((row_number() over (order by m.person)) >> 12) & 4095, (row_number() over (order by m.person)) & 4095) || lower(hex(randomblob(6)))`;

const postgresText = (id: string): string =>
  `insert into messages (${COLUMNS}) select m.scope_id, ${id}, $5::uuid, 'push', m.person, a.token, null, a.id, ` +
  `jsonb_strip_nulls(jsonb_build_object('platform', a.platform, 'apnsEnvironment', a.apns_environment)), ` +
  `'to', 'queued', null, 0, $6::timestamptz, null, 1, $6::timestamptz, 0 ` +
  `${FROM} and a.is_active where m.scope_id = $1 and m.audience_id = $2::uuid and m.person > $3 and m.person <= $4`;
const POSTGRES_ID = `($7::text || '-7' || lpad(to_hex(((row_number() over (order by m.person)) >> 12)::integer & 4095), 3, '0') || '-8' || lpad(to_hex((row_number() over (order by m.person))::integer & 4095), 3, '0') || '-' || right(gen_random_uuid()::text, 12))::uuid`;

export type Parts = {
  run(send: string, people: number, took: (ms: number) => void): Promise<void>;
  close(): Promise<void>;
};

const each = async (
  people: number,
  took: (ms: number) => void,
  part: (after: string, upTo: string) => Promise<number>,
) => {
  for (let first = 0; first < people; first += PART) {
    const start = performance.now();
    const rows = await part(first === 0 ? '' : personOf(first - 1), personOf(Math.min(first + PART, people) - 1));
    took(performance.now() - start);
    if (rows !== Math.min(PART, people - first)) throw new Error(`${rows} rows were made`);
  }
};

const headOf = (now: Date): string => {
  const hex = now.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
};

/** `isPlain`: each message gets its token's id, which shows the cost of generating ids. */
export const rawSqlite = (path: string, isPlain: boolean): Parts => {
  const connection = openConnection(path, 'full');
  checkpoints(connection);
  const [begin, commit] = [connection.prepare('begin immediate'), connection.prepare('commit')];
  const insert = connection.prepare(sqliteText(isPlain ? 'a.id' : SQLITE_ID));
  return {
    run: (send, people, took) =>
      each(people, took, async (after, upTo) => {
        const now = new Date();
        begin.run();
        const more = isPlain ? {} : { head: headOf(now) };
        const part = { scope: SCOPE.scopeId, audience: AUDIENCE, after, upTo, send, now: now.getTime(), ...more };
        const { changes } = insert.run(part);
        commit.run();
        return changes;
      }),
    close: async () => {
      connection.close();
    },
  };
};

export const rawPostgres = async (url: string, isPlain: boolean): Promise<Parts> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    run: (send, people, took) =>
      each(people, took, async (after, upTo) => {
        const now = new Date();
        const values = [SCOPE.scopeId, AUDIENCE, after, upTo, send, now.toISOString()];
        await client.query('begin');
        const text = postgresText(isPlain ? 'a.id' : POSTGRES_ID);
        const { rowCount } = await client.query(text, isPlain ? values : [...values, headOf(now)]);
        await client.query('commit');
        return rowCount ?? 0;
      }),
    close: () => client.end(),
  };
};
