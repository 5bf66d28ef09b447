import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventRow } from '../../../../test/support/events/event-row.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import { tablesOf } from '../../../app/tables.ts';
import { write } from '../../../database/commit/write-set.ts';
import { type OpenDatabase, openDatabase } from '../../../database/open.ts';
import { personKey } from '../person-key.ts';
import { eventStatements } from '../statements.ts';
import { PASS, type PeopleIndex, peopleIndex } from './store.ts';

const tables = tablesOf('sqlite');
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });

describe('the index over profiles on a SQLite file', () => {
  let folder: string;
  let database: OpenDatabase;
  let index: PeopleIndex;
  let texts: Set<string>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'beckon-people-'));
    texts = new Set();
    const observer = { statement: (id: string, _: number, text: string) => id === 'sql' && texts.add(text) };
    database = await openDatabase({ url: `sqlite:${join(folder, 'beckon.db')}`, durability: 'process', observer });
    await database.migrate();
    index = peopleIndex({ storage: database.storage, tables });
  });
  afterEach(async () => {
    await database.storage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const store = async (count: number): Promise<void> => {
    const hot = eventStatements(tables);
    const writes = Array.from({ length: count }, (_, n) => {
      const person = `u:user-${n % 1_000}`;
      return write(hot.insertEvent, eventRow(scope, rowId(String(n)), person, personKey(scope, person)));
    });
    await database.storage.commit({ writes });
  };
  const entries = async (): Promise<number> => (await database.storage.db.select().from(tables.eventsByPerson)).length;

  it('one step indexes about 2,500 events in a transaction; several steps index all', async () => {
    await store(PASS + 200);
    const sizes: number[] = [];
    for (let last = 0, isMore = true; isMore; ) {
      isMore = await index.catchUp();
      const size = await entries();
      sizes.push(size - last);
      last = size;
    }
    expect(Math.max(...sizes)).toBeLessThan(2_800);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(PASS + 200);
    expect(sizes).toHaveLength(5);
    expect(await index.catchUp()).toBe(false);
  });

  it("reads and writes of a profile's events never scan the events of a scope", async () => {
    await store(10);
    await index.catchUp();
    await index.move(scope, 'u:user-1', 'u:user-2', 10);
    await index.listOf(scope, ['u:user-2'], 1, 5);
    await index.listOf(scope, ['u:user-2', 'u:user-3'], 100);
    await database.storage.close();
    const connection = new Database(join(folder, 'beckon.db'), { readonly: true });
    const lines = [...texts]
      .filter((text) => /"event/.test(text))
      .flatMap((text) => {
        const params = [...text.matchAll(/\?/g)].map(() => null);
        const plan = connection.prepare(`explain query plan ${text}`).all(params) as { detail: string }[];
        return plan.map(({ detail }) => detail);
      });
    connection.close();
    expect(lines.filter((line) => /^SEARCH events USING INTEGER PRIMARY KEY/.test(line)).length).toBeGreaterThan(4);
    // The cursor is one row; the last position is at the end of the table.
    expect(lines.filter((line) => /^SCAN (?!events_by_person_cursor|json_each)|events_id/.test(line))).toEqual([]);
  });
});
