import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import {
  AUDIENCES,
  EVENTS,
  pick,
  RANDOM_NOW,
  randomPredicate,
  randomTally,
  randomTraits,
} from '../../../../test/support/audiences/predicate/random.ts';
import {
  DATES,
  randomDate,
  UNIX,
  UNIX_TEXTS,
  ZONES,
} from '../../../../test/support/audiences/predicate/random-dates.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import { seeded } from '../../../../test/support/seeded.ts';
import { evaluate } from './evaluate.ts';
import { type Facts, NO_FACTS, type Tally } from './facts.ts';
import { predicateSql } from './store.ts';
import { inOrgZone, type Predicate, type Verdict } from './types.ts';
import { dateOf } from './values.ts';

const SCOPE = testScope({ orgId: 'o', projectId: 'predicates', environment: 'prod' });
const OTHER = testScope({ orgId: 'o', projectId: 'predicates', environment: 'test' });
const PEOPLE = 220;
const PREDICATES = 260;

type Person = { readonly person: string; readonly facts: Facts };

let database: TestDatabase;
const people = new Map<string, Person>();

/** Random profiles, stored and in memory. */
const fill = async (random: () => number): Promise<void> => {
  const { storage, tables } = database;
  const profiles: (typeof tables.profiles.$inferInsert)[] = [];
  const counters: (typeof tables.personEvents.$inferInsert)[] = [];
  const members: (typeof tables.audienceMembers.$inferInsert)[] = [];
  for (let at = 0; at < PEOPLE; at += 1) {
    const person =
      at % 20 === 0 ? `a:${at}` : `u:${at % 20 === 1 ? pick(random, ['u7-', 'É', 'a"b', 'U']) + at : `u${at}`}`;
    const traits = randomTraits(random);
    const text = (values: readonly (string | null)[]) => pick(random, values);
    const email = text([null, 'ada@example.com', 'É@x.io']);
    const phone = text([null, '+4915112345678']);
    const [locale, localeOverride] = [text([null, 'en', 'fr']), text([null, null, 'de-AT'])];
    const [timezone, timezoneOverride] = [text([null, 'Europe/Paris']), text([null, null, 'UTC'])];
    const time = () => new Date(RANDOM_NOW.getTime() - Math.floor(random() * 5) * 3_600_000 + pick(random, [-1, 0, 1]));
    const [createdAt, lastSeenAt] = [time(), time()];
    const row = {
      person,
      traits,
      version: 1,
      isTruncated: false,
      email,
      phone,
      locale,
      timezone,
      localeOverride,
      timezoneOverride,
    };
    profiles.push({ scopeId: SCOPE.scopeId, ...row, createdAt, lastSeenAt });
    const tallies = new Map<string, Tally>();
    for (const eventType of EVENTS) {
      counters.push({ scopeId: OTHER.scopeId, person, eventType, total: 9, recent: [0], version: 1 });
      if (random() < 0.4) continue;
      const tally = randomTally(random);
      tallies.set(eventType, tally);
      counters.push({ scopeId: SCOPE.scopeId, person, eventType, ...tally, version: 1 });
    }
    const audiences = AUDIENCES.filter(() => random() < 0.5);
    for (const audienceId of AUDIENCES)
      members.push({
        scopeId: audiences.includes(audienceId) ? SCOPE.scopeId : OTHER.scopeId,
        ...{ audienceId, person, joinedAt: RANDOM_NOW },
      });
    const user = {
      ...{ userId: person.startsWith('u:') ? person.slice(2) : null, email, phone },
      ...{ locale: localeOverride ?? locale, timezone: timezoneOverride ?? timezone, createdAt, lastSeenAt },
    };
    people.set(person, {
      person,
      facts: {
        ...{ now: RANDOM_NOW, user, traits },
        tallyOf: (key) => tallies.get(key) ?? { total: 0, recent: [] },
        isMember: (id) => audiences.includes(id),
      },
    });
  }
  await storage.db.insert(tables.profiles).values(profiles);
  await storage.db.insert(tables.personEvents).values(counters);
  await storage.db.insert(tables.audienceMembers).values(members);
};

const verdictOf = (value: unknown): Verdict => (value === null ? null : value === true || value === 1);

