import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PRELOAD = fileURLToPath(new URL('../../../../../scripts/source-preload.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./process.ts', import.meta.url));

/** Runs process.ts in a separate process and returns its output. Throws if it fails. */
export const runProcess = async (...args: readonly string[]): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', PRELOAD, PROGRAM, ...args]);
  return JSON.parse(stdout);
};

/** Runs process.ts until it prints `begun`, and `ms` longer; then ends it with SIGKILL. Throws if it ends before. */
export const killProcess = async (ms: number, ...args: readonly string[]): Promise<void> => {
  const child = spawn(process.execPath, ['--import', PRELOAD, PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error('the process ended before it was killed');
    }),
  ]);
  await new Promise((resolve) => setTimeout(resolve, ms));
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};
