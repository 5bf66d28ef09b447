// Analytics queries over 400 days of roll-ups, which the product's own code makes of generated events.
import { join } from 'node:path';
import { tablesOf } from '../packages/core/src/app/tables.ts';
import { type OpenDatabase, openDatabase } from '../packages/core/src/database/open.ts';
import { systemClock } from '../packages/core/src/foundation/clock.ts';
import { digest48 } from '../packages/core/src/foundation/hash.ts';
import type { Scope } from '../packages/core/src/foundation/scope.ts';
import { analyticsEngine } from '../packages/core/src/insight/analytics/analytics.ts';
import { quarterOf } from '../packages/core/src/insight/analytics/quarters.ts';
import { querySlots } from '../packages/core/src/insight/analytics/query-slots/query-slots.ts';
import { asker } from '../packages/core/src/insight/analytics/question.ts';
import { rollUp } from '../packages/core/src/insight/analytics/roll-up.ts';
import { sendQuarterStore } from '../packages/core/src/insight/analytics/sends/store.ts';
import type { FollowedEvent, FollowedLog } from '../packages/core/src/people/events/followed/followed.ts';
import type { Bench } from './lib/bench.ts';
import { eventType } from './lib/fixtures.ts';
import type { Gate } from './lib/gates.ts';
import { places } from './lib/places.ts';
import { figure } from './lib/report.ts';
import { type Racer, series, takeTurns, VoidRun } from './lib/rounds.ts';
import { median, randomFrom } from './lib/statistics.ts';

/** Events of the fixture. Source: the goal. */
const EVENTS = { quick: 100_000, full: 10_000_000 };
const DAYS = 400;
const DAY_MS = 86_400_000;
/** Chosen: a user does five things in a row, and there are this many users and names. */
const PEOPLE = 200_000;
const IN_A_ROW = 5;
const TYPES = 20;
/** Templates that are sent in every quarter of an hour, and quarters per insert. Chosen. */
const TEMPLATES = 4;
const QUARTERS_AT_ONCE = 96;
/** Events of one slice. Chosen: more than maintenance takes, because nothing waits here. */
const SLICE = 25_000;
/** Source: the goal; the others are chosen. */
const LIMIT_MS = 1_000;
const STRETCH_MS = 500;

// Safe: the only scope of a database without tenants.
const SCOPE = { scopeId: 1, projectKey: 1, orgId: 'o', projectId: 'p', environment: 'prod' } as unknown as Scope;

/** An event log in order of time; every slice is generated when it is read. */
const generated = ({ storage }: OpenDatabase, count: number, endMs: number): FollowedLog => {
  const random = randomFrom(7);
  let [made, personKey] = [0, 0];
  const next = (): FollowedEvent => {
    if (made % IN_A_ROW === 0) personKey = digest48(`u:${Math.floor(random() * PEOPLE)}`);
    const timestamp = new Date(endMs - DAYS * DAY_MS + Math.floor((made / count) * DAYS * DAY_MS));
    made += 1;
    return {
      scopeId: SCOPE.scopeId,
      personKey,
      module: 'shop',
      eventType: eventType(Math.floor(random() * TYPES)),
      source: 'customer',
      timestamp,
    };
  };
  return {
    next: async (_, limit, work) => {
      const events = Array.from({ length: Math.min(limit, count - made) }, next);
      await storage.transaction((db) => work(db, events));
      return made < count;
    },
    lock: async () => undefined,
  };
};

/** Roll-ups that maintenance would have made of continuous emails. */
const rollUpSends = async ({ storage }: OpenDatabase, endMs: number): Promise<void> => {
  const store = sendQuarterStore({ db: storage.db, tables: tablesOf('sqlite') });
  const last = quarterOf(endMs);
  for (let from = last - DAYS * 96; from <= last; from += QUARTERS_AT_ONCE)
    await store.add(
      Array.from({ length: QUARTERS_AT_ONCE * TEMPLATES }, (_, at) => ({
        ...{ scopeId: SCOPE.scopeId, quarter: from + Math.floor(at / TEMPLATES), channel: 'email' as const },
        ...{ templateId: `template ${at % TEMPLATES}`, workflowId: 'none', targeted: 9, sent: 8, delivered: 7 },
        ...{ opened: 4, clicked: 2, bounced: 1, failed: 1, suppressed: 0 },
      })),
    );
};

