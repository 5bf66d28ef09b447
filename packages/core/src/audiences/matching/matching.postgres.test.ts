import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { testScope } from '../../../test/scopes.ts';
import { virtualClock } from '../../primitives/clock.ts';
import { withDeadline } from '../../primitives/deadline.ts';
import { countingProcess } from '../counting/testing/counting-process.ts';
import { parsePredicate } from '../predicate/testing/parse.ts';
import { matching } from './matching.ts';

const scope = testScope({ orgId: 'o', projectId: 'matching', environment: 'prod' });
const START = '2026-03-01T10:00:00.000Z';
/** Above what one slice of two leaves may have. */
const USERS = 12_000;
const DEADLINE_MS = 300;

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
  const preview = (given: unknown, sample: number) => {
    const { profiles, counters } = countingProcess(database, virtualClock(START));
    const { preview } = matching({
      storage: database.storage,
      clock: virtualClock(START),
      loadProfiles: profiles.load,
      isTold: counters.isTold,
      talliesOf: counters.ofPeople,
      membersOf: async () => () => false,
    });
    return preview(scope, parsePredicate(given), sample);
  };

  it('counts every user once and nobody else, and shows the first of them', async () => {
    expect(await preview({ trait: 'n', op: 'lte', value: 11_000 }, 3)).toEqual({
      count: 11_000,
      people: ['u:1', 'u:10', 'u:100'],
    });
    expect(await preview({ trait: 'n', op: 'gt', value: USERS }, 3)).toEqual({ count: 0, people: [] });
    expect(await preview({ trait: 'n', op: 'set' }, 1)).toEqual({ count: USERS, people: ['u:1'] });
  });

  it('ends where the database takes too long', async () => {
    await asAnother(async (holder) => {
      await holder.query('begin; lock table profiles in access exclusive mode');
      const late = withDeadline(DEADLINE_MS, () => preview({ trait: 'n', op: 'set' }, 1));
      await expect(late).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    });
  });
});
