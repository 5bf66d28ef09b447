import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { StorageObserver } from '../../../src/database/observer.ts';
import type { Scope } from '../../../src/foundation/scope.ts';

export const MOMENTS = ['raised', 'claimed', 'unwritten', 'taken'] as const;

/** Options of open-and-die.ts. */
export type Death = {
  readonly url: string;
  readonly masterKey: string;
  /** Fixed clock of the process, in Unix milliseconds. */
  readonly now: number;
  readonly scope: Scope;
  readonly sendId: string;
  readonly messageId: string;
  readonly moment: (typeof MOMENTS)[number];
};

const STATEMENT = {
  raised: 'events.raise',
  claimed: 'raised events.claim',
  unwritten: 'events.end_raised',
  taken: 'events.end_raised',
} as const;

/**
 * Calls `die` at a stage of a raised event: `raised` (on disk, not claimed), `claimed`, `unwritten` (statements
 * executed, not committed) or `taken` (committed, and the caller not yet notified).
 */
export const dyingObserver = (moment: Death['moment'], die: () => void): StorageObserver => {
  let isNear = false;
  return {
    statement: (id, rows) => {
      if (id !== STATEMENT[moment] || rows === 0) return;
      if (moment === 'claimed') die();
      isNear = true;
    },
    beforeCommit: () => {
      if (isNear && moment === 'unwritten') die();
    },
    committed: () => {
      if (isNear) die();
    },
  };
};

/** Simulates the death by an error: the storage does nothing more until `end`. For stages that need no real kill. */
export const throwingObserver = (
  moment: Death['moment'],
): { readonly observer: StorageObserver; readonly died: Promise<void>; end(): void } => {
  let isDead = false;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const die = (): void => {
    isDead = true;
    resolve();
    throw new Error('the process dies here');
  };
  const dying = dyingObserver(moment, die);
  const observer: StorageObserver = {
    statement: (...given) => (isDead ? die() : dying.statement?.(...given)),
    beforeCommit: () => (isDead ? die() : dying.beforeCommit?.()),
    committed: () => (isDead ? die() : dying.committed?.()),
  };
  return {
    observer,
    died,
    // Closing would retry for seconds to return its leases.
    end: () => {
      isDead = false;
    },
  };
};

const PRELOAD = fileURLToPath(new URL('../../../../../scripts/source-preload.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./open-and-die.ts', import.meta.url));

/** Runs the program; returns the signal that ended it, or null if it exited by itself. */
export const openAndDie = (death: Death): Promise<NodeJS.Signals | null> =>
  new Promise((resolve, reject) => {
    const args = ['--import', PRELOAD, PROGRAM, JSON.stringify(death)];
    spawn(process.execPath, args, { stdio: 'inherit' })
      .on('error', reject)
      .on('exit', (_, signal) => resolve(signal));
  });
