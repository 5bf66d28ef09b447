import { bytesOf } from './batches.ts';
import { problemsOf } from './development.ts';
import { ApiError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import type { QueuedEvent } from './queue.ts';

declare const BECKON_PRODUCTION: boolean | undefined;

/** A request with one event may have 32 KB. Source: sdk, Batching. */
const MAX_EVENT_BYTES = 32_000;

/**
 * The event to queue, after `beforeSend`, and its size in bytes; null if it is dropped.
 *
 * @param report called with the reason, unless `beforeSend` dropped it
 */
export const prepare = (
  made: QueuedEvent,
  { beforeSend }: ClientOptions,
  report: (error: ApiError) => void,
): { readonly event: QueuedEvent; readonly bytes: number } | null => {
  const complain = (code: 'invalid_event' | 'event_too_large', why: unknown): null => {
    report(new ApiError(0, code, `${made.eventType}: ${why}`));
    return null;
  };
  try {
    const event = beforeSend ? beforeSend(made) : made;
    if (!event) return null;
    const bytes = bytesOf(JSON.stringify(event));
    if (bytes > MAX_EVENT_BYTES) return complain('event_too_large', `${bytes} bytes`);
    // In production only the service validates.
    if (typeof BECKON_PRODUCTION === 'undefined')
      for (const problem of problemsOf(event)) complain('invalid_event', problem);
    return { event, bytes };
  } catch (error) {
    return complain('invalid_event', error);
  }
};
