import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SQL, Table } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreRule } from '../../test/guards/store-rule.ts';
import { STORE_STATEMENTS } from '../../test/guards/store-rules.ts';
import { otherThan, type Values } from '../../test/guards/values.ts';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import type { Db } from '../database/storage.ts';
import { virtualClock } from '../foundation/clock.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** An update, a delete, or an insert that replaces a row under a condition, as drizzle's builder writes them. */
const STATEMENT =
  /\.(update|delete)\((?!['"`])(\w+)\)\s*\.(?:set|where)\(|\.insert\((\w+)\)(?:(?!\.insert\()[\s\S])*?setWhere:/g;

/** How each statement of a source file begins, in order. */
const statementsIn = (text: string): string[] =>
  [...text.matchAll(STATEMENT)].map(([, verb = 'insert', table, inserted]) => `${verb} ${table ?? inserted}`);

describe('guarded statements of stores', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase({ clock });
  });
  afterAll(() => database.close());

  const rowsOf = (table: Table): Promise<Values[]> => database.storage.db.select().from(table);
  /** Calls the statement over one stored row; returns its result and whether the row changed. */
  const attempt = async ({ table: name, call }: StoreRule, input: Values, stored: Values, changes?: Values) => {
    const { storage, tables } = database;
    const table: Table = tables[name];
    await storage.db.delete(table);
    const [inserted] = await storage.db.insert(table).values(stored).returning();
    const before = JSON.stringify([{ ...inserted, ...changes }]);
    const db = changes ? interrupted(storage.db, table, changes) : storage.db;
    const result = await call({ db, dialect: storage.dialect, tables }, input);
    return { result: Boolean(result), hasChanged: JSON.stringify(await rowsOf(table)) !== before };
  };
  /** The database of a call that reads first: before its update another transaction changes the row. */
  const interrupted = (db: Db, table: Table, changes: Values): Db => {
    const change = async (): Promise<void> => {
      await db.update(table).set(changes);
    };
    const update = (of: typeof table) => ({
      set: (values: Values) => ({
        where: (condition: SQL | undefined) => {
          const late = change();
          const write = async () => {
            await late;
            return db.update(of).set(values).where(condition).returning();
          };
          // Awaited directly, or by its `returning`.
          let written: Promise<unknown> | undefined;
          const once = (): Promise<unknown> => (written ??= write());
          return Object.assign(Promise.resolve().then(once), { returning: once });
        },
      }),
    });
    return Object.create(db, { update: { value: update } });
  };
  const wrongOf = async (one: StoreRule): Promise<string[]> => {
    const row = one.stored(database.tables);
    const table: Table = database.tables[one.table];
    const wrong: string[] = [];
    const look = async (label: string, stored: Values, isToChange: boolean, changes?: Values) => {
      const { result, hasChanged } = await attempt(one, row, stored, changes);
      if (hasChanged !== isToChange) wrong.push(`${label}: ${hasChanged ? 'changed' : 'left'} the row`);
      if (one.isReported && result !== isToChange) wrong.push(`${label}: told ${result}`);
    };
    await look('the row as it was read', row, true);
    for (const key of one.match)
      await look(`another ${key}`, { ...row, [key]: otherThan(table, key, row[key]) }, false);
    for (const differences of one.stops) await look(JSON.stringify(differences), { ...row, ...differences }, false);
    for (const changes of one.meanwhile) await look(`meanwhile ${JSON.stringify(changes)}`, row, false, changes);
    // Statements on other tables may read this one.
    await database.storage.db.delete(table);
    return wrong;
  };

  it('each store statement is in the table of rules, or the table says why it needs none', () => {
    const files = globSync('**/*.ts', { cwd: ROOT }).filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file));
    const found = files.flatMap((file) => {
      const statements = statementsIn(readFileSync(`${ROOT}${file}`, 'utf8'));
      return statements.length === 0 ? [] : [[file, statements] as const];
    });
    expect(found.length).toBeGreaterThan(30);
    const listed = Object.entries(STORE_STATEMENTS).map(([file, all]) => [file, all.map(({ is }) => is)]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
  });

  it('a delete statement without ids deletes nothing', async () => {
    const { storage, tables } = database;
    const erased: string[] = [];
    for (const [file, statements] of Object.entries(STORE_STATEMENTS))
      for (const statement of statements) {
        if (!('rules' in statement) || !statement.unnamed) continue;
        const [first] = statement.rules;
        if (!first) continue;
        const table: Table = tables[first.table];
        await storage.db.delete(table);
        await storage.db.insert(table).values(first.stored(tables));
        const result = await statement.unnamed({ db: storage.db, dialect: storage.dialect, tables });
        if (result !== 0 || (await rowsOf(table)).length !== 1) erased.push(`${file} ${statement.is}`);
        await storage.db.delete(table);
      }
    expect(erased).toEqual([]);
  });

  it('a store statement changes nothing with a stale value', async () => {
    const wrong: string[] = [];
    for (const [file, statements] of Object.entries(STORE_STATEMENTS))
      for (const statement of statements)
        for (const one of 'rules' in statement ? statement.rules : [])
          wrong.push(...(await wrongOf(one)).map((sentence) => `${file} ${statement.is}: ${sentence}`));
    expect(wrong).toEqual([]);
  });
});
