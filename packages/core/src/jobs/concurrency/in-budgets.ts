// Flushing what many wait for, each with a deadline of its own.

import { timeoutOf } from '../../database/errors.ts';
import { deadlineOver, isWorthBeginning, type LockWaits } from '../../database/in-time.ts';
import { untilDeadline } from '../../foundation/deadline.ts';

type Timed = { readonly untilMs: number };

const isTimeout = (result: Settled<unknown> | null | undefined): boolean =>
  result?.ok === false && timeoutOf(result.error) !== null;

/**
 * Flushes those who have time left, together and within the first deadline among them; where that was too short, those
 * who have more go on without the others. Throws what `flush` throws.
 *
 * @param flush answers for each, in their order; what timed out in it was not done, nor what it answers with null
 * @param settle is told of each once, as soon as it is known
 * @param waits of the queue in which they waited: those who come too late behind a flush that waited for a lock hear of it
 */
export const inBudgets = async <Item extends Timed, Result>(
  all: readonly Item[],
  flush: (items: readonly Item[]) => Promise<readonly (Settled<Result> | null)[]>,
  settle: (item: Item, result: Settled<Result> | null | undefined) => void,
  waits?: LockWaits,
): Promise<void> => {
  const begun: Item[] = [];
  let untilMs = Number.POSITIVE_INFINITY;
  for (const item of all) {
    if (isWorthBeginning(item.untilMs)) {
      begun.push(item);
      untilMs = Math.min(untilMs, item.untilMs);
    } else settle(item, { ok: false, error: waits?.late(item.untilMs) ?? deadlineOver() });
  }
  if (begun.length === 0) return;
  const askedMs = performance.now();
  const results = await untilDeadline(untilMs, () => flush(begun));
  if (results.some((result) => result?.ok === false && timeoutOf(result.error) === 'LOCK_TIMEOUT'))
    waits?.ended(askedMs);
  // Where nobody's end is near, it was not a deadline that ended it.
  const wasShort = !isWorthBeginning(untilMs);
  const left: Item[] = [];
  for (const [at, item] of begun.entries()) {
    const result = results[at];
    if (wasShort && isTimeout(result) && isWorthBeginning(item.untilMs)) left.push(item);
    else settle(item, result);
  }
  if (left.length > 0) await inBudgets(left, flush, settle, waits);
};

/** What became of each item of a flush, in its order. */
export type Settled<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };
