// Limits the work of one turn of the event loop, for loops whose length a tenant or a caller controls. Such a loop
// counts its work, and when the budget of a turn is used up it waits for a later one. There is one budget per process,
// as there is one event loop. One waiting loop resumes per turn, round robin over owners, so that the long work of one
// organization never delays another's.

import { checkDeadline } from '../../database/deadlines.ts';
import { deadlineMs } from '../../foundation/deadline.ts';

/**
 * Units of work per turn. Chosen: a unit is about 0.1 microseconds of CPU, so a turn has 8 ms. That leaves the rest of
 * the 25 ms of performance design 3.5 for the last piece of work (evaluating 100 leaves for a profile) and for other
 * work of the turn.
 */
export const UNITS_PER_TURN = 80_000;

/**
 * Counts work done for an owner, such as an organization.
 *
 * @param units of about 0.1 microseconds of CPU
 * @returns undefined: the loop may continue. A promise: it continues in a later turn, when the promise resolves.
 * Rejects with StorageError `DEADLINE` if the caller's deadline has passed by then
 */
export type SpendWork = (units: number, owner: unknown) => Promise<void> | undefined;

/**
 * A separate budget; programs use `spendWork`.
 *
 * @param nextTurn calls back in the next turn of the event loop
 */
export const workSlices = (
  unitsPerTurn: number = UNITS_PER_TURN,
  nextTurn: (call: () => void) => void = setImmediate,
): SpendWork => {
  // In the order in which owners resume.
  const waiting = new Map<unknown, (() => void)[]>();
  let spent = 0;
  let isTurnScheduled = false;

  const wakeNext = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    const [owner, waiters] = next;
    const wake = waiters.shift();
    waiting.delete(owner);
    if (waiters.length > 0) waiting.set(owner, waiters);
    wake?.();
  };
  const scheduleTurn = (): void => {
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    nextTurn(() => {
      isTurnScheduled = false;
      spent = 0;
      wakeNext();
      if (waiting.size > 0) scheduleTurn();
    });
  };
  const waitForTurn = async (owner: unknown): Promise<void> => {
    await new Promise<void>((resolve) => {
      const others = waiting.get(owner);
      if (others) others.push(resolve);
      else waiting.set(owner, [resolve]);
    });
    checkDeadline(deadlineMs());
  };

  return (units, owner) => {
    spent += units;
    scheduleTurn();
    return spent < unitsPerTurn ? undefined : waitForTurn(owner);
  };
};

/** The budget of this process's event loop. */
export const spendWork: SpendWork = workSlices();
