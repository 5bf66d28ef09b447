import type { StorageObserver } from '../../../../src/database/observer.ts';

/** Thrown by every statement of a dead process. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** A process that can die: its later database calls have no effect. */
export type Mortal = {
  readonly observer: StorageObserver;
  /** Dies before that many more statements or points before and after a COMMIT. */
  dieAfter(steps: number): void;
  /** Dies at once. */
  die(): void;
  isDead(): boolean;
  /** Resolves when it dies. */
  readonly death: Promise<void>;
};

export const mortal = (): Mortal => {
  const died = Promise.withResolvers<void>();
  let left = Number.POSITIVE_INFINITY;
  let isDead = false;
  const die = (): void => {
    isDead = true;
    died.resolve();
  };
  const step = (): void => {
    left -= 1;
    if (left < 0) die();
    if (isDead) throw new Crash('the process is dead');
  };
  return {
    observer: { statement: step, beforeCommit: step, committed: step },
    dieAfter: (steps) => {
      left = steps;
    },
    die,
    isDead: () => isDead,
    death: died.promise,
  };
};
