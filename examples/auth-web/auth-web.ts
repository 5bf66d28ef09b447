// A page with every way to sign in: `npm run auth-web`, then open the URL. `--check` visits it in Chromium by itself.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { openHost } from './host.ts';
import { visit } from './visit.ts';

const isCheck = process.argv.includes('--check');
const host = await openHost(isCheck ? 0 : 8091);
console.log(`Open ${host.url}`);

if (isCheck) {
  const paths = [process.env['BECKON_TEST_CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
  const executablePath = paths.find((path) => path !== '' && existsSync(path));
  if (executablePath) {
    // A container has no user namespaces for a sandbox, and the page is ours.
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    try {
      await visit(host, await browser.newContext());
    } finally {
      await browser.close();
    }
    console.log(
      'Signed in with a password, a code, a link, as a guest and with a second factor; refreshed in two tabs; logged out.',
    );
  } else {
    for (const path of ['/', '/page.js']) {
      const response = await fetch(host.url + path);
      if (!response.ok || (await response.text()).length < 500) throw new Error(`${path} is not what a browser needs.`);
    }
    console.log('The page and its program are there. No Chromium was found to visit it.');
  }
  await host.close();
}