const judged = async (predicate: Predicate): Promise<ReadonlyMap<string, Verdict>> => {
  const { storage, tables, dialect } = database;
  const { condition } = predicateSql(dialect, SCOPE, predicate, RANDOM_NOW);
  const rows = await storage.db
    .select({ person: tables.profiles.person, verdict: sql<unknown>`${condition}` })
    .from(tables.profiles);
  return new Map(rows.map(({ person, verdict }) => [person, verdictOf(verdict)]));
};

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

describe('a predicate in SQL', () => {
  it('SQL and memory give the same verdict for random predicates and profiles', async () => {
    const seed = Number(process.env['BECKON_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    await fill(random);
    const differences: string[] = [];
    const counts = { true: 0, false: 0, null: 0 };
    for (let at = 0; at < PREDICATES; at += 1) {
      const predicate = randomPredicate(random);
      const verdicts = await judged(predicate);
      expect(verdicts.size).toBe(PEOPLE);
      for (const { person, facts } of people.values()) {
        const expected = evaluate(predicate, facts);
        counts[`${expected}`] += 1;
        if (verdicts.get(person) !== expected)
          differences.push(
            `${JSON.stringify(predicate)} of ${JSON.stringify(facts)}: ${verdicts.get(person)}, not ${expected}`,
          );
      }
    }
    console.info(
      `predicates in SQL: seed ${seed}, ${PEOPLE * PREDICATES} pairs, differences ${differences.length}`,
      counts,
    );
    expect(differences.slice(0, 5), `seed ${seed}`).toEqual([]);
    // Each verdict must be frequent, otherwise the comparison proves little.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(PEOPLE * PREDICATES * 0.1);
  });

  it('SQL reads dates of any form and year like memory, in every time zone', async () => {
    const seed = Number(process.env['BECKON_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    const dates = [...DATES, ...UNIX, ...UNIX_TEXTS, ...Array.from({ length: 1_500 }, () => randomDate(random))];
    const rows = dates.map((date, at) => ({
      ...{ scopeId: SCOPE.scopeId, person: `u:date-${at}`, traits: { when: date }, version: 1 },
      ...{ isTruncated: false, createdAt: RANDOM_NOW, lastSeenAt: RANDOM_NOW },
    }));
    await database.storage.db.insert(database.tables.profiles).values(rows);
    const bounds = dates.filter((date) => dateOf(date) !== null);
    expect(bounds.length).toBeGreaterThan(dates.length * 0.25);
    const differences: string[] = [];
    for (let at = 0; at < 60; at += 1) {
      const zone = at % 3 === 0 ? {} : { timezone: pick(random, ZONES) };
      const value = pick(random, bounds);
      const test =
        at % 5 === 0
          ? { op: 'within_last', value: { n: 1 + Math.floor(random() * 30_000), unit: 'days' } }
          : { op: pick(random, ['before', 'after']), value };
      const predicate = parsePredicate({ trait: 'when', ...test, ...zone });
      const verdicts = await judged(predicate);
      for (const { person, traits } of rows) {
        const expected = evaluate(predicate, { ...NO_FACTS, now: RANDOM_NOW, traits });
        if (verdicts.get(person) !== expected)
          differences.push(`${JSON.stringify(predicate)} of ${JSON.stringify(traits)}: ${verdicts.get(person)}`);
      }
    }
    expect(differences.slice(0, 5), `seed ${seed}`).toEqual([]);
  });

  it("SQL begins days in the project's zone like memory", async () => {
    const seed = Number(process.env['BECKON_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    const dates = [...DATES, ...Array.from({ length: 300 }, () => randomDate(random))];
    const rows = dates.map((date, at) => ({
      ...{ scopeId: SCOPE.scopeId, person: `u:day-${at}`, traits: { when: date }, version: 1 },
      ...{ isTruncated: false, createdAt: RANDOM_NOW, lastSeenAt: RANDOM_NOW },
    }));
    await database.storage.db.insert(database.tables.profiles).values(rows);
    const bounds = dates.filter((date) => dateOf(date) !== null);
    const differences: string[] = [];
    let zoned = 0;
    for (let at = 0; at < 40; at += 1) {
      const orgTimezone = pick(random, [null, ...ZONES]);
      const leaves = Array.from({ length: 3 }, () => ({
        ...{ trait: 'when', op: pick(random, ['before', 'after']), value: pick(random, bounds) },
        ...{ timezone: pick(random, ['org', ...ZONES]) },
      }));
      const predicate = parsePredicate({ any: [leaves[0], { all: [leaves[1], { not: leaves[2] }] }] });
      if (JSON.stringify(predicate).includes('"org"')) zoned += 1;
      const verdicts = await judged(inOrgZone(predicate, orgTimezone));
      for (const { person, traits } of rows) {
        const facts = { ...NO_FACTS, now: RANDOM_NOW, traits };
        // Evaluated as an audience and as a condition of a step.
        const inMemory = evaluate(inOrgZone(predicate, orgTimezone), facts);
        const ofStep = evaluate(predicate, { ...facts, orgTimezone });
        if (verdicts.get(person) !== inMemory || inMemory !== ofStep)
          differences.push(
            `${JSON.stringify(predicate)} of ${JSON.stringify(traits)} in ${orgTimezone}: ${verdicts.get(person)}`,
          );
      }
    }
    expect(zoned).toBeGreaterThan(0);
    expect(differences.slice(0, 5), `seed ${seed}`).toEqual([]);
  });

  it('both databases execute the largest predicates that the schema allows', async () => {
    const values = Array.from({ length: 1_000 }, (_, at) => `value ${at}`);
    const letters = Array.from({ length: 64 }, (_, at) => String.fromCodePoint(0x1e01 + 2 * at)).join('');
    const leaves = [
      { trait: 'user.email', op: 'in', value: values },
      { trait: 'a"b', op: 'not_in', value: values },
      { trait: 'plan', op: 'contains', value: letters },
      { trait: 'date', op: 'within_last', value: { n: 1, unit: 'days' } },
      { trait: 'version', op: 'ver_gt', value: '1.2' },
    ];
    const most = parsePredicate({ any: Array.from({ length: 99 }, (_, at) => leaves[at % leaves.length]) });
    expect((await judged(most)).size).toBeGreaterThan(0);
    const deep = (levels: number): object => (levels === 1 ? { any: leaves } : { all: [{ not: deep(levels - 2) }] });
    expect((await judged(parsePredicate(deep(7)))).size).toBeGreaterThan(0);
  });

  it('values that look alike but have different types are distinguished', async () => {
    const alike = [
      true,
      false,
      1,
      0,
      '1',
      '0',
      'true',
      ['a'],
      '["a"]',
      [],
      '[]',
      { a: 1 },
      '{"a":1}',
      2 ** 60,
      null,
      'null',
    ];
    const rows = alike.map((value, at) => ({
      ...{ scopeId: SCOPE.scopeId, person: `u:alike-${at}`, traits: { alike: value, 'al"ike': value }, version: 1 },
      ...{ isTruncated: false, createdAt: RANDOM_NOW, lastSeenAt: RANDOM_NOW },
    }));
    await database.storage.db.insert(database.tables.profiles).values(rows);
    const wanted = alike.filter((value) => typeof value !== 'object');
    for (const trait of ['alike', 'al"ike'])
      for (const value of wanted)
        for (const leaf of [
          { trait, op: 'eq', value },
          { trait, op: 'not_in', value: [value, 'else'] },
        ]) {
          const predicate = parsePredicate(leaf);
          const verdicts = await judged(predicate);
          const expected = rows.map(({ traits }) => evaluate(predicate, { ...NO_FACTS, now: RANDOM_NOW, traits }));
          expect(rows.map(({ person }) => verdicts.get(person))).toEqual(expected);
        }
  });

  it('an integer longer than a double is found in a list with any number of values', async () => {
    const row = {
      ...{ scopeId: SCOPE.scopeId, person: 'u:long', traits: { long: [2 ** 60, 0.5] }, version: 1 },
      ...{ isTruncated: false, createdAt: RANDOM_NOW, lastSeenAt: RANDOM_NOW },
    };
    await database.storage.db.insert(database.tables.profiles).values([row]);
    for (const more of [0, 20])
      for (const op of ['includes_any', 'includes_all']) {
        const rest = Array.from({ length: more }, (_, at) => (op === 'includes_any' ? at + 7 : 0.5));
        const predicate = parsePredicate({ trait: 'long', op, value: [2 ** 60, ...rest] });
        expect((await judged(predicate)).get('u:long')).toBe(true);
      }
  });
});
