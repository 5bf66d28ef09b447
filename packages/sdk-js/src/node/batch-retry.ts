import type { BatchAnswer } from '../generated/wire.ts';
import { waitMs } from '../retry.ts';
import { MAX_REPEATS, wait } from './request.ts';

type Rejected = BatchAnswer['rejected'][number];

/** Codes of valid events that could not be stored this time. Source: contract, Ingest; sdk, Batching. */
const isToComeAgain = ({ code }: Rejected): boolean => code === 'OVERLOADED' || code === 'INTERNAL';

type BatchRetry = {
  /** The events as they were sent, each with the id that the service deduplicates by. */
  readonly events: readonly unknown[];
  readonly answer: BatchAnswer;
  /** Sends some of them as a separate batch with its own idempotency key. Throws like every call. */
  readonly send: (events: readonly unknown[]) => Promise<BatchAnswer>;
  readonly signal: AbortSignal | undefined;
};

/**
 * Sends events again that a batch could not store, at most three times, with the waits of other calls. Returns the
 * result of the whole batch: what is finally rejected has its index of the first call.
 *
 * @throws only the reason of the signal: the result reports what is stored, whatever a repetition met
 */
export const withRejectedEvents = async ({ events, answer, send, signal }: BatchRetry): Promise<BatchAnswer> => {
  // An intermediary may have responded with anything.
  let { accepted, duplicates, rejected = [] } = answer;
  if (!rejected.some(isToComeAgain)) return answer;
  for (let failures = 1; failures <= MAX_REPEATS && rejected.some(isToComeAgain); failures++) {
    await wait(waitMs({}, failures, Math.random()), signal);
    const again = rejected.filter(isToComeAgain);
    const next = await send(again.map(({ index }) => events[index])).catch(() => {
      signal?.throwIfAborted();
      return null;
    });
    // It was repeated as often as any other call.
    if (next === null) break;
    accepted += next.accepted;
    duplicates += next.duplicates;
    const left = next.rejected.flatMap((one) => {
      const first = again[one.index];
      return first ? [{ ...one, index: first.index }] : [];
    });
    rejected = [...rejected.filter((one) => !isToComeAgain(one)), ...left].sort((a, b) => a.index - b.index);
  }
  return { accepted, duplicates, rejected };
};
