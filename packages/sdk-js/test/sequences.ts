import type { Page } from 'playwright-core';
import type { Visitor, World } from './site.ts';
import { randomOf } from './support/random.ts';

/** The result of one seed. */
export type Outcome = {
  readonly seed: number;
  readonly steps: readonly string[];
  readonly sent: number;
  readonly stored: number;
  /** Message ids that are stored more than once. */
  readonly doubled: number;
  /** What is still queued in the browser. */
  readonly waiting: number;
};

const MIN_STEPS = 6;
const MORE_STEPS = 6;
const MAX_TABS = 3;
/** Ends only a sequence that hangs. */
const SETTLED_WITHIN_MS = 540_000;
const HOUR_MS = 3_600_000;

type State = { tabs: Page[]; isOnline: boolean };
type Step = {
  readonly name: string;
  readonly weight: number;
  /** Pages are loaded from a server too, which is unreachable offline. */
  readonly needsNetwork?: true;
  run(world: World, visitor: Visitor, state: State, random: () => number): Promise<unknown>;
};

const tabOf = ({ tabs }: State, random: () => number): Page => {
  const tab = tabs[Math.floor(random() * tabs.length)];
  if (!tab) throw new Error('There is always a tab.');
  return tab;
};
const track = (page: Page, count: number): Promise<void> =>
  page.evaluate((given) => {
    for (let n = 0; n < given; n++) window.beckon.track('acted', { n });
  }, count);

/** Closes a tab as a user does; what it sends while closing has been sent when this resolves. */
const closed = async (tab: Page): Promise<void> => {
  const closing = tab.waitForEvent('close');
  await tab.close({ runBeforeUnload: true });
  await closing;
};

const steps: readonly Step[] = [
  {
    name: 'track',
    weight: 6,
    run: (_w, _v, state, random) => track(tabOf(state, random), 1 + Math.floor(random() * 25)),
  },
  {
    name: 'track and navigate',
    weight: 4,
    needsNetwork: true,
    run: async (_w, _v, state, random) => {
      const tab = tabOf(state, random);
      await track(tab, 1 + Math.floor(random() * 5));
      await tab.goto(new URL('/elsewhere', tab.url()).href);
    },
  },
  {
    name: 'click and navigate',
    weight: 3,
    needsNetwork: true,
    run: async (_w, _v, state, random) => {
      const tab = tabOf(state, random);
      // The click itself resolves before the navigation, and a page that is being left cannot be queried.
      await Promise.all([tab.waitForEvent('load'), tab.click('#next')]);
    },
  },
  {
    name: 'back',
    weight: 1,
    needsNetwork: true,
    run: async (_w, _v, state, random) => {
      const tab = tabOf(state, random);
      await tab.goBack();
      // Before the first page there is an empty one, which does not belong to the site.
      if (tab.url() === 'about:blank') await tab.goForward();
    },
  },
  { name: 'reload', weight: 2, needsNetwork: true, run: (_w, _v, state, random) => tabOf(state, random).reload() },
  {
    name: 'push state',
    weight: 2,
    run: (_w, _v, state, random) =>
      tabOf(state, random).evaluate(
        (path) => history.pushState(null, '', path),
        `/spa/${Math.floor(random() * 1_000)}`,
      ),
  },
  {
    name: 'open a tab',
    weight: 2,
    needsNetwork: true,
    run: async (_w, visitor, state) => {
      if (state.tabs.length < MAX_TABS) state.tabs.push(await visitor.open('/tab'));
    },
  },
  {
    name: 'track and close a tab',
    weight: 2,
    run: async (_w, _v, state, random) => {
      if (state.tabs.length < 2) return;
      const tab = tabOf(state, random);
      await track(tab, 3);
      state.tabs = state.tabs.filter((other) => other !== tab);
      // The browser refuses to change its network while one of its tabs closes.
      await closed(tab);
    },
  },
  {
    name: 'offline',
    weight: 2,
    run: async (_w, visitor, state) => {
      state.isOnline = false;
      await visitor.context.setOffline(true);
    },
  },
  {
    name: 'online',
    weight: 2,
    run: async (_w, visitor, state) => {
      state.isOnline = true;
      await visitor.context.setOffline(false);
    },
  },
  {
    name: 'refuse',
    weight: 2,
    run: async ({ gate }, _v, _s, random) => {
      gate.refuse({ status: random() < 0.5 ? 429 : 503, ...(random() < 0.5 && { retryAfterSeconds: 1 }) });
    },
  },
  { name: 'kill or start', weight: 1, run: ({ service }) => (service.isUp() ? service.kill() : service.start()) },
  {
    name: 'wrong clock',
    weight: 1,
    run: (_w, visitor, state, random) =>
      visitor.setClock(tabOf(state, random), Math.round((random() * 10 - 5) * HOUR_MS)),
  },
  { name: 'wait', weight: 2, run: (_w, _v, state, random) => tabOf(state, random).waitForTimeout(random() * 500) },
];

const choose = (random: () => number, state: State): Step => {
  const possible = steps.filter(({ needsNetwork }) => state.isOnline || !needsNetwork);
  let left = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  const found = possible.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return found ?? steps[0] ?? choose(random, state);
};

/** Waits until the queue is empty. */
const waitUntilEmpty = async (visitor: Visitor, page: Page): Promise<void> => {
  const end = performance.now() + SETTLED_WITHIN_MS;
  while ((await visitor.waiting(page)) > 0 && performance.now() < end) {
    await page.evaluate(() => window.beckon.flush().catch(() => {}));
    await page.waitForTimeout(50);
  }
};

/** Runs the actions that a seed determines, in a browser with its own storage, and counts sent and stored events. */
export const runSequence = async (world: World, seed: number): Promise<Outcome> => {
  const random = randomOf(seed);
  const visitor = await world.visitor();
  try {
    const state: State = { tabs: [await visitor.open('/')], isOnline: true };
    const actions: string[] = [];
    const count = MIN_STEPS + Math.floor(random() * MORE_STEPS);
    for (let n = 0; n < count; n++) {
      const step = choose(random, state);
      actions.push(step.name);
      await step.run(world, visitor, state, random);
    }
    await visitor.context.setOffline(false);
    world.gate.reset();
    if (!world.service.isUp()) await world.service.start();
    // A new page sends again what beacons sent.
    const last = await visitor.open('/last');
    await Promise.all(state.tabs.map(closed));
    await last.reload();
    await waitUntilEmpty(visitor, last);
    const sent = await visitor.sent(last);
    const stored = await world.service.stored();
    const times = sent.map((id) => stored.get(id) ?? 0);
    return {
      seed,
      steps: actions,
      sent: sent.length,
      stored: times.filter((n) => n > 0).length,
      doubled: times.filter((n) => n > 1).length,
      waiting: await visitor.waiting(last),
    };
  } finally {
    await visitor.context.close();
  }
};
