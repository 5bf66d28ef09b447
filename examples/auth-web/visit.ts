import { createHmac } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright-core';
import type { Host } from './host.ts';

const PASSWORD = 'correct horse battery staple';
/** More than the life of an access token, 15 minutes. */
const LATER_MS = 20 * 60_000;

const textOf = async (page: Page, id: string, expected: RegExp): Promise<string> => {
  const read = async (): Promise<string> => (await page.textContent(`#${id}`)) ?? '';
  try {
    await page.waitForFunction(
      ([name, source]) => new RegExp(source ?? '').test(document.getElementById(name ?? '')?.textContent ?? ''),
      [id, expected.source],
    );
  } catch (cause) {
    throw new Error(
      `#${id} shows "${await read()}" instead of ${expected}; result: ${await page.textContent('#result')}`,
      { cause },
    );
  }
  return read();
};

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

/** What an authenticator app shows for a secret in base32. Source: RFC 6238, RFC 4226. */
const appCode = (secret: string): string => {
  const bits = [...secret].map((digit) => BASE32.indexOf(digit).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS)));
  const hash = createHmac('sha1', key).update(step).digest();
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
};

/** The email that was caught last for an address. */
const emailOf = async (page: Page, address: string, expected: RegExp): Promise<string> => {
  const outbox = await textOf(page, 'outbox', new RegExp(`To ${address}\\n[^]*?${expected.source}`));
  return outbox.slice(outbox.indexOf(`To ${address}`));
};

/** Signs in without a password: with a code and a link by email, and as a guest who then becomes a user. */
const visitWithoutPassword = async (page: Page): Promise<void> => {
  const logOut = async (): Promise<void> => {
    await page.click('#log-out');
    await textOf(page, 'session', /Signed out/);
  };
  await page.fill('#email', 'code@example.com');
  await page.click('#email-code');
  await textOf(page, 'result', /Sent/);
  const [, code = ''] = /\b(\d{6})\b/.exec(await emailOf(page, 'code@example.com', /\d{6}/)) ?? [];
  await page.fill('#code', code);
  await page.click('#verify-code');
  await textOf(page, 'session', /Signed in as code@example.com/);
  await logOut();

  await page.fill('#email', 'link@example.com');
  await page.click('#magic-link');
  const [link = ''] = /http\S+token=\S+/.exec(await emailOf(page, 'link@example.com', /token=/)) ?? [];
  await page.goto(link);
  await page.click('#use-link');
  await textOf(page, 'session', /Signed in as link@example.com/);
  await logOut();

  await page.click('#guest');
  await textOf(page, 'session', /Signed in as a guest/);
  await page.fill('#email', 'guest@example.com');
  await page.fill('#password', PASSWORD);
  await page.click('#upgrade');
  const [, proof = ''] = /\b(\d{6})\b/.exec(await emailOf(page, 'guest@example.com', /\d{6}/)) ?? [];
  await page.fill('#code', proof);
  await page.click('#verify');
  await textOf(page, 'result', /"passwordKept":true/);
  await page.click('#me');
  await textOf(page, 'session', /Signed in as guest@example.com/);
};

/** Sets up an authenticator app, and signs in with a password and a recovery code. */
const visitWithSecondFactor = async (page: Page): Promise<void> => {
  await page.click('#totp');
  const { secret }: { secret: string } = JSON.parse(await textOf(page, 'result', /"secret":/));
  await page.fill('#code', appCode(secret));
  await page.click('#totp-confirm');
  const [, recovery = ''] = /"recoveryCodes":\["([^"]+)"/.exec(await textOf(page, 'result', /recoveryCodes/)) ?? [];
  await page.click('#log-out');
  await textOf(page, 'session', /Signed out/);
  await page.click('#sign-in');
  await textOf(page, 'result', /second factor/);
  await page.fill('#code', recovery);
  await page.click('#mfa');
  await textOf(page, 'session', /Signed in as guest@example.com/);
};

/**
 * Signs up, verifies, signs in, refreshes in two tabs at once and logs out; then signs in with a code, a link, as a guest
 * and with a second factor. Throws if any of it fails.
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
  // One, or two when the browser shows a tab what another stored only after it has the lock; the tokens are the same.
  const refreshes = host.refreshes() - before;
  if (refreshes < 1 || refreshes > 2) throw new Error(`${refreshes} refreshes for one expired token.`);

  await two.click('#me');
  await textOf(two, 'result', /"emailVerified":true/);
  await two.click('#log-out');
  await textOf(two, 'result', /"revoked":1/);
  await textOf(one, 'session', /Signed out/);
  await two.close();
  await visitWithoutPassword(one);
  await visitWithSecondFactor(one);
};
