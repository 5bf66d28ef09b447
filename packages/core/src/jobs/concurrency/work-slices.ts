// What one turn of the event loop may do, for loops whose length a tenant or a caller chooses. Such a loop counts its work as
// it goes, and where a turn has had enough it waits for one of the next turns. The event loop is one per process, so is this
// budget: of several loops that wait one goes on per turn, owner after owner, so that the long work of one org never stands
// before another's.

import { checkDeadline } from '../../database/in-time.ts';
import { deadlineMs } from '../../foundation/deadline.ts';

/**
 * Units of work of one turn. Chosen: a unit is about 0.1 microseconds of CPU, which makes 8 ms and leaves room in the 25 ms
 * of performance design 3.5 for the last piece of work, a person's verdict of 100 leaves, and for what else happens in a turn.
 */
export const UNITS_PER_TURN = 80_000;

/**
 * Counts work that was done for an owner, such as an org.
 *
 * @param units of about 0.1 microseconds of CPU
 * @returns undefined: the loop may go on at once. A promise: it goes on when that resolves, in a later turn. Rejects with
 * StorageError `DEADLINE` where the deadline of whoever asked has passed by then
 */
export type SpendWork = (units: number, owner: unknown) => Promise<void> | undefined;

/**
 * A budget of its own; programs use `spendWork`.
 *
 * @param nextTurn calls back in the next turn of the event loop
 */
export const workSlices = (
  unitsPerTurn: number = UNITS_PER_TURN,
  nextTurn: (call: () => void) => void = setImmediate,
): SpendWork => {
  // In the order in which owners go on.
  const waiting = new Map<unknown, (() => void)[]>();
  let spent = 0;
  let isTurnAsked = false;

  const wakeOne = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    const [owner, waiters] = next;
    const wake = waiters.shift();
    waiting.delete(owner);
    if (waiters.length > 0) waiting.set(owner, waiters);
    wake?.();
  };
  const askForTurn = (): void => {
    if (isTurnAsked) return;
    isTurnAsked = true;
    nextTurn(() => {
      isTurnAsked = false;
      spent = 0;
      wakeOne();
      if (waiting.size > 0) askForTurn();
    });
  };
  const rest = async (owner: unknown): Promise<void> => {
    await new Promise<void>((resolve) => {
      const others = waiting.get(owner);
      if (others) others.push(resolve);
      else waiting.set(owner, [resolve]);
    });
    checkDeadline(deadlineMs());
  };

  return (units, owner) => {
    spent += units;
    askForTurn();
    return spent < unitsPerTurn ? undefined : rest(owner);
  };
};

/** The budget of this process's event loop. */
export const spendWork: SpendWork = workSlices();