/** Queries over the longest retention. Gate: G28. */
export const analytics: Bench = async ({ options, say }) => {
  const count = options.isQuick ? EVENTS.quick : EVENTS.full;
  const database = await openDatabase({
    url: `sqlite:${join(places.work, 'analytics.db')}`,
    durability: 'process',
    trustPath: true,
  });
  try {
    await database.migrate();
    const { storage } = database;
    const tables = tablesOf('sqlite');
    const endMs = Date.now();
    say(`analytics: rolling up ${figure(count)} events`);
    const beganMs = performance.now();
    const step = rollUp({ log: generated(database, count, endMs), tables, slice: SLICE });
    while (await step());
    const rollUpUs = ((performance.now() - beganMs) * 1_000) / count;
    await rollUpSends(database, endMs);
    const engine = analyticsEngine(
      { storage, tables, clock: systemClock },
      {
        ask: asker({ clock: systemClock, querySlots: querySlots(), retentionDays: async () => DAYS + 1 }),
        eventLog: { endOfSlice: async () => null, namedBetween: async () => [] },
        planOf: async () => ({ name: 'unlimited', eventsPerMonth: null }),
        usageOf: async () => 0,
      },
    );
    const range = { from: new Date(endMs - DAYS * DAY_MS), to: new Date(endMs + 1) };
    const here = { ...range, timezone: 'America/St_Johns' };
    const questions: Readonly<Record<string, () => Promise<{ readonly totals: object }>>> = {
      'overview by day': () => engine.overview(SCOPE, here),
      'events by day and name': () => engine.events(SCOPE, { ...here, groupBy: 'eventType' }),
      'events by hour': () => engine.events(SCOPE, { ...here, interval: 'hour' }),
      'events of one name by day': () => engine.events(SCOPE, { ...here, eventType: eventType(3) }),
      'sends by day': () => engine.sends(SCOPE, here),
      'sends by day and template': () => engine.sends(SCOPE, { ...here, groupBy: 'template' }),
      'retention by week': () => engine.retention(SCOPE, here),
    };
    const { totals } = await engine.events(SCOPE, range);
    if (totals.events !== count) throw new VoidRun(`${count} events were rolled up, and ${totals.events} are counted`);
    const racers = Object.entries(questions).map(([name, ask]): Racer => {
      return {
        name,
        turn: async () => {
          const [startMs, cpu] = [performance.now(), process.cpuUsage()];
          await ask();
          const { user, system } = process.cpuUsage(cpu);
          return {
            ms: performance.now() - startMs,
            cpuMs: (user + system) / 1_000,
            mb: process.memoryUsage().rss / 2 ** 20,
          };
        },
      };
    });
    say('analytics: asking');
    await takeTurns(racers, 1);
    const results = await takeTurns(racers, options.rounds);
    const msOf = (name: string): number[] => series(results, name, 'ms');
    const worst = Array.from({ length: options.rounds }, (_, round) =>
      Math.max(...racers.map(({ name }) => msOf(name)[round] ?? Number.NaN)),
    );
    const gate: Gate = {
      id: 'G28',
      says: `longest answer over ${DAYS} days of 10,000,000 events, ms: the worst of all, per round`,
      ...{ values: worst, steady: worst, bound: 'at most', limit: LIMIT_MS, stretch: STRETCH_MS, unit: '' },
    };
    return {
      name: 'analytics',
      about: `rounds ${options.rounds}   ${figure(count)} events of ${figure(PEOPLE)} people in ${DAYS} days, SQLite, a zone of half hours`,
      table: [
        ['question', 'ms', 'greatest', 'cpu ms'],
        ...racers.map(({ name }) => [
          name,
          figure(median(msOf(name))),
          figure(Math.max(...msOf(name))),
          figure(median(series(results, name, 'cpuMs'))),
        ]),
      ],
      notes: [
        `rolled up in ${rollUpUs.toFixed(1)} us an event, in slices of ${figure(SLICE)}`,
        `this process while it answers: ${figure(median(racers.flatMap(({ name }) => series(results, name, 'mb'))))} MB`,
      ],
      skips: [],
      gates: options.isQuick ? [] : [gate],
      results,
    };
  } finally {
    await database.storage.close();
  }
};
