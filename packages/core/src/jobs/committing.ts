import { isOutcomeUnknown, isUnavailable } from '../database/errors.ts';
import type { LeaseKey } from '../database/statements/claim.ts';
import { batcher } from './concurrency/batcher.ts';
import type { WorkLog } from './log.ts';
import type { Registration } from './registration.ts';

/** How often an outcome is tried that the database refuses, and the pauses, doubled up to the last. Ours. */
const TRIES = 6;
const PAUSE_MS = 200;
const PAUSE_CAP_MS = 5_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

type Reported<Row, Outcome> = { readonly row: Row; readonly outcome: Outcome };

/**
 * Writes the outcomes of one registration, those together that came in one turn of the event loop or within `gatherMs`.
 *
 * @param onEnd called with rows whose outcomes are on disk, or were dropped
 * @param onBegin called with how many of them are about to be written
 * @param isComplete whether so many that wait are all there will be for a while
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
   * What a database that is away cannot take is kept until it is back: written late under its fence it is still right,
   * while forgotten it would be done twice. Of what a database refuses only the culprit is dropped.
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
        // The lease runs out and the row is taken up again.
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
    /** From now on nothing is tried again. */
    stop: (): void => {
      isStopped = true;
    },
  };
};
