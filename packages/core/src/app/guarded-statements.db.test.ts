import type { Table } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hotWrites } from '../../test/guards/hot-statements.ts';
import type { Beside, Rule } from '../../test/guards/rule.ts';
import { RULES, WITHOUT_RULE } from '../../test/guards/rules.ts';
import { otherRow, otherThan, sampleRow, type Values } from '../../test/guards/values.ts';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { COMMIT_ORDER } from '../database/commit/commit-order.ts';
import { type Committed, type Write, write } from '../database/commit/write-set.ts';
import type { BulkWrite } from '../database/statements/bulk.ts';
import { hotColumns } from '../database/statements/codec.ts';
import { virtualClock } from '../foundation/clock.ts';

/** Rows of one commit that SQLite runs as one statement. */
const MANY = 20;

/** The id in `COMMIT_ORDER`: one statement has several forms, which share a place there. */
const nameOf = ({ id }: BulkWrite): string => /^push\.upsert/.exec(id)?.[0] ?? id;

/** The columns by which a statement finds its row, according to its form. */
const matchOf = ({ form }: BulkWrite): readonly string[] => {
  switch (form.verb) {
    case 'update':
    case 'delete':
      return form.where;
    case 'insert':
      return form.conflict?.target ?? [];
    case 'still':
      return form.of;
    default:
      return [];
  }
};

/** The columns in the constant condition of a statement. */
const conditionOf = (dialect: TestDatabase['dialect'], { form, table }: BulkWrite): string[] => {
  const names = new Set<string>();
  const noted = (name: string): string => {
    names.add(name);
    return name;
  };
  if (form.verb === 'insert') form.conflict?.when?.(noted);
  else if (form.verb === 'update' || form.verb === 'delete' || form.verb === 'still') form.when?.(noted);
  const columns = Object.values(hotColumns(dialect, table));
  return [...names].map((name) => columns.find((column) => column.name === name)?.key ?? name);
};

