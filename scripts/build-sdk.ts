/*
 * Builds packages/sdk-js/dist: modules for bundlers with shared chunks, the same with checks for development, and two
 * scripts that need no bundler.
 */
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const SOURCE = 'packages/sdk-js/src';
/** Internal names that the package's files share; nothing that is stored, sent or public is among them. */
const INTERNAL =
  /^(?:bodyOf|due|bytes|flushIn|flushSoon|isPaused|isShared|isStopped|list|move|names|onReset|outcome|ownDue|prepared|queue|remove|report|resume|slots|stop|trackAuto)$/;

/** Build options of every production entry; also used to measure its size. */
export const production: BuildOptions = {
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  define: { BECKON_PRODUCTION: 'true' },
  mangleProps: INTERNAL,
};

const entries = {
  index: join(SOURCE, 'index.ts'),
  core: join(SOURCE, 'core.ts'),
  auto: join(SOURCE, 'auto/index.ts'),
  push: join(SOURCE, 'push/index.ts'),
  auth: join(SOURCE, 'auth/index.ts'),
  sw: join(SOURCE, 'sw/index.ts'),
};
/** Scripts for a script tag and for a service worker, by the name of the file. */
export const scripts: Readonly<Record<'beckon.iife' | 'beckon-sw', BuildOptions>> = {
  'beckon.iife': { entryPoints: [join(SOURCE, 'beckon-iife.ts')], globalName: 'Beckon' },
  'beckon-sw': { entryPoints: [join(SOURCE, 'sw/beckon-sw.ts')] },
};

/**
 * Bundles every entry and script.
 *
 * @param root the folder of the repository
 * @param outdir the output folder
 */
export const buildSdk = async (root: string, outdir = join(root, 'packages/sdk-js/dist')): Promise<void> => {
  const modules: BuildOptions = { absWorkingDir: root, format: 'esm', splitting: true, chunkNames: 'shared-[hash]' };
  await build({ ...production, ...modules, entryPoints: entries, outdir });
  const { define: _production, mangleProps: _internal, ...development } = production;
  const { index, auto, push, auth } = entries;
  const entryPoints = { index, auto, push, auth };
  await build({ ...development, ...modules, minify: false, entryPoints, outdir: join(outdir, 'development') });
  // A server loads it from a disk, and shows it in its stack traces.
  const server: BuildOptions = { ...development, ...modules, minify: false, platform: 'node' };
  await build({ ...server, entryPoints: { node: join(SOURCE, 'node/index.ts') }, outdir });
  for (const [name, options] of Object.entries(scripts)) {
    const outfile = join(outdir, `${name}.js`);
    await build({ ...production, ...options, absWorkingDir: root, format: 'iife', outfile });
  }
};
