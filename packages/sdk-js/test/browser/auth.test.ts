import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, openHost } from '../../../../examples/auth-web/host.ts';
import { visit } from '../../../../examples/auth-web/visit.ts';
import { realProvider } from '../../../core/test/support/identity/real-provider.ts';
import { findChromium } from '../chromium.ts';

const CREDENTIALS = { clientId: 'page', clientSecret: 'of-the-page' };

let host: Host;
let provider: Awaited<ReturnType<typeof realProvider>>;
let browser: Browser;
beforeAll(async () => {
  const redirectUri = () => `${host.url}/api/v1/auth-service/login/social/callback/gitlab`;
  provider = await realProvider({ ...CREDENTIALS, redirectUri });
  host = await openHost(0, {
    auth: { providerUrls: { gitlab: provider.endpoints } },
    outbound: { allowCidrs: ['127.0.0.0/8'] },
  });
  await host.beckon.auth.updateSocialProvider(host.scope, 'gitlab', CREDENTIALS);
  browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
});
afterAll(async () => {
  await browser?.close();
  await host?.close();
  await provider?.close();
});

describe('sign-in in a browser', () => {
  it('a user signs up, verifies, signs in in every way, with passkeys of a virtual authenticator too, refreshes once for two tabs, and logs out', async () => {
    await visit(host, await browser.newContext());
  });

  it('a user signs in at a real OpenID provider, and returns signed in', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(host.url);
    await page.click('#social button');
    await page.fill('input[name=login]', 'grace');
    await page.fill('input[name=password]', 'any');
    await page.click('button[type=submit]');
    await page.click('button[type=submit]');
    await page.waitForFunction(() => document.getElementById('session')?.textContent?.includes('grace@example.com'));
    // Neither code nor state stay in the address of the page.
    expect(page.url()).toBe(`${host.url}/`);
  });
});
