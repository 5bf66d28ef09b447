import { isOutcomeUnknown, isUnavailable } from '../database/errors.ts';
import type { LeaseKey } from '../database/statements/claim.ts';
import { batcher } from './concurrency/batcher.ts';
import type { WorkLog } from './log.ts';
import type { Registration } from './registration.ts';

/** Tries of an outcome that the database rejects, and the pauses, doubled up to the last. Chosen. */
const TRIES = 6;
const PAUSE_MS = 200;
const PAUSE_CAP_MS = 5_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

type Reported<Row, Outcome> = { readonly row: Row; readonly outcome: Outcome };

/**
 * Writes the outcomes of one registration, grouped by turn of the event loop or by `gatherMs`.
 *
 * @param onEnd called with rows whose outcomes are on disk or were dropped
 * @param onBegin called with the number of outcomes about to be written
 * @param isComplete true if no further outcomes can arrive for a while
 */
export const outcomeWriter = <Row extends LeaseKey, Outcome>(
  work: Pick<Registration<never, Outcome>, 'name' | 'commit' | 'gatherMs'>,
  log: Pick<WorkLog, 'error'>,
  onEnd: (rows: readonly Row[]) => void,
  onBegin: (count: number) => void = () => undefined,
  isComplete?: (waiting: number) => boolean,
) => {
  let isStopped = false;

  /**
   * While the database is unavailable, outcomes are kept: written late under their fence they are still right, while
   * dropped rows would be processed twice. If the database rejects a batch, only the failing outcome is dropped.
   */
  const write = async (batch: readonly Reported<Row, Outcome>[]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work.commit(batch.map(({ outcome }) => outcome));
      } catch (error) {
        log.error({ work: work.name, rows: batch.length, attempt, error }, 'outcomes could not be written');
        if (isStopped) return;
        const isAway = isUnavailable(error) || isOutcomeUnknown(error);
        if (!isAway && batch.length > 1) {
          const middle = Math.ceil(batch.length / 2);
          await write(batch.slice(0, middle));
          return write(batch.slice(middle));
        }
        // The lease runs out, and the row is claimed again.
        if (!isAway && attempt === TRIES) return;
        await pause(Math.min(PAUSE_MS * 2 ** attempt, PAUSE_CAP_MS));
      }
    }
  };

  const outcomes = batcher<Reported<Row, Outcome>>({
    gatherMs: work.gatherMs,
    isComplete,
    flush: async (batch) => {
      onBegin(batch.length);
      await write(batch);
      onEnd(batch.map(({ row }) => row));
      return [];
    },
  });

  return {
    add: (row: Row, outcome: Outcome): void => outcomes.add({ row, outcome }),
    /** Resolves when every outcome added so far has been written or dropped. */
    settled: outcomes.settled,
    /** Stops retries. */
    stop: (): void => {
      isStopped = true;
    },
  };
};
