import { ApiError } from './errors.ts';
import type { EventBatchInput, EventInput, IdentifyInput } from './generated/wire.ts';
import type { Slots } from './slots.ts';

/** A complete event. The user ids are added when it is sent if they are not known yet. */
export type QueuedEvent = EventInput & { readonly messageId: string };
/** Queued content. `sentAtMs` is when a beacon sent it; absent: none did. */
export type Queued = { readonly sentAtMs?: number } & (
  | { readonly kind: 'event' | 'auto'; readonly body: QueuedEvent }
  | { readonly kind: 'identify'; readonly body: IdentifyInput }
);
/** A queued entry; `id` is its message id, by which the service detects duplicates. */
export type Entry = Queued & { readonly id: string };

/** The body of a batch. */
export type Batch = Exclude<EventBatchInput, readonly unknown[]>;

/** Maximum characters of the whole queue. Source: sdk, Storage. */
const MAX_LENGTH = 262_144;
/** Events of a beacon are not repeated after the service has forgotten their ids. Source: sdk, the beacon contract. */
const FORGOTTEN_AFTER_MS = 72 * 3_600_000;
const NAME = 'e:';

export type Queue = {
  /** Writes an entry, and drops the oldest if the queue is full. */
  put(id: string, queued: Queued): void;
  /** The queue of every page of this site, oldest first. */
  list(): Entry[];
  remove(entries: readonly Pick<Entry, 'id'>[]): void;
};

/**
 * The queue, one slot per entry: pages that share a storage never write the same slot, so none overwrites another's
 * entry.
 *
 * @param maxEntries maximum number of entries
 * @param report called for each dropped entry
 */
export const makeQueue = (
  slots: Slots,
  maxEntries: () => number,
  now: () => number,
  report: (error: ApiError) => void,
): Queue => {
  const names = (): string[] => slots.names().filter((name) => name.startsWith(NAME));
  const drop = (name: string, code: 'queue_full' | 'storage_corrupt'): void => {
    slots.delete(name);
    report(new ApiError(0, code));
  };

  return {
    put: (id, queued) => {
      slots.set(NAME + id, JSON.stringify(queued));
      let bytesLeft = MAX_LENGTH;
      names()
        .reverse()
        .forEach((name, index) => {
          bytesLeft -= slots.get(name)?.length ?? 0;
          if (index > 0 && (index >= maxEntries() || bytesLeft < 0)) drop(name, 'queue_full');
        });
    },
    list: () =>
      names().flatMap((name) => {
        try {
          // Safe: `put` wrote it; if other code changed it, missing fields reveal it.
          const queued = JSON.parse(slots.get(name) ?? '') as Queued;
          if (!(now() - (queued.sentAtMs ?? now()) > FORGOTTEN_AFTER_MS) && queued.body.messageId)
            return [{ ...queued, id: name.slice(NAME.length) }];
          slots.delete(name);
        } catch {
          drop(name, 'storage_corrupt');
        }
        return [];
      }),
    remove: (entries) => {
      for (const { id } of entries) slots.delete(NAME + id);
    },
  };
};
