import { and, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContractDatabase, commit, type Given, tagged } from './given.ts';
import type { SampleTables } from './sample.ts';

type Sample = SampleTables['samples']['$inferSelect'];

const SCOPE = { orgId: 'o', projectId: 'p', environment: 'test' };
const empty: Omit<Sample, 'id'> = {
  ...SCOPE,
  text: null,
  bool: null,
  int: null,
  big: null,
  real: null,
  json: null,
  time: null,
};
const samples: readonly Sample[] = [
  {
    ...SCOPE,
    id: 'plain',
    text: 'text',
    bool: true,
    int: 2_147_483_647,
    big: Number.MAX_SAFE_INTEGER,
    real: 1.5,
    json: { nested: { list: [1, 'two', null, true, { deep: [] }] }, empty: {} },
    time: new Date('2026-01-02T03:04:05.678Z'),
  },
  {
    ...SCOPE,
    id: 'low',
    text: '',
    bool: false,
    int: -2_147_483_648,
    big: Number.MIN_SAFE_INTEGER,
    real: -0.1,
    json: [],
    time: new Date('1969-12-31T23:59:59.999Z'),
  },
  { ...empty, id: 'nothing' },
  {
    ...empty,
    id: 'odd \\ "text", {NULL} \'',
    text: '\\"\'{},NULL\n\t$1 ? :x 🙂 \u2028',
    json: { 'a "key"': '\\ " \' 🙂' },
  },
  { ...empty, id: 'null as a word', text: 'NULL', json: { text: 'NULL', number: 1e21, small: 5e-324, sum: 0.1 + 0.2 } },
  { ...empty, id: 'long', text: 'ä'.repeat(50_000), json: { long: 'x'.repeat(100_000) } },
  { ...empty, id: 'zero', int: 0, big: 0, real: 0, time: new Date(0), json: {} },
];

const byId = (rows: readonly Sample[]): Map<string, Sample> => new Map(rows.map((row) => [row.id, row]));
const keyOf = ({ orgId, projectId, environment, id }: Sample): string[] => [orgId, projectId, environment, id];

const built = ({ storage, tables }: ContractDatabase): Promise<Sample[]> => storage.db.select().from(tables.samples);
const bulk = ({ storage, hot }: ContractDatabase, rows: readonly Sample[]): Promise<Sample[]> =>
  storage.select(hot.readSamples, rows.map(keyOf));

