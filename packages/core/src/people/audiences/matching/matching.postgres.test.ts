import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countingProcess } from '../../../../test/support/audiences/counting/counting-process.ts';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import type { Storage } from '../../../database/storage.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { withDeadline } from '../../../foundation/deadline.ts';
import { matching } from './matching.ts';

const scope = testScope({ orgId: 'o', projectId: 'matching', environment: 'prod' });
const START = '2026-03-01T10:00:00.000Z';
/** More users than one slice with two leaves may have. */
const USERS = 12_000;
const DEADLINE_MS = 300;
const LISTED = '01932d4e-7b2f-7c3a-9f00-0123456789ab';
const IN_LISTED = { audience: LISTED, op: 'in' };

describe('a preview of more users than a slice has', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
    const { scopeId } = scope;
    await asAnother((client) =>
      client.query(
        `insert into profiles (scope_id, person, traits, version, is_truncated, created_at, last_seen_at)
         select ${scopeId}, kind || n, jsonb_build_object('n', n), 1, false, now(), now()
         from generate_series(1, ${USERS}) as n, (values ('u:'), ('a:')) as kinds (kind)`,
      ),
    );
  });
  afterEach(() => database.close());

  const asAnother = async (work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  const previewer = (storage: Storage = database.storage) => {
    const { profiles, counters } = countingProcess(database, virtualClock(START));
    const { preview } = matching({
      storage,
      clock: virtualClock(START),
      loadProfiles: profiles.load,
      coversLeaf: counters.coversLeaf,
      talliesOf: counters.ofPeople,
      membersOf: async () => () => false,
    });
    return (given: unknown, sample: number) => preview(scope, parsePredicate(given), sample);
  };

  it('a preview counts every matching user once and returns the first ones', async () => {
    const preview = previewer();
    expect(await preview({ trait: 'n', op: 'lte', value: 11_000 }, 3)).toEqual({
      count: 11_000,
      people: ['u:1', 'u:10', 'u:100'],
    });
    expect(await preview({ trait: 'n', op: 'gt', value: USERS }, 3)).toEqual({ count: 0, people: [] });
    expect(await preview({ trait: 'n', op: 'set' }, 1)).toEqual({ count: USERS, people: ['u:1'] });
  });

  it('a predicate with members of another audience gives the same count', async () => {
    await asAnother((client) =>
      client.query(
        `insert into audience_members (scope_id, audience_id, person, joined_at)
         select scope_id, '${LISTED}', person, now() from profiles where traits ->> 'n' in ('7', '8')`,
      ),
    );
    const preview = previewer();
    expect(await preview(IN_LISTED, 3)).toEqual({ count: 2, people: ['u:7', 'u:8'] });
    const without = [
      { audience: LISTED, op: 'not_in' },
      { trait: 'n', op: 'lt', value: 9 },
    ];
    expect(await preview(without, 1)).toEqual({ count: 6, people: ['u:1'] });
  });

  it('a preview beside other writers pauses and gives the same count', async () => {
    let made = 0;
    let each = 0;
    const commits = () => {
      made += each;
      return made;
    };
    const asked: string[] = [];
    const { readOnlyConnection: aside } = database.storage;
    // Safe: only the selected fields are inspected.
    const select = ((fields: never) => {
      const builder = aside.select(fields);
      const from = (source: SQL) => {
        asked.push(new PgDialect().sqlToQuery(source).sql);
        return builder.from(source);
      };
      return { from };
    }) as unknown as typeof aside.select;
    const preview = previewer({ ...database.storage, commits, readOnlyConnection: { select } });
    const all = { count: USERS, people: ['u:1'] };
    expect(await preview({ trait: 'n', op: 'set' }, 1)).toEqual(all);
    each = 10;
    expect(await preview({ trait: 'n', op: 'set' }, 1)).toEqual(all);
    each = 0;
    expect(await preview({ trait: 'n', op: 'set' }, 1)).toEqual(all);
    expect(asked.map((text) => text.includes('pg_sleep'))).toEqual([false, true, false]);
  });

  const NONE = { count: 0, people: [] };
  /** Expects the call to end at its deadline. */
  const late = (call: () => Promise<unknown>): Promise<void> =>
    expect(withDeadline(DEADLINE_MS, call)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });

  it('a preview ends at its deadline and frees its connection', async () => {
    const preview = previewer();
    await asAnother(async (holder) => {
      // Finding the end of a slice does not need this table.
      await holder.query('begin; lock table audience_members in access exclusive mode');
      await Promise.all([late(() => preview(IN_LISTED, 1)), late(() => preview(IN_LISTED, 1))]);
      await holder.query('rollback; begin; lock table profiles in access exclusive mode');
      await late(() => preview({ trait: 'n', op: 'set' }, 1));
    });
    expect(await preview(IN_LISTED, 1)).toEqual(NONE);
  });

  it('a third preview waits for one of two to end, but not beyond its deadline', async () => {
    const preview = previewer();
    await asAnother(async (holder) => {
      await holder.query('begin; lock table audience_members in access exclusive mode');
      const waiting = `select from pg_locks join pg_database as d on d.oid = database
        where not granted and datname = current_database()`;
      const reads = [preview(IN_LISTED, 1), preview(IN_LISTED, 1)];
      await vi.waitFor(async () => expect((await holder.query(waiting)).rowCount).toBe(2));
      const next = preview({ trait: 'n', op: 'gt', value: USERS }, 1);
      await late(() => preview({ trait: 'n', op: 'set' }, 1));
      await holder.query('rollback');
      expect(await Promise.all([...reads, next])).toEqual([NONE, NONE, NONE]);
    });
  });
});
