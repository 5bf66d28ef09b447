import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { StorageObserver } from '../../../src/database/observer.ts';
import type { Scope } from '../../../src/foundation/scope.ts';

export const MOMENTS = ['raised', 'claimed', 'unwritten', 'taken'] as const;

/** Input of open-and-die.ts. */
export type Death = {
  readonly url: string;
  readonly masterKey: string;
  /** The fixed time of its clock, in Unix milliseconds. */
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
 * Calls `die` at a moment in the life of a raised event: `raised` (on disk, no worker has it), `claimed`, `unwritten`
 * (everything
 * written, nothing on disk) or `taken` (everything on disk, and nobody notified).
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

/**
 * An observer that fails with an error, after which its storage does nothing more until `end`; for moments that need no
 * real
 * death.
 */
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
    // Closing would try for seconds to release what it held.
    end: () => {
      isDead = false;
    },
  };
};

const PRELOAD = fileURLToPath(new URL('../../../../../scripts/source-preload.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./open-and-die.ts', import.meta.url));

/** Runs the program to its end; returns the signal that ended it, or null. */
export const openAndDie = (death: Death): Promise<NodeJS.Signals | null> =>
  new Promise((resolve, reject) => {
    const args = ['--import', PRELOAD, PROGRAM, JSON.stringify(death)];
    spawn(process.execPath, args, { stdio: 'inherit' })
      .on('error', reject)
      .on('exit', (_, signal) => resolve(signal));
  });
