import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../../primitives/scope.ts';

export const MOMENTS = ['raised', 'claimed', 'unwritten', 'taken'] as const;

/** What open-and-die.ts is told. */
export type Death = {
  readonly url: string;
  readonly masterKey: string;
  /** Its clock stands still at this Unix millisecond. */
  readonly now: number;
  readonly scope: Scope;
  readonly sendId: string;
  readonly messageId: string;
  readonly moment: (typeof MOMENTS)[number];
};

const PRELOAD = fileURLToPath(new URL('../../../../../scripts/source-preload.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./open-and-die.ts', import.meta.url));

/** Runs the program to its end; answers the signal that ended it, null where it came to its own. */
export const openAndDie = (death: Death): Promise<NodeJS.Signals | null> =>
  new Promise((resolve, reject) => {
    const args = ['--import', PRELOAD, PROGRAM, JSON.stringify(death)];
    spawn(process.execPath, args, { stdio: 'inherit' })
      .on('error', reject)
      .on('exit', (_, signal) => resolve(signal));
  });
