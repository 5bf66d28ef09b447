import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PRELOAD = fileURLToPath(new URL('../../../../../scripts/source-preload.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./process.ts', import.meta.url));

/** Runs process.ts in a process of its own and answers what it printed. Throws when it fails. */
export const runProcess = async (...args: readonly string[]): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', PRELOAD, PROGRAM, ...args]);
  return JSON.parse(stdout);
};
