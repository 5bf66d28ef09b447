import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { places } from './places.ts';

/**
 * Builds the packages as they are published, and every contender with the same bundler and settings: running from
 * source would affect memory and start-up. Throws if a step fails, after printing its output.
 */
export const buildEverything = async (): Promise<void> => {
  const { status } = spawnSync(process.execPath, [join(places.root, 'scripts/build.mjs')], {
    cwd: places.root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the packages could not be built');
  for (const folder of [places.built, places.work]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  await build({
    absWorkingDir: places.root,
    entryPoints: globSync(join(places.contenders, '*.ts')),
    outdir: places.built,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: [
      '@node-rs/argon2',
      '@node-rs/bcrypt',
      'better-sqlite3',
      'jose',
      'lru-cache',
      'nodemailer',
      'openid-client',
      'pg',
      'piscina',
      'twilio',
      'undici',
      'web-push',
      'zod',
    ],
    logLevel: 'warning',
  });
  // Bundled storage looks for its migrations and thread files beside itself.
  for (const beside of ['migrations', 'reader.js', 'hash-thread.js'])
    cpSync(join(places.root, 'packages/core/dist', beside), join(places.built, beside), { recursive: true });
};
