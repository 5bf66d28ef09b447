import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type AuthBrowserWorld, EMAIL, openAuthWorld, PASSWORD } from '../auth-world.ts';
import { randomOf } from '../support/random.ts';

/** `BECKON_BROWSER_SEEDS` seeds from `BECKON_BROWSER_SEED` on; a failure names its own. */
const COUNT = Number(process.env['BECKON_BROWSER_SEEDS'] ?? 10);
const FIRST = Number(process.env['BECKON_BROWSER_SEED'] ?? 1);
const STEPS = 20;
const MAX_TABS = 4;
/** Lost answers of one token after which the service cannot know its user any more. Source: MAX_SIBLINGS, plus the first. */
const MAX_LOSSES = 4;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const sessionOf = (tab: Page): Promise<string> => tab.evaluate(() => window.auth.session()?.refreshToken ?? '');

/** Asks for a token without waiting; only a lost connection may refuse it. */
const ask = (tab: Page): Promise<void> =>
  tab.evaluate(() => {
    window.auth.getAccessToken().then(
      (token) => token === null && window.failures.push('no token'),
      (error) => error.status === 0 || window.failures.push(String(error)),
    );
  });

/** Tabs that ask for tokens while tabs close, the network fails, answers are lost and clocks change. */
const runSequence = async (world: AuthBrowserWorld, seed: number): Promise<string[]> => {
  const random = randomOf(seed);
  const context = await world.context();
  const state = { isOnline: true, losses: 0, skewMs: 0 };
  const lost = new Map<string, number>();
  world.state.delayMs = () => 1 + random() * 60;
  world.state.network = (path, refreshToken) => {
    if (!state.isOnline) return 'offline';
    if (path !== '/token/refresh' || state.losses === 0) return 'works';
    const count = (lost.get(refreshToken) ?? 0) + 1;
    if (count >= MAX_LOSSES) return 'works';
    state.losses -= 1;
    lost.set(refreshToken, count);
    return 'lost';
  };
  const tabs: Page[] = [await world.open(context)];
  const tab = (): Page => {
    const found = tabs[Math.floor(random() * tabs.length)];
    if (!found) throw new Error('there is always a tab');
    return found;
  };
  const setClock = (): Promise<void> => world.setClock(tab(), state.skewMs);
  const later = (ms: number): Promise<void> => {
    world.clock.advance(ms);
    return setClock();
  };
  await setClock();
  await tab().evaluate((account) => window.auth.signIn(account), { email: EMAIL, password: PASSWORD });

  const actions: readonly (readonly [name: string, run: () => unknown])[] = [
    ['token', () => ask(tab())],
    ['all tabs at once', () => Promise.all(tabs.map(ask))],
    ['open', async () => tabs.length < MAX_TABS && tabs.push(await world.open(context))],
    [
      'close during a refresh',
      async () => {
        if (tabs.length < 2) return;
        const closing = tab();
        const refreshToken = await sessionOf(closing);
        // Closing it may lose an answer, as a broken connection does.
        if (!lost.has(refreshToken)) {
          lost.set(refreshToken, 1);
          await ask(closing);
        }
        tabs.splice(tabs.indexOf(closing), 1);
        await sleep(random() * 60);
        await closing.close();
      },
    ],
    ['offline', () => (state.isOnline = false)],
    ['online', () => (state.isOnline = true)],
    ['lose answers', () => (state.losses = 1 + Math.floor(random() * 2))],
    [
      'clock',
      () => {
        state.skewMs = Math.round((random() - 0.5) * 20 * HOUR_MS);
        return setClock();
      },
    ],
    ['minutes', () => later(random() * 20 * MINUTE_MS)],
    ['hours', () => later(random() * 50 * HOUR_MS)],
    ['moment', () => sleep(random() * 100)],
  ];
  const steps: string[] = [];
  for (let n = 0; n < STEPS; n += 1) {
    const [name, run] = actions[Math.floor(random() * actions.length)] ?? ['', () => undefined];
    steps.push(name);
    await run();
  }
  Object.assign(state, { isOnline: true, losses: 0 });
  const failures: string[] = [];
  const last = await world.open(context);
  for (const one of [...tabs, last]) {
    // A lock of a tab that was closed, and requests without an answer, end within this time by themselves.
    const token = await one.evaluate(() => window.auth.getAccessToken().catch((error) => `failed: ${error}`));
    if (token === null || token.startsWith('failed')) failures.push(`session lost: ${token}`);
    failures.push(...(await one.evaluate(() => window.failures)));
    if ((await one.evaluate(() => window.changes)).includes('signed_out')) failures.push('signed out');
  }
  // A token that the device's clock made look valid is rejected, and then replaced.
  const me = await last.evaluate(() =>
    window.auth.me().then(
      ({ email }) => email,
      (error) => String(error),
    ),
  );
  if (me !== EMAIL) failures.push(`not signed in: ${me}`);
  await context.close();
  return failures.length === 0 ? [] : [`seed ${seed}: ${steps.join(', ')}: ${failures.join('; ')}`];
};

describe('sessions of several tabs in a browser', () => {
  it('no session is lost in random sequences of tabs, networks and clocks', async () => {
    const world = await openAuthWorld();
    const failed: string[] = [];
    try {
      for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) failed.push(...(await runSequence(world, seed)));
    } finally {
      await world.close();
    }
    console.log(`sign-in sequences: ${COUNT} seeds, ${failed.length} sessions lost`);
    expect(failed).toEqual([]);
  });
});
