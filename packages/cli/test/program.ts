import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Build output of each package; the program imports the other two. */
const BUILT = { core: 'dist/index.js', http: 'dist/index.js', cli: 'dist/main.js' };
/** Tests and test support are not part of a build. */
const IS_TEST = /\.(?:test|contract)\.ts$|[\\/]testing[\\/]/;

/**
 * Why the build of a checkout is not current, as a sentence; null if it is.
 *
 * @param root folder of the checkout
 */
export const staleness = (root: string): string | null => {
  for (const [name, file] of Object.entries(BUILT)) {
    const folder = join(root, 'packages', name);
    const path = join(folder, file);
    if (!existsSync(path)) return `there is no packages/${name}/${file}`;
    const builtMs = statSync(path).mtimeMs;
    const newer = globSync('src/**/*.{ts,sql}', { cwd: folder }).find(
      (source) => !IS_TEST.test(source) && statSync(join(folder, source)).mtimeMs > builtMs,
    );
    if (newer !== undefined) return `packages/${name}/${newer} is newer than packages/${name}/${file}`;
  }
  return null;
};

/**
 * The file that tests start as `beckon`: the bundle if `BECKON_TEST_DIST` is 1, because it starts in half of the CPU
 * time, else the program from source.
 *
 * @throws Error if the requested bundle is missing or older than a source, because the test would run another program
 * than the sources
 */
export const programIn = (root: string, isBuilt: boolean): string => {
  if (!isBuilt) return join(root, 'packages/cli/bin/beckon.js');
  const reason = staleness(root);
  if (reason !== null)
    throw new Error(`BECKON_TEST_DIST is 1, but ${reason}. Run "npm run build", or leave the variable out.`);
  return join(root, 'packages/cli', BUILT.cli);
};

/** The file that npm links as `beckon`. It runs from source in a checkout and checks the version of Node. */
export const BIN = programIn(ROOT, false);

const isBuilt = process.env['BECKON_TEST_DIST'] === '1';

/** The program of this checkout. */
export const PROGRAM = programIn(ROOT, isBuilt);

/** Caches compiled code for the next start of the bundle; from source the preload does this. */
export const PROGRAM_ENV: Readonly<Record<string, string>> = isBuilt
  ? { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node') }
  : {};
