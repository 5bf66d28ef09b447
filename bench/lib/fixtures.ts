import { writeFileSync } from 'node:fs';
import { randomFrom, zipfRanks } from './statistics.ts';

/** Source of the numbers: performance design, rules of measurement. */
export const USERS = 10_000;
export const PROJECTS = 3;
const EVENT_TYPES = 20;
const BODY_BYTES = 420;
/** Requests of one file; the client begins again at its end. Chosen: enough to touch most users. */
const REQUESTS = 32_768;

/** Placeholder for the message id of an event, a random UUID as SDKs send them. */
export const ID_MARK = '@'.repeat(36);

/** Event number 0 is the most frequent one, and the trigger of the benchmarks' workflow. */
export const eventType = (rank: number): string => `shop.event_${String(rank).padStart(2, '0')}`;
/** Type of events that start a run, in benchmarks with runs. */
export const STARTS = 'shop.started';
/** Steps of a run. Source: performance design, the workflow benchmark. */
export const STEPS = 3;
/** A workflow whose steps change no user: every user has a plan. The profile is read nevertheless. */
export const threeSteps = {
  ...{ name: 'Three steps', description: null, isActive: true, trigger: { eventType: STARTS } },
  steps: Array.from(
    { length: STEPS },
    () => ({ type: 'update_profile', config: { setOnce: { plan: 'none' } } }) as const,
  ),
};
/** The id of a user by rank; rank 0 is the busiest. */
export const userId = (index: number): string => `user-${String(index).padStart(6, '0')}`;
/** A user always belongs to one project. */
export const projectOf = (index: number): number => index % PROJECTS;

const COUNTRIES = ['DE', 'FR', 'GB', 'US', 'ES', 'IT', 'NL', 'SE'];
const PLANS = ['free', 'starter', 'growth', 'scale'];
const FIRST_MS = Date.UTC(2026, 0, 5, 8);

/** Eight traits; `visit` changes one of them each time. */
export const traitsOf = (index: number, visit: number): Record<string, unknown> => ({
  email: `${userId(index)}@example.com`,
  firstName: `Name${index % 500}`,
  plan: PLANS[index % PLANS.length],
  country: COUNTRIES[index % COUNTRIES.length],
  age: 18 + (index % 60),
  isTrial: index % 5 === 0,
  visits: visit,
  lastOrderAt: new Date(FIRST_MS + index * 60_000).toISOString(),
});

/** An event body of about 420 bytes. */
export const eventOf = (
  index: number,
  rank: number,
  at: number,
  messageId: string | null,
  type = eventType(rank),
): Record<string, unknown> => {
  const properties: Record<string, unknown> = {
    orderId: `order-${String(at).padStart(8, '0')}`,
    amount: 10 + (at % 9_000) / 100,
    currency: 'EUR',
    items: 1 + (at % 7),
    category: `category-${rank}`,
    isFirst: at % 11 === 0,
    platform: at % 2 === 0 ? 'ios' : 'android',
    appVersion: '4.12.0',
    note: '',
  };
  const body = {
    module: 'shop',
    eventType: type,
    userId: userId(index),
    ...(messageId === null ? {} : { messageId }),
    timestamp: new Date(FIRST_MS + at * 1_000).toISOString(),
    context: { locale: 'en-GB', timezone: 'Europe/London' },
    properties,
  };
  properties['note'] = 'x'.repeat(Math.max(0, BODY_BYTES - JSON.stringify(body).length));
  return body;
};

/** Events of one request to `/events/batch`, all of different users. Source: performance design, G4. */
export const BATCH_EVENTS = 50;
/** Batches of one file; the client begins again at its end. Chosen. */
const BATCHES = 655;

const writeLines = (file: string, lines: readonly string[]): void => writeFileSync(file, `${lines.join('\n')}\n`);

/**
 * Writes a file of requests, one per line: number of the project, path and JSON, separated by tabs. Users and event
 * types have a
 * Zipf distribution; every second event carries a message id. The same arguments give the same file.
 *
 * @param identifyShare 0 to 1, of requests that are identify calls with a changed trait
 * @param startShare 0 to 1, of events that start a run of `threeSteps`
 */
export const writeRequests = (file: string, identifyShare: number, startShare = 0): void => {
  const random = randomFrom(1);
  const user = zipfRanks(USERS, random);
  const type = zipfRanks(EVENT_TYPES, random);
  const lines = Array.from({ length: REQUESTS }, (_, at) => {
    const index = user();
    const isIdentify = random() < identifyShare;
    const rank = isIdentify ? 0 : type();
    const isStart = startShare > 0 && random() < startShare;
    const body = isIdentify
      ? { userId: userId(index), traits: traitsOf(index, at + 1) }
      : eventOf(index, rank, at, at % 2 === 0 ? ID_MARK : null, isStart ? STARTS : eventType(rank));
    return `${projectOf(index)}\t/api/v1/${isIdentify ? 'identify' : 'events'}\t${JSON.stringify(body)}`;
  });
  writeLines(file, lines);
};

/** Writes a file of batches, like `writeRequests`; every event carries a message id. */
export const writeBatches = (file: string): void => {
  const random = randomFrom(2);
  const user = zipfRanks(USERS, random);
  const type = zipfRanks(EVENT_TYPES, random);
  const lines = Array.from({ length: BATCHES }, (_, at) => {
    const project = at % PROJECTS;
    const people = new Set<number>();
    while (people.size < BATCH_EVENTS) {
      const index = user();
      if (projectOf(index) === project) people.add(index);
    }
    const batch = [...people].map((index, of) => eventOf(index, type(), at * BATCH_EVENTS + of, ID_MARK));
    return `${project}\t/api/v1/events/batch\t${JSON.stringify({ batch })}`;
  });
  writeLines(file, lines);
};
