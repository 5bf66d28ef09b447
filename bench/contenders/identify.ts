// The built product with users in segments, and calls that change a trait which all of these segments use.
import { answerParent } from '../lib/child.ts';
import { userId } from '../lib/fixtures.ts';
import { byHand, numberOf } from './people/by-hand.ts';
import { type Fixture, makeFixture, type Opened, openFixture } from './people/fixture.ts';
import { VISITS, visitsOf } from './people/people.ts';
import { WINDOWS, windowOf } from './people/predicates.ts';

export type Make = { readonly root: string; readonly url: string; readonly people: number; readonly audiences: number };
export type Start = { readonly root: string; readonly url: string; readonly people: number; readonly fixture: Fixture };
/** Cost of one call, in this process; `changed` counts joins and leaves. */
export type Done = { readonly cpuUs: number; readonly rate: number; readonly changed: number };

/** Concurrent calls. Source: performance design, the ingest benchmark. */
const AT_ONCE = 64;
/** Increase of a user's visits per call, if membership is to change. */
const STEP = 10;
/** Visits after a call. Windows begin at even numbers, so that one more or less changes no membership. */
const after = (visits: number, isMoving: boolean): number => (isMoving ? (visits + STEP) % VISITS : visits ^ 1);

type Running = Opened &
  Start & { readonly visits: Int32Array; readonly windows: readonly ReturnType<typeof windowOf>[] };
let running: Running | undefined;
let at = 0;

const started = (): Running => {
  if (!running) throw new Error('not started');
  return running;
};

/** This many of the hundred, at equal distances. */
const windowsOf = (audiences: number) =>
  Array.from({ length: audiences }, (_, index) => windowOf(Math.floor((index * WINDOWS) / audiences)));

const make = ({ root, url, people, audiences }: Make): Promise<Fixture> =>
  makeFixture(root, url, people, windowsOf(audiences));

const start = async (given: Start): Promise<void> => {
  const { root, url, people, fixture } = given;
  const opened = await openFixture(root, url, fixture);
  const visits = Int32Array.from({ length: people }, (_, index) => visitsOf(index));
  running = { ...given, ...opened, visits, windows: windowsOf(fixture.audiences.length) };
};

/** Every user in turn, many at once. */
const run = async ({ count, isMoving }: { readonly count: number; readonly isMoving: boolean }): Promise<Done> => {
  const { beckon, scope, people, visits, windows } = started();
  const memberships = (index: number) => windows.map(({ holds }) => holds(index, visits[index] ?? 0));
  const calls = Array.from({ length: count }, () => {
    const index = at++ % people;
    const before = memberships(index);
    visits[index] = after(visits[index] ?? 0, isMoving);
    const changed = memberships(index).filter((is, window) => is !== before[window]).length;
    return { input: { userId: userId(index), traits: { visits: visits[index] } }, changed };
  });
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  let next = 0;
  const one = async (): Promise<void> => {
    for (let call = calls[next++]; call; call = calls[next++]) await beckon.events.identify(scope, call.input);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const { user, system } = process.cpuUsage(cpu);
  const changed = calls.reduce((sum, call) => sum + call.changed, 0);
  return {
    cpuUs: (user + system) / count,
    rate: (count * 1_000) / (performance.now() - startMs),
    changed: changed / count,
  };
};

/** Throws unless every user is in exactly the segments that their traits match. */
const check = async (): Promise<void> => {
  const { url, people, visits, windows, fixture } = started();
  const hand = await byHand(url);
  const there = await numberOf(hand, `select count(*) from audience_members where scope_id = ${fixture.scopeId}`);
  await hand.close();
  let wanted = 0;
  for (let index = 0; index < people; index += 1)
    wanted += windows.filter(({ holds }) => holds(index, visits[index] ?? 0)).length;
  if (there !== wanted) throw new Error(`${there} memberships are there instead of ${wanted}`);
};

answerParent({ make, start, run, check });
