import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Host, openHost } from '../../../../examples/auth-web/host.ts';
import { visit } from '../../../../examples/auth-web/visit.ts';
import { findChromium } from '../chromium.ts';

let host: Host;
let browser: Browser;
beforeAll(async () => {
  host = await openHost(0);
  browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
});
afterAll(async () => {
  await browser?.close();
  await host?.close();
});

describe('sign-in in a browser', () => {
  it('a user signs up, verifies, signs in, refreshes once for two tabs, and logs out everywhere on the site', async () => {
    await visit(host, await browser.newContext());
  });
});