describe('guarded statements', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  let statements: readonly BulkWrite[];

  beforeAll(async () => {
    database = await openTestDatabase({ clock });
    statements = hotWrites(database.tables, database.storage);
  });
  afterAll(() => database.close());

  const rowsOf = (table: Table): Promise<Values[]> => database.storage.db.select().from(table);
  /** Returns the rows as they are read. */
  const store = async (table: Table, rows: readonly Values[]): Promise<Values[]> => {
    await database.storage.db.delete(table);
    return rows.length === 0
      ? []
      : database.storage.db
          .insert(table)
          .values([...rows])
          .returning();
  };
  /** The row as stored before the commit. For an insert everything but its key belongs to another row. */
  const storedFor = ({ form, table }: BulkWrite, rule: Rule): Values => {
    const sample = sampleRow(table, [...rule.match, ...(rule.empties ?? [])]);
    const key = Object.fromEntries(rule.match.map((one) => [one, sample[one]]));
    return { ...(form.verb === 'insert' ? { ...otherRow(table), ...key } : sample), ...rule.row };
  };
  /** The input of the commit: the stored key, and new values for everything that the statement sets. */
  const inputFor = ({ form, table }: BulkWrite, rule: Rule, stored: Values): Values => {
    const key = Object.fromEntries(rule.match.map((one) => [one, stored[one]]));
    if (form.verb === 'insert') return { ...sampleRow(table, form.columns), ...key, ...rule.write };
    const set = Object.keys(form.verb === 'update' ? form.set : {}).map((one): [string, unknown] => {
      const isCompared = rule.match.includes(one);
      const name = isCompared ? `new${one.charAt(0).toUpperCase()}${one.slice(1)}` : one;
      return [name, otherThan(table, one, stored[one])];
    });
    return { ...Object.fromEntries(set), ...key, ...(form.verb === 'still' ? { count: 1 } : {}), ...rule.write };
  };
  const commit = (...writes: readonly Write[]): Promise<Committed> => database.storage.commit({ writes });
  const commitOne = (bulk: BulkWrite, input: Values): Promise<Committed> => commit(write(bulk, input, 'it'));

  /** Commits over one stored row; returns whether anything changed, and the result of the commit. */
  const attempt = async (
    bulk: BulkWrite,
    stored: readonly Values[],
    input: Values,
    beside: readonly [Beside | undefined, Values | undefined],
  ): Promise<{ readonly hasChanged: boolean; readonly isOk: boolean }> => {
    const [other, besideRow] = beside;
    if (other) await store(other.table, besideRow ? [besideRow] : []);
    const before = await store(bulk.table, stored);
    const { ok } = await commitOne(bulk, input);
    return { hasChanged: JSON.stringify(await rowsOf(bulk.table)) !== JSON.stringify(before), isOk: ok };
  };

  /** Calls a statement with each case of its rule; returns a sentence for each unexpected result. */
  const seenOf = async (bulk: BulkWrite, rule: Rule): Promise<string[]> => {
    const wrong: string[] = [];
    const beside = rule.beside?.(database.tables);
    const row = storedFor(bulk, rule);
    const input = inputFor(bulk, rule, row);
    const isPrecondition = bulk.form.verb === 'still';
    const isInsert = bulk.form.verb === 'insert';
    const isReplacing = isInsert && (rule.stops ?? []).length > 0;
    const look = async (label: string, stored: readonly Values[], isToChange: boolean, besideRow?: Values) => {
      const { hasChanged, isOk } = await attempt(bulk, stored, input, [beside, besideRow ?? beside?.passes[0]]);
      if (!isPrecondition && hasChanged !== isToChange)
        wrong.push(`${label}: ${hasChanged ? 'changed' : 'left'} the row`);
      const isToPass = isToChange || rule.isGuarded !== true;
      if (isOk !== isToPass) wrong.push(`${label}: the commit ${isOk ? 'passed' : 'failed'}`);
    };
    const saying = (differences: Values): string => JSON.stringify(differences);

    if (isInsert) await look('no row', [], true);
    if (isInsert && !isReplacing) await look('the row is there', [row], false);
    if (!isInsert || isReplacing) await look('the row as it was read', [row], true);
    for (const differences of rule.passes ?? [])
      await look(`passes ${saying(differences)}`, [{ ...row, ...differences }], true);
    for (const differences of rule.stops ?? [])
      await look(`stops ${saying(differences)}`, [{ ...row, ...differences }], false);
    if (!isInsert)
      for (const key of rule.match)
        await look(`another ${key}`, [{ ...row, [key]: otherThan(bulk.table, key, row[key]) }], false);
    for (const besideRow of beside?.passes ?? []) await look(`beside ${saying(besideRow)}`, [row], true, besideRow);
    for (const besideRow of beside?.stops ?? []) await look(`beside ${saying(besideRow)}`, [row], false, besideRow);
    if (bulk.form.verb === 'update') {
      await attempt(bulk, [row], input, [beside, beside?.passes[0]]);
      const [after] = await rowsOf(bulk.table);
      for (const key of rule.empties ?? []) if (after?.[key] !== null) wrong.push(`it leaves ${key}`);
      for (const key of rule.raises ?? [])
        if (after?.[key] !== Number(row[key]) + 1) wrong.push(`it does not raise ${key}`);
    }
    if (bulk.form.verb === 'update' && rule.isGuarded) {
      await store(bulk.table, [row]);
      await commitOne(bulk, input);
      const { ok } = await commitOne(bulk, input);
      if (ok === (rule.isOnce === true)) wrong.push(`a second time: the commit ${ok ? 'passed' : 'failed'}`);
    }
    return wrong;
  };

  it('each guarded statement has a row in the table of rules, and compares what its row says', () => {
    expect(new Set(statements.map(nameOf))).toEqual(new Set(COMMIT_ORDER));
    expect(new Set([...Object.keys(RULES), ...Object.keys(WITHOUT_RULE)])).toEqual(new Set(COMMIT_ORDER));
    for (const bulk of statements) {
      const rule = RULES[nameOf(bulk)];
      if (!rule) continue;
      expect([bulk.id, new Set(matchOf(bulk)), bulk.isGuarded]).toEqual([
        bulk.id,
        new Set(rule.match),
        rule.isGuarded === true,
      ]);
      const fixed = (verb: string): Set<string> =>
        new Set(
          Object.entries(bulk.form.verb === 'update' ? bulk.form.set : {}).flatMap(([key, one]) =>
            one === verb ? [key] : [],
          ),
        );
      expect([bulk.id, fixed('null'), fixed('increment')]).toEqual([
        bulk.id,
        new Set(rule.empties),
        new Set(rule.raises),
      ]);
      const shown = new Set([...rule.match, ...(rule.stops ?? []).flatMap((one) => Object.keys(one))]);
      expect([bulk.id, conditionOf(database.dialect, bulk).filter((key) => !shown.has(key))]).toEqual([bulk.id, []]);
    }
  });

  it('a guarded statement changes nothing with a stale value, and fails its commit', async () => {
    const wrong: string[] = [];
    for (const bulk of statements) {
      const rule = RULES[nameOf(bulk)];
      if (rule) wrong.push(...(await seenOf(bulk, rule)).map((sentence) => `${bulk.id}: ${sentence}`));
    }
    expect(wrong).toEqual([]);
  });

  it('a counted statement counts exactly the rows that were read', async () => {
    for (const bulk of statements.filter(({ form }) => form.verb === 'still')) {
      const rule = RULES[nameOf(bulk)];
      if (!rule) continue;
      const row = storedFor(bulk, rule);
      await store(bulk.table, [row]);
      const passed: boolean[] = [];
      for (const count of [0, 1, 2]) passed.push((await commitOne(bulk, { ...inputFor(bulk, rule, row), count })).ok);
      expect([bulk.id, passed]).toEqual([bulk.id, [false, true, false]]);
    }
  });

  it('a cap reservation succeeds only while capacity is free', async () => {
    const bulk = statements.find(({ id }) => id === 'caps.take');
    if (!bulk) throw new TypeError('there is no caps.take');
    const { table } = bulk;
    const [own, other] = [sampleRow(table, []), otherRow(table)];
    const expiresAt = new Date('2900-01-01T00:00:00.000Z');
    const input = { ...own, most: 1, lastsMs: 1000 };
    const attempted = async (stored: Values): Promise<boolean> => {
      await store(table, [{ ...own, expiresAt, ...stored }]);
      const before = JSON.stringify(await rowsOf(table));
      const { ok } = await commitOne(bulk, input);
      expect(JSON.stringify(await rowsOf(table)) !== before).toBe(ok);
      return ok;
    };
    const sendId = other['sendId'];
    expect(await attempted({ sendId })).toBe(false);
    expect(await attempted({ sendId: own['sendId'] })).toBe(true);
    expect(await attempted({ sendId, expiresAt: clock.now() })).toBe(true);
    for (const key of ['scopeId', 'person', 'rule']) expect(await attempted({ sendId, [key]: other[key] })).toBe(true);
  });

  it('messages of a segment send are created only if the segment has as many members as were counted', async () => {
    const bulk = statements.find(({ id }) => id === 'sending.fill');
    if (!bulk) throw new TypeError('there is no sending.fill');
    const { audienceMembers, pushTokens } = database.tables;
    const member = sampleRow(audienceMembers, []);
    await store(audienceMembers, [member]);
    await store(pushTokens, [{ ...sampleRow(pushTokens, ['person']), isActive: true }]);
    const message = sampleRow(bulk.table, []);
    const { scopeId, audienceId, person } = member;
    const part = { scopeId, audienceId, after: '', upTo: person, sendId: message['sendId'], channel: 'push', base: 0 };
    const input = { ...part, head: '01890000-0000', now: message['createdAt'] };
    const made: [boolean, number][] = [];
    for (const rows of [0, 2, 1]) {
      await store(bulk.table, []);
      const { ok } = await commitOne(bulk, { ...input, rows });
      made.push([ok, (await rowsOf(bulk.table)).length]);
    }
    expect(made).toEqual([
      [false, 0],
      [false, 0],
      [true, 1],
    ]);
  });

  it('one stale row among many undoes the whole commit', async () => {
    const wrong: string[] = [];
    for (const bulk of statements) {
      const { table } = bulk;
      const rule = RULES[nameOf(bulk)];
      if (!rule?.isGuarded || !['sending.hand_over', 'sending.settle_sent'].includes(bulk.id)) continue;
      const ids = Array.from({ length: MANY }, (_, at) => `01890000-0000-7000-8000-0000000001${at + 10}`);
      const stored = storedFor(bulk, rule);
      const input = inputFor(bulk, rule, stored);
      const fence = otherThan(table, 'fence', stored['fence']);
      for (const staleAt of [null, 0, MANY - 1]) {
        await store(
          table,
          ids.map((id, at) => ({ ...stored, id, ...(at === staleAt ? { fence } : {}) })),
        );
        const before = JSON.stringify(await rowsOf(table));
        const done = await commit(...ids.map((id) => write(bulk, { ...input, id }, id)));
        const failed = done.ok ? [] : [...done.failed];
        const hasChanged = JSON.stringify(await rowsOf(table)) !== before;
        if (hasChanged !== (staleAt === null)) wrong.push(`${bulk.id}: ${hasChanged ? 'changed' : 'left'} the rows`);
        if (failed.join() !== (staleAt === null ? '' : ids[staleAt]))
          wrong.push(`${bulk.id}: told of ${failed.join()}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
