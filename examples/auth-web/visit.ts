import type { BrowserContext, Page } from 'playwright-core';
import type { Host } from './host.ts';

const PASSWORD = 'correct horse battery staple';
/** More than the life of an access token, 15 minutes. */
const LATER_MS = 20 * 60_000;

const textOf = async (page: Page, id: string, expected: RegExp): Promise<string> => {
  await page.waitForFunction(
    ([name, source]) => new RegExp(source ?? '').test(document.getElementById(name ?? '')?.textContent ?? ''),
    [id, expected.source],
  );
  return (await page.textContent(`#${id}`)) ?? '';
};

/**
 * Signs up, verifies, signs in, refreshes in two tabs at once and logs out. Throws if any of it fails.
 *
 * @param context a browser without a session
 */
export const visit = async (host: Host, context: BrowserContext): Promise<void> => {
  // The clock of the device goes forward when the storage says so.
  await context.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() + Number(localStorage.getItem('shift') ?? 0);
  });
  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(host.url);
    return page;
  };
  const one = await open();
  await one.fill('#password', PASSWORD);
  await one.click('#sign-up');
  await textOf(one, 'result', /verification_required/);
  const [, code = ''] = /code: (\d{6})/.exec(await textOf(one, 'outbox', /code: \d{6}/)) ?? [];
  await one.fill('#code', code);
  await one.click('#verify');
  await textOf(one, 'result', /"passwordKept":true/);

  const two = await open();
  await one.click('#sign-in');
  await textOf(one, 'session', /Signed in as ada@example.com/);
  await textOf(two, 'session', /Signed in as ada@example.com/);

  await one.evaluate((shift) => localStorage.setItem('shift', String(shift)), LATER_MS);
  const before = host.refreshes();
  await Promise.all([one.click('#token'), two.click('#token')]);
  const tokens = await Promise.all([one, two].map((page) => textOf(page, 'result', /^ey/)));
  if (tokens[0] !== tokens[1]) throw new Error('The tabs have different tokens.');
  if (host.refreshes() !== before + 1) throw new Error(`${host.refreshes() - before} refreshes instead of 1.`);

  await two.click('#me');
  await textOf(two, 'result', /"emailVerified":true/);
  await two.click('#log-out');
  await textOf(two, 'result', /"revoked":1/);
  await textOf(one, 'session', /Signed out/);
};
