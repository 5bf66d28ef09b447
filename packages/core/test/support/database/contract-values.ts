import { and, desc, eq, inArray, lt } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContractDatabase, commit, type OpenContractDatabase, tagged } from './contract-database.ts';
import type { SampleTables } from './sample.ts';

type Sample = SampleTables['samples']['$inferSelect'];

const SCOPE = { scopeId: 1 };
const ID = '0197a000-0000-7000-8000-00000000000a';
const NO_IDS = ['', 'x', `${ID}0`, ` ${ID}`, ID.replaceAll('-', ''), ID.toUpperCase(), `{${ID}}`, "'"];
const empty: Omit<Sample, 'id'> = {
  ...SCOPE,
  uuid: null,
  clientId: null,
  environment: null,
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
    uuid: ID,
    clientId: ID,
    environment: 'test',
    text: 'text',
    bool: true,
    int: 2_147_483_647,
    big: Number.MAX_SAFE_INTEGER,
    real: 1.5,
    json: { nested: { list: [1, 'two', null, true, { deep: [] }] }, empty: {} },
    time: new Date('2026-01-02T03:04:05.678Z'),
  },
  {
    scopeId: 2_147_483_647,
    id: 'low',
    uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    clientId: '~order 7',
    environment: 'prod',
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
const keyOf = ({ scopeId, id }: Sample): [number, string] => [scopeId, id];

const built = ({ storage, tables }: ContractDatabase): Promise<Sample[]> => storage.db.select().from(tables.samples);
const bulk = ({ storage, hot }: ContractDatabase, rows: readonly Sample[]): Promise<Sample[]> =>
  storage.select(hot.readSamples, rows.map(keyOf));

/** Values of every column type round-trip, by the builder and by hot statements. */
export const valuesContract = (openContract: OpenContractDatabase): void => {
  describe('values', () => {
    it('the builder reads values as it wrote them', async () => {
      const database = await openContract();
      await database.storage.db.insert(database.tables.samples).values([...samples]);
      expect(byId(await built(database))).toStrictEqual(byId(samples));
    });

    it('a hot read returns values as a hot write of many rows wrote them', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      expect(await commit(storage, ...samples.map((row) => tagged(hot.insertSample, row)))).toEqual({ ok: true });
      expect(byId(await bulk(database, samples))).toStrictEqual(byId(samples));
    });

    it('the builder and hot statements store equal values', async () => {
      const database = await openContract();
      const { storage, hot, tables } = database;
      const [first, ...others] = samples;
      if (first) await storage.db.insert(tables.samples).values(first);
      await commit(storage, ...others.map((row) => tagged(hot.insertSample, row)));
      expect(byId(await built(database))).toStrictEqual(byId(samples));
      expect(byId(await bulk(database, samples))).toStrictEqual(byId(samples));
    });

    it('absent values are null', async () => {
      const database = await openContract();
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

    it('an insert that returns rows returns the stored values', async () => {
      const { storage, tables } = await openContract();
      const [sample] = samples;
      if (!sample) throw new Error('no sample');
      expect(await storage.db.insert(tables.samples).values(sample).returning()).toStrictEqual([sample]);
      const update = storage.db.update(tables.samples).set({ text: 'new' }).where(eq(tables.samples.id, sample.id));
      expect(await update.returning({ id: tables.samples.id, text: tables.samples.text })).toEqual([
        { id: sample.id, text: 'new' },
      ]);
    });

    it('a value that its column does not accept is rejected before it is sent', async () => {
      const { storage, hot } = await openContract();
      const wrong = { ...empty, id: 'x', time: '2026-01-01T00:00:00Z' };
      await expect(commit(storage, tagged<Record<string, unknown>>(hot.insertSample, wrong))).rejects.toThrow(
        new TypeError('a time column takes a Date'),
      );
    });

    it('values of any shape survive a batch', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
      const row = fc.record({
        uuid: fc.option(fc.uuid()),
        clientId: fc.option(
          fc.oneof(
            fc.uuid(),
            text,
            text.map((one) => `~${one}`),
          ),
        ),
        environment: fc.option(fc.constantFrom('prod' as const, 'test' as const)),
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

  describe('ids', () => {
    it('a text that is no row id finds nothing and fails no statement', async () => {
      const { storage, hot, tables } = await openContract();
      const { errands } = tables;
      await commit(storage, tagged(hot.insertErrand, { scopeId: 1, id: ID, dueAt: null, fence: 0 }));
      for (const id of NO_IDS) {
        expect(await storage.select(hot.readErrands, [[1, id]])).toEqual([]);
        expect(
          await storage.select(hot.readErrands, [
            [1, id],
            [1, ID],
            [1, id],
          ]),
        ).toEqual([{ scopeId: 1, id: ID }]);
        expect(await storage.db.select().from(errands).where(eq(errands.id, id))).toEqual([]);
        const among = storage.db
          .select({ id: errands.id })
          .from(errands)
          .where(inArray(errands.id, [id, ID]));
        expect(await among).toEqual([{ id: ID }]);
      }
    });

    it('row ids sort as their texts', async () => {
      const { storage, hot, tables } = await openContract();
      const { errands } = tables;
      const ids = ['00000000-0000-7000-8000-000000000001', ID, 'a0000000-0000-7000-8000-000000000000'];
      for (const id of ids) await commit(storage, tagged(hot.insertErrand, { scopeId: 1, id, dueAt: null, fence: 0 }));
      const newest = storage.db.select({ id: errands.id }).from(errands).orderBy(desc(errands.id));
      expect(await newest).toEqual(ids.toReversed().map((id) => ({ id })));
      expect(await storage.db.select({ id: errands.id }).from(errands).where(lt(errands.id, ID))).toEqual([
        { id: ids[0] },
      ]);
    });
  });

  describe('ids of clients', () => {
    it('an id of a client finds its row and no other, in any format', async () => {
      const { storage, hot, tables } = await openContract();
      const ids = [
        ID,
        ID.toUpperCase(),
        ID.replaceAll('-', ''),
        '~',
        '~~',
        `~${ID}`,
        'AZegAAAAcACAAAAAAAAACg',
        '~AZegAAAAcACAAAAAAAAACg',
      ];
      const rows = ids.map((clientId, at) => ({ ...empty, id: `row ${at}`, clientId }));
      await commit(storage, ...rows.map((row) => tagged(hot.insertSample, row)));
      for (const [at, clientId] of ids.entries()) {
        const found = [{ id: `row ${at}` }];
        expect(await storage.select(hot.readByClient, [[1, clientId]])).toEqual(found);
        const built = storage.db.select({ id: tables.samples.id }).from(tables.samples);
        expect(await built.where(eq(tables.samples.clientId, clientId))).toEqual(found);
      }
      expect(
        await storage.select(
          hot.readByClient,
          ids.map((id) => [1, id]),
        ),
      ).toHaveLength(ids.length);
    });
  });

  describe('generated numbers', () => {
    it('a number generated by the database differs for each row', async () => {
      const { storage, tables } = await openContract();
      const insert = (label: string) => storage.db.insert(tables.numbered).values({ label }).returning();
      const [first] = await insert('first');
      const [second] = await insert('second');
      expect([first?.label, second?.label]).toEqual(['first', 'second']);
      expect(Number.isSafeInteger(first?.number)).toBe(true);
      expect(second?.number).toBeGreaterThan(first?.number ?? Number.POSITIVE_INFINITY);
    });
  });

  describe('hot reads', () => {
    it('a hot read returns the rows of its keys and no others', async () => {
      const { storage, hot } = await openContract();
      const other = { ...empty, scopeId: 3, id: 'plain' };
      await commit(storage, ...[...samples, other].map((row) => tagged(hot.insertSample, row)));
      const keys = [
        [1, 'zero'],
        [1, 'plain'],
        [1, 'unknown'],
        [2, 'low'],
      ] as const;
      const rows = await storage.select(hot.readSamples, keys);
      expect(rows.map(keyOf).sort()).toEqual([keys[1], keys[0]]);
    });

    it('a hot read applies its constant condition', async () => {
      const { storage, hot } = await openContract();
      const counters = [9, 10, 11].map((value) => ({ id: `c${value}`, value, version: 1 }));
      await commit(storage, ...counters.map((row) => tagged(hot.replaceAny, row)));
      expect(await storage.select(hot.readBigCounters, [['c9'], ['c10'], ['c11']])).toEqual([{ id: 'c11', value: 11 }]);
    });

    it('a hot read without keys returns nothing', async () => {
      const { storage, hot } = await openContract();
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

    it.each(texts)('a JSON member named %j is read as text', async (key, text) => {
      const { storage, tables } = await openContract();
      const { samples: table } = tables;
      await storage.db.insert(table).values([
        { ...empty, id: 'has', json: traits },
        { ...empty, id: 'has not', json: { other: text, nested: { [key]: text } } },
        { ...empty, id: 'has no object' },
      ]);
      const found = storage.db.select({ id: table.id }).from(table);
      expect(await found.where(eq(storage.dialect.jsonText(table.json, key), text))).toEqual([{ id: 'has' }]);
    });

    it('a JSON member that is null or missing reads as null', async () => {
      const { storage, tables } = await openContract();
      const { samples: table } = tables;
      await storage.db.insert(table).values({ ...empty, id: 'has', json: traits });
      const { jsonText } = storage.dialect;
      const read = storage.db
        .select({ nothing: jsonText(table.json, 'nothing'), missing: jsonText(table.json, 'missing') })
        .from(table)
        .where(and(eq(table.scopeId, 1), eq(table.id, 'has')));
      expect(await read).toEqual([{ nothing: null, missing: null }]);
    });
  });
};
