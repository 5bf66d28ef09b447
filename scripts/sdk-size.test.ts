import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { production, scripts } from './build-sdk.ts';

/** Location of the packages that benchmarks compare with; installed by hand. */
const PEERS = fileURLToPath(new URL('../bench/peers/node_modules', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const KIB = 1_024;

const gzipped = async (options: BuildOptions): Promise<number> => {
  const made = await build({ ...production, absWorkingDir: root, format: 'esm', ...options, write: false });
  return gzipSync(made.outputFiles[0]?.contents ?? '', { level: 9 }).length;
};
const source = (file: string): BuildOptions => ({ entryPoints: [`packages/sdk-js/src/${file}`] });
const readme = readFileSync(new URL('../packages/sdk-js/README.md', import.meta.url), 'utf8');
const kib = (bytes: number): string => (bytes / KIB).toFixed(2);

/** Source: sdk, Size budgets; KiB. */
const budgets: readonly (readonly [name: string, kib: number, options: BuildOptions])[] = [
  // No page loads the core alone: `.` is the core in Node and workers, and core + auto in a browser.
  ['core', 4, source('core.ts')],
  ['core + auto', 5, source('index.ts')],
  // Additional code for a page that has the client.
  ['push', 1.5, { ...source('push/index.ts') }],
  ['auth', 5, source('auth/index.ts')],
  ['service worker', 1.5, { ...scripts['beckon-sw'], format: 'iife' }],
  ['IIFE with everything', 12, { ...scripts['beckon.iife'], format: 'iife' }],
];
/** Each bundled as the page that signs in needs it. */
const signIn = ['better-auth/client', '@supabase/auth-js'];
const others = ['@segment/analytics-next', 'posthog-js', 'mixpanel-browser', '@rudderstack/analytics-js'];

describe('bundle sizes of the browser SDK', () => {
  it.each(budgets)('%s is within %d KiB', async (name, budget, options) => {
    const bytes = await gzipped(options);
    console.log(`size ${name}: ${kib(bytes)} KiB of ${budget}, gzip`);
    expect(bytes).toBeLessThanOrEqual(budget * KIB);
  });

  it.each(budgets)('the README states the size of %s in KiB', async (name, _budget, options) => {
    expect(readme).toContain(`| ${name} | ${kib(await gzipped(options))} KiB |`);
  });

  it('bundle sizes are printed beside those of established clients, bundled in the same way', async () => {
    for (const name of [...others, ...signIn]) {
      if (!existsSync(join(PEERS, name))) {
        console.log(`size ${name}: not installed`);
        continue;
      }
      const stdin = { contents: `export * from '${name}';`, resolveDir: PEERS };
      console.log(`size ${name}: ${kib(await gzipped({ stdin, mangleProps: /^$/, platform: 'browser' }))} KiB`);
    }
    expect(others).toHaveLength(4);
  });
});
