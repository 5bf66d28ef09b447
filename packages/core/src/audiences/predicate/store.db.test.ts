import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { testScope } from '../../../test/scopes.ts';
import { seeded } from '../../../test/seeded.ts';
import { evaluate } from './evaluate.ts';
import type { Facts, Tally } from './facts.ts';
import { predicateSql } from './store.ts';
import { AUDIENCES, EVENTS, pick, RANDOM_NOW, randomPredicate, randomTally, randomTraits } from './testing/random.ts';
import type { Predicate, Verdict } from './types.ts';

const SCOPE = testScope({ orgId: 'o', projectId: 'predicates', environment: 'prod' });
const OTHER = testScope({ orgId: 'o', projectId: 'predicates', environment: 'test' });
const PEOPLE = 220;
const PREDICATES = 260;

type Person = { readonly person: string; readonly facts: Facts };

let database: TestDatabase;
const people = new Map<string, Person>();

/** People with what is known of them, on disk and in memory. */
const fill = async (random: () => number): Promise<void> => {
  const { storage, tables } = database;
  for (let at = 0; at < PEOPLE; at += 1) {
    const person =
      at % 20 === 0 ? `a:${at}` : `u:${at % 20 === 1 ? pick(random, ['u7-', 'É', 'a"b', 'U']) + at : `u${at}`}`;
    const traits = randomTraits(random);
    const text = (values: readonly (string | null)[]) => pick(random, values);
    const email = text([null, 'ada@example.com', 'É@x.io']);
    const phone = text([null, '+4915112345678']);
    const [locale, setLocale] = [text([null, 'en', 'fr']), text([null, null, 'de-AT'])];
    const [timezone, setTimezone] = [text([null, 'Europe/Paris']), text([null, null, 'UTC'])];
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
      setLocale,
      setTimezone,
    };
    await storage.db.insert(tables.profiles).values({ scopeId: SCOPE.scopeId, ...row, createdAt, lastSeenAt });
    const tallies = new Map<string, Tally>();
    for (const eventType of EVENTS)
      if (random() < 0.6) {
        const tally = randomTally(random);
        tallies.set(eventType, tally);
        await storage.db
          .insert(tables.personEvents)
          .values({ scopeId: SCOPE.scopeId, person, eventType, ...tally, version: 1 });
        await storage.db
          .insert(tables.personEvents)
          .values({ scopeId: OTHER.scopeId, person, eventType, total: 9, recent: [0], version: 1 });
      }
    const audiences = AUDIENCES.filter(() => random() < 0.5);
    for (const audienceId of AUDIENCES)
      await storage.db.insert(tables.audienceMembers).values({
        scopeId: audiences.includes(audienceId) ? SCOPE.scopeId : OTHER.scopeId,
        ...{ audienceId, person, joinedAt: RANDOM_NOW },
      });
    const user = {
      ...{ userId: person.startsWith('u:') ? person.slice(2) : null, email, phone },
      ...{ locale: setLocale ?? locale, timezone: setTimezone ?? timezone, createdAt, lastSeenAt },
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
  it('says of everybody what memory says', { timeout: 120_000 }, async () => {
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
    // None of the three is rare, or the comparison would say little.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(PEOPLE * PREDICATES * 0.1);
  });
});
