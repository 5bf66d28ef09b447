// Segment queries: by the built product, or by hand on a database of the same users.
import { answerParent } from '../lib/child.ts';
import { eventOf } from '../lib/fixtures.ts';
import { atRate } from '../lib/pace.ts';
import { randomFrom } from '../lib/statistics.ts';
import { byHand, numberOf } from './people/by-hand.ts';
import { type Fixture, makeFixture, type Opened, openFixture } from './people/fixture.ts';
import { conditionOf, PREDICATES, type PredicateName, WINDOWS, windowOf } from './people/predicates.ts';

export type Make = { readonly root: string; readonly url: string; readonly people: number; readonly audiences: number };
export type Start = {
  /** Null: by hand. */
  readonly root: string | null;
  readonly url: string;
  readonly people: number;
  readonly fixture: Fixture;
};
export type Question = 'count' | 'members' | PredicateName;
export type Ask = { readonly question: Question; readonly times: number };
/** For the whole process, per query; `found` must be equal for all implementations of a query. */
export type Done = { readonly cpuUs: number; readonly wallMs: number; readonly found: number };
export type Built = { readonly audiences: number; readonly wallMs: number; readonly cpuUs: number };

/** Members of one page. */
const PAGE = 50;
/** Events per second beside previews. Chosen: some tenth of the capacity of two cores. */
const EVENTS_PER_SECOND = 400;
const POLL_MS = 20;

type Running = {
  readonly people: number;
  answer(question: Question): Promise<number>;
  event?(index: number, at: number): Promise<unknown>;
};
let running: Running | undefined;
const started = (): Running => {
  if (!running) throw new Error('not started');
  return running;
};

/** A segment described by `and`, and this many more. */
const make = ({ root, url, people, audiences }: Make): Promise<Fixture> =>
  makeFixture(root, url, people, [
    ...(audiences > 0 ? [PREDICATES.and] : []),
    ...Array.from({ length: Math.max(0, audiences - 1) }, (_, at) => windowOf(Math.floor((at * WINDOWS) / audiences))),
  ]);

const handOf = async ({ url, people, fixture: { scopeId, audiences } }: Start): Promise<Running> => {
  const hand = await byHand(url);
  const within = `scope_id = ${scopeId} and audience_id = '${audiences[0]}'`;
  return {
    people,
    answer: async (question) => {
      if (question === 'count') return numberOf(hand, `select count(*) from audience_members where ${within}`);
      if (question === 'members') {
        const page = `select person, joined_at from audience_members where ${within} order by person limit ${PAGE}`;
        return (await hand.rows(page)).length;
      }
      const condition = conditionOf(hand, PREDICATES[question]);
      return numberOf(hand, `select count(*) from profiles where scope_id = ${scopeId} and ${condition}`);
    },
  };
};

const productOf = ({ beckon, scope }: Opened, { people, fixture: { audiences } }: Start): Running => {
  const [first = ''] = audiences;
  return {
    people,
    answer: async (question) => {
      if (question === 'count') return (await beckon.audiences.get(scope, first)).memberCount;
      if (question === 'members') return (await beckon.audiences.members(scope, first, { limit: PAGE })).data.length;
      return (await beckon.audiences.preview(scope, { predicate: PREDICATES[question].predicate })).count;
    },
    event: (index, at) => {
      // Safe: the fixture makes the body of an event.
      const body = eventOf(index, at % 20, at, null) as Parameters<typeof beckon.events.track>[1];
      return beckon.events.track(scope, body);
    },
  };
};

const start = async (given: Start): Promise<void> => {
  const { root, url, fixture } = given;
  running = root === null ? await handOf(given) : productOf(await openFixture(root, url, fixture), given);
};

const measured = async <T>(work: () => Promise<T>) => {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, wallMs: performance.now() - startMs, cpuUs: user + system };
};

const ask = async ({ question, times }: Ask): Promise<Done> => {
  const { answer } = started();
  const { value, wallMs, cpuUs } = await measured(async () => {
    let found = Number.NaN;
    for (let time = 0; time < times; time += 1) found = await answer(question);
    return found;
  });
  return { cpuUs: cpuUs / times, wallMs: wallMs / times, found: value };
};

/** The p99 of events at a fixed rate, alone or beside one preview after the other. */
const ingest = async ({ ms, isBusy }: { readonly ms: number; readonly isBusy: boolean }) => {
  const { people, answer, event } = started();
  if (!event) throw new Error('by hand there is no ingest');
  const random = randomFrom(3);
  let made = 0;
  const ended = atRate(EVENTS_PER_SECOND, () => event(Math.floor(random() * people), made++));
  const untilMs = performance.now() + ms;
  let previews = 0;
  while (isBusy && performance.now() < untilMs) {
    await answer('and');
    previews += 1;
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs - performance.now())));
  const { p99: p99Ms, ofAll: allP99Ms } = await ended();
  return { p99Ms, allP99Ms, previews };
};

/** Lets the worker build segments of existing users, for this time at most. */
const build = async ({
  count,
  limitMs,
  ...given
}: Start & { readonly count: number; readonly limitMs: number }): Promise<Built> => {
  const { root, url, fixture } = given;
  if (root === null) throw new Error('by hand nothing is built');
  const { beckon, scope } = await openFixture(root, url, fixture);
  for (let at = 0; at < count; at += 1)
    await beckon.audiences.create(scope, { name: `Audience ${at}`, predicate: windowOf(at).predicate });
  const { value, wallMs, cpuUs } = await measured(async () => {
    const untilMs = performance.now() + limitMs;
    const built = async () =>
      (await beckon.audiences.list(scope, { status: 'ready', limit: 1, count: true })).pagination;
    beckon.worker.start();
    for (;;) {
      const { total = 0 } = await built();
      if (total === count || performance.now() > untilMs) return total;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  });
  await beckon.close();
  return { audiences: value, wallMs, cpuUs };
};

answerParent({ make, start, ask, ingest, build });
