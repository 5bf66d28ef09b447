import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine that the tests use; null if there is none. */
export const findChromium = (): string | null =>
  [process.env['BECKON_TEST_CHROMIUM'] ?? '', ...PATHS].find((path) => path !== '' && existsSync(path)) ?? null;

const asRoot = (...command: readonly string[]): boolean => {
  const [program = '', ...given] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command];
  return spawnSync(program, given, { stdio: 'inherit' }).status === 0;
};

/** Installs Debian's Chromium if there is none. Throws if that is impossible, with what to do. */
export const setup = (): void => {
  if (findChromium()) return;
  console.log('Chromium is missing: installing the package chromium.');
  const isInstalled = asRoot('apt-get', 'update', '-qq') && asRoot('apt-get', 'install', '-y', '-qq', 'chromium');
  if (!isInstalled || !findChromium())
    throw new Error(
      'The tests in a browser need Chromium, and it could not be installed. Install it (apt-get install chromium), or name the program in BECKON_TEST_CHROMIUM.',
    );
};