/** Every column word comes back as it went in, whichever way it went. */
export const valuesContract = (given: Given): void => {
  describe('values', () => {
    it('come back from the builder as the builder wrote them', async () => {
      const database = await given();
      await database.storage.db.insert(database.tables.samples).values([...samples]);
      expect(byId(await built(database))).toStrictEqual(byId(samples));
    });

    it('come back from a hot read as one hot write of many rows wrote them', async () => {
      const database = await given();
      const { storage, hot } = database;
      expect(await commit(storage, ...samples.map((row) => tagged(hot.insertSample, row)))).toEqual({ ok: true });
      expect(byId(await bulk(database, samples))).toStrictEqual(byId(samples));
    });

    it('are the same for the builder and for hot statements', async () => {
      const database = await given();
      const { storage, hot, tables } = database;
      const [first, ...others] = samples;
      if (first) await storage.db.insert(tables.samples).values(first);
      await commit(storage, ...others.map((row) => tagged(hot.insertSample, row)));
      expect(byId(await built(database))).toStrictEqual(byId(samples));
      expect(byId(await bulk(database, samples))).toStrictEqual(byId(samples));
    });

    it('that are absent are null', async () => {
      const database = await given();
      const { storage, hot, tables } = database;
      await storage.db.insert(tables.samples).values({ ...SCOPE, id: 'builder' });
      const absent = { ...SCOPE, id: 'hot', text: undefined, json: undefined, time: undefined };
      await commit(storage, tagged<Record<string, unknown>>(hot.insertSample, absent));
      const expected = [
        { ...empty, id: 'builder' },
        { ...empty, id: 'hot' },
      ];
      expect(byId(await built(database))).toStrictEqual(byId(expected));
    });

    it('come back from an insert that returns them', async () => {
      const { storage, tables } = await given();
      const [sample] = samples;
      if (!sample) throw new Error('no sample');
      expect(await storage.db.insert(tables.samples).values(sample).returning()).toStrictEqual([sample]);
      const update = storage.db.update(tables.samples).set({ text: 'new' }).where(eq(tables.samples.id, sample.id));
      expect(await update.returning({ id: tables.samples.id, text: tables.samples.text })).toEqual([
        { id: sample.id, text: 'new' },
      ]);
    });

    it('of a kind that the column does not take are refused before they are sent', async () => {
      const { storage, hot } = await given();
      const wrong = { ...empty, id: 'x', time: '2026-01-01T00:00:00Z' };
      await expect(commit(storage, tagged<Record<string, unknown>>(hot.insertSample, wrong))).rejects.toThrow(
        new TypeError('a time column takes a Date'),
      );
    });

    it('of any shape survive a batch', async () => {
      const database = await given();
      const { storage, hot } = database;
      const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
      const row = fc.record({
        text: fc.option(text),
        bool: fc.option(fc.boolean()),
        int: fc.option(fc.integer()),
        big: fc.option(fc.maxSafeInteger()),
        real: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
        json: fc.option(
          fc.dictionary(
            text.filter((key) => key !== '__proto__'),
            fc.oneof(text, fc.integer(), fc.boolean()),
          ),
        ),
        time: fc.option(fc.date({ min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })),
      });
      let batch = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
          batch += 1;
          const made = rows.map((values, at) => ({ ...SCOPE, id: `${batch}-${at}`, ...values }));
          await commit(storage, ...made.map((one) => tagged(hot.insertSample, one)));
          expect(byId(await bulk(database, made))).toEqual(byId(made));
        }),
        { numRuns: 30 },
      );
    });
  });

  describe('hot reads', () => {
    it('answer the rows of the given keys and no others', async () => {
      const { storage, hot } = await given();
      const other = { ...empty, orgId: 'other', id: 'plain' };
      await commit(storage, ...[...samples, other].map((row) => tagged(hot.insertSample, row)));
      const keys = [
        ['o', 'p', 'test', 'zero'],
        ['o', 'p', 'test', 'plain'],
        ['o', 'p', 'test', 'unknown'],
        ['o', 'p', 'prod', 'low'],
      ];
      const rows = await storage.select(hot.readSamples, keys);
      expect(rows.map(keyOf).sort()).toEqual([keys[1], keys[0]]);
    });

    it('keep to their constant condition', async () => {
      const { storage, hot } = await given();
      const counters = [9, 10, 11].map((value) => ({ id: `c${value}`, value, version: 1 }));
      await commit(storage, ...counters.map((row) => tagged(hot.replaceAny, row)));
      expect(await storage.select(hot.readBigCounters, [['c9'], ['c10'], ['c11']])).toEqual([{ id: 'c11', value: 11 }]);
    });

    it('of no keys answer nothing', async () => {
      const { storage, hot } = await given();
      expect(await storage.select(hot.readSamples, [])).toEqual([]);
    });
  });

  describe('members of JSON as text', () => {
    const traits: Record<string, unknown> = {
      plan: 'gold',
      age: 42,
      ratio: 0.1 + 0.2,
      tiny: 0.000_01,
      huge: 123_456_789_012_345_680,
      isMember: true,
      isGuest: false,
      nothing: null,
      'a.b': 'dots',
      "it's": 'single quote',
      'say "x"': 'double quote',
      'back\\slash': 'backslash',
      '': 'empty name',
      '$[0]': 'path',
      'ключ 🙂': 'unicode',
    };
    const texts = Object.entries(traits).flatMap(([key, value]) =>
      value === null ? [] : [[key, String(value)] as const],
    );

    it.each(texts)('are found under the name %j', async (key, text) => {
      const { storage, tables } = await given();
      const { samples: table } = tables;
      await storage.db.insert(table).values([
        { ...empty, id: 'has', json: traits },
        { ...empty, id: 'has not', json: { other: text, nested: { [key]: text } } },
        { ...empty, id: 'has no object' },
      ]);
      const found = storage.db.select({ id: table.id }).from(table);
      expect(await found.where(eq(storage.dialect.jsonText(table.json, key), text))).toEqual([{ id: 'has' }]);
    });

    it('are null where the member is null or missing', async () => {
      const { storage, tables } = await given();
      const { samples: table } = tables;
      await storage.db.insert(table).values({ ...empty, id: 'has', json: traits });
      const { jsonText } = storage.dialect;
      const read = storage.db
        .select({ nothing: jsonText(table.json, 'nothing'), missing: jsonText(table.json, 'missing') })
        .from(table)
        .where(and(eq(table.orgId, 'o'), eq(table.id, 'has')));
      expect(await read).toEqual([{ nothing: null, missing: null }]);
    });
  });
};
