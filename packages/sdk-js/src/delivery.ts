import { takeBatch } from './batches.ts';
import { ApiError } from './errors.ts';
import type { BatchAnswer } from './generated/wire.ts';
import type { Globals } from './globals.ts';
import type { Batch, Entry, Queue } from './queue.ts';
import type { Send } from './request.ts';
import { verdictOf, waitMs } from './retry.ts';
import type { Slots } from './slots.ts';

const HOUR_MS = 3_600_000;
/** A timer above 2^31 - 1 ms fires at once. Source: sdk, Retry. */
const LONGEST_TIMER_MS = 86_400_000;
/** Slot with the time until which nothing is sent because the quota is used up, in milliseconds since 1970. */
const PAUSE = 'pause';
/** Failures after which the caller of a queued call is notified. Source: interface, Errors, 500, 502 and 503. */
const PATIENCE = 4;
/**
 * Consecutive failures after which an event that the service cannot store is dropped: the event itself may be the
 * cause.
 * Chosen: a quarter of an hour of waits, which is longer than most outages.
 */
const MOST_FAILURES = 20;

export type Delivery = {
  /** Sends everything. One run at a time, and one among all pages of the site. */
  flush(): Promise<void>;
  /** Flushes after this time, unless a flush is due earlier. */
  flushIn(ms: number): void;
  /** Settles with the result of one entry. */
  outcome(id: string): Promise<void>;
  /** True while the event quota is used up. */
  isPaused(): boolean;
  stop(): void;
};

type Deps = {
  readonly g: Globals;
  readonly name: string;
  readonly slots: Slots;
  readonly queue: Queue;
  readonly send: Send;
  /** What may be sent at this moment, oldest first. */
  readonly due: () => Entry[];
  readonly bodyOf: (entries: readonly Entry[]) => Batch;
  readonly report: (error: ApiError) => void;
};

/** Sends the queue to the service: batches, waits, and the handling of responses. */
export const makeDelivery = ({ g, name, slots, queue, send, due, bodyOf, report }: Deps): Delivery => {
  // Waits use the monotonic clock. Only what the next page must know is a time of day.
  const elapsed = (): number => g.performance.now();
  let notBefore = 0;
  let failures = 0;
  let lastError = new ApiError(429, 'RATE_LIMITED');
  let isQuotaReported = false;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firesAt = 0;
  /** Maximum events per batch after a batch was rejected as too large. Undefined: as many as fit. */
  let most: number | undefined;
  const waiting = new Map<string, (error?: ApiError | null) => void>();

  const resolveEntries = (entries: readonly Pick<Entry, 'id'>[], error?: ApiError | null): void => {
    queue.remove(entries);
    most = undefined;
    if (error) report(error);
    for (const { id } of entries) {
      waiting.get(id)?.(error);
      waiting.delete(id);
    }
  };

  /** Remaining pause; 0 or less: none. */
  const pausedMs = (): number => {
    const left = Number(slots.get(PAUSE)) - g.Date.now();
    // More than the pause itself was written by a clock that has been set back.
    return left <= HOUR_MS ? left : 0;
  };

  /** Ends the wait for calls: rejected calls are over, calls without a network are sent when there is one. */
  const stopFlush = (error?: ApiError): void => {
    for (const [id, settled] of waiting)
      if (error?.status) resolveEntries([{ id }], error);
      else settled();
  };

  /** Schedules a retry; returns the error that ends this run. */
  const postpone = (ms: number, error: ApiError): ApiError => {
    lastError = error;
    notBefore = elapsed() + ms;
    schedule(ms);
    if (pausedMs() > 0) stopFlush(error);
    return error;
  };

  const refused = (entries: readonly Entry[], error: ApiError): void => {
    const verdict = verdictOf(error);
    if (verdict === 'quota') {
      slots.set(PAUSE, String(g.Date.now() + HOUR_MS));
      queue.remove(due().filter(({ kind }) => kind === 'auto'));
      if (!isQuotaReported) report(error);
      isQuotaReported = true;
      throw postpone(HOUR_MS, error);
    }
    if (verdict === 'wait') {
      failures++;
      if (failures >= PATIENCE) stopFlush(error);
      throw postpone(waitMs(error.details, failures, g.Math.random()), error);
    }
    if (verdict === 'split' && entries.length > 1 && !most) most = Math.ceil(entries.length / 2);
    else resolveEntries(entries, verdict && error);
  };

  const sendNext = async (entries: readonly Entry[], head: Entry): Promise<void> => {
    const isCall = head.kind === 'identify';
    const batch = isCall ? [head] : takeBatch(entries, most);
    const body = bodyOf(batch);
    try {
      // A hidden page may be unloaded before the response arrives.
      const keepalive = g.document?.visibilityState === 'hidden';
      const path = isCall ? '/identify' : '/events/batch';
      const payload = isCall ? { ...head.body, sentAt: body.sentAt } : body;
      // Safe: the service's own response to a batch; the response to a call has no `rejected`.
      const { rejected = [] } = (await send('POST', path, payload, keepalive)) as Partial<BatchAnswer>;
      let again: string | undefined;
      batch.forEach((entry, at) => {
        const { code, fieldErrors } = rejected.find(({ index }) => index === at) ?? {};
        if (code === 'OVERLOADED' || (code === 'INTERNAL' && failures < MOST_FAILURES)) again = code;
        else resolveEntries([entry], code && new ApiError(400, code, code, { fieldErrors, event: entry.body }));
      });
      // As if the whole batch had failed: but by now the rest of it is stored.
      if (again) throw new ApiError(503, again);
      failures = 0;
      isQuotaReported = false;
    } catch (error) {
      // Safe: `send` throws nothing else, and `report` throws nothing.
      refused(batch, error as ApiError);
    }
  };

  const drain = async (): Promise<void> => {
    for (let entries = due(), head = entries[0]; head && !isStopped; entries = due(), head = entries[0]) {
      if (g.navigator?.onLine === false) throw new ApiError(0, 'network');
      const left = Math.max(notBefore - elapsed(), pausedMs());
      if (left > 0) throw postpone(left, lastError);
      await sendNext(entries, head);
    }
    // Entries that are gone were sent by another page.
    stopFlush();
  };

  const locked = async (): Promise<void> => {
    const locks = slots.isShared() ? g.navigator?.locks : undefined;
    let isMine = false;
    const work = (): Promise<void> => {
      isMine = true;
      return drain();
    };
    try {
      await locks?.request(name, work);
    } catch (error) {
      if (isMine) throw error;
    }
    // A page with an opaque origin gets no lock; the service detects duplicates by their id.
    if (!isMine) await drain();
  };

  const flush = (): Promise<void> => {
    // Entries queued while the last run ended must be covered by a returned promise.
    if (running !== undefined) return running.then(() => (due().length > 0 ? flush() : undefined));
    running = locked().finally(() => {
      running = undefined;
    });
    return running;
  };

  const schedule = (ms: number): void => {
    const at = elapsed() + Math.min(ms, LONGEST_TIMER_MS);
    if (isStopped || (timer && at >= firesAt)) return;
    g.clearTimeout(timer);
    firesAt = at;
    timer = g.setTimeout(() => {
      timer = undefined;
      flush().catch(() => {});
    }, at - elapsed());
  };

  return {
    flush,
    flushIn: schedule,
    outcome: (id) =>
      new Promise((done, failed) => {
        waiting.set(id, (error) => (error ? failed(error) : done()));
      }),
    isPaused: () => pausedMs() > 0,
    stop: () => {
      isStopped = true;
      g.clearTimeout(timer);
    },
  };
};
