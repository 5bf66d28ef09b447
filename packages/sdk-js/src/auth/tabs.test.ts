import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeAuthService } from '../../test/support/fake-auth-service.ts';
import { pass, stopTime } from '../../test/support/fake-place.ts';
import { fakeTabs, type Tab } from '../../test/support/fake-tabs.ts';
import { randomOf } from '../../test/support/random.ts';
import { ApiError } from '../errors.ts';

const SEQUENCES = 100;
const STEPS = 30;
const MAX_TABS = 4;
/** Lost answers of one token after which the service cannot know its user any more. Source: MAX_SIBLINGS, plus the first. */
const MAX_LOSSES = 4;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

/** Tabs that ask for tokens while tabs close, the network fails, answers are lost and the clock changes. */
const runSequence = async (seed: number, hasLocks: boolean): Promise<string[]> => {
  const random = randomOf(seed);
  const service = fakeAuthService(() => Date.now());
  const state = { isOnline: true, losses: 0 };
  const inFlight = new Map<unknown, number>();
  const site = fakeTabs(service, {
    hasLocks,
    delayMs: () => 1 + Math.floor(random() * (hasLocks ? 400 : 100)),
    network: (path, body) => {
      const { refreshToken } = body;
      if (!state.isOnline) return 'offline';
      if (path !== '/token/refresh' || state.losses === 0) return 'works';
      const losses = (inFlight.get(refreshToken) ?? 0) + 1;
      if (Math.max(losses, service.lossesOf(refreshToken) + 1) >= MAX_LOSSES) return 'works';
      state.losses -= 1;
      inFlight.set(refreshToken, losses);
      return 'lost';
    },
  });
  const tabs: Tab[] = [site.open()];
  const steps: string[] = [];
  const failures: unknown[] = [];
  const tab = (): Tab => tabs[Math.floor(random() * tabs.length)] ?? site.open();
  const ask = (of: Tab): void =>
    void of.auth.getAccessToken().then(
      (token) => token === null && failures.push('no token'),
      (error: unknown) => (error instanceof ApiError && error.status === 0 ? undefined : failures.push(error)),
    );
  const signIn = tabs[0]?.auth.signIn({ email: 'ann@example.com', password: 'secret' });
  await pass(2_000);
  await signIn;

  const actions: readonly (readonly [name: string, run: () => unknown])[] = [
    ['token', () => ask(tab())],
    ['all tabs at once', () => tabs.forEach(ask)],
    ['open', () => tabs.length < MAX_TABS && tabs.push(site.open())],
    [
      'close during a refresh',
      async () => {
        if (tabs.length < 2) return;
        const closing = tab();
        // Closing it loses an answer, as a broken connection does.
        const { refreshToken } = closing.auth.session() ?? {};
        if (service.lossesOf(refreshToken) === 0 && !inFlight.has(refreshToken)) {
          inFlight.set(refreshToken, 1);
          ask(closing);
        } else {
          // A further loss would not be counted: its request ends before it closes.
          await pass(10_000);
        }
        tabs.splice(tabs.indexOf(closing), 1);
        await pass(random() * 300);
        closing.close();
      },
    ],
    ['offline', () => (state.isOnline = false)],
    ['online', () => (state.isOnline = true)],
    ['lose answers', () => (state.losses = 1 + Math.floor(random() * 2))],
    ['clock', () => (site.device.shiftMs = Math.round((random() - 0.5) * 20 * HOUR_MS))],
    ['minutes', () => pass(random() * 20 * MINUTE_MS)],
    ['hours', () => pass(random() * 50 * HOUR_MS)],
    ['moment', () => pass(random() * 500)],
  ];
  for (let n = 0; n < STEPS; n += 1) {
    const [name, run] = actions[Math.floor(random() * actions.length)] ?? ['', () => {}];
    steps.push(name);
    await run();
  }
  Object.assign(state, { isOnline: true, losses: 0 });
  await pass(2 * MINUTE_MS);
  const last = site.open();
  let token: string | null = null;
  for (const of of [...tabs, last]) {
    const result = of.auth.getAccessToken();
    await pass(MINUTE_MS);
    token = await result;
    if (token === null) failures.push('session lost');
  }
  // A token that the device's clock made look valid is rejected, and then replaced.
  const me = last.auth.me().catch((error: unknown) => failures.push(error));
  await pass(MINUTE_MS);
  await me;
  const isLive = [...service.sessions.values()].every(({ revokedAtMs }) => revokedAtMs === null);
  if (!isLive) failures.push('session revoked');
  if (last.changes.some(({ type }) => type === 'signed_out')) failures.push('signed out');
  return failures.length === 0
    ? []
    : [`BECKON_TEST_SEED=${seed}: ${steps.join(', ')}: ${failures.map(String).join('; ')}`];
};

describe('sessions of several tabs', () => {
  it.each([true, false])('no session is lost in 100 random sequences, with Web Locks: %s', async (hasLocks) => {
    const first = Number(process.env['BECKON_TEST_SEED'] ?? 1 + Math.floor(Math.random() * 1e9));
    const lost: string[] = [];
    for (let seed = first; seed < first + SEQUENCES; seed += 1) lost.push(...(await runSequence(seed, hasLocks)));
    expect(lost).toEqual([]);
  });
});
