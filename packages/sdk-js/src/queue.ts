import { ApiError } from './errors.ts';
import type { EventBatchInput, EventInput, IdentifyInput } from './generated/wire.ts';
import type { Slots } from './slots.ts';

/** An event with everything that the client says of it; who it is follows when it is sent where that is not known yet. */
export type QueuedEvent = EventInput & { readonly messageId: string };
/** What is said: `sentAtMs` is when a beacon took it, absent: none did. */
export type Queued = { readonly sentAtMs?: number } & (
  | { readonly kind: 'event' | 'auto'; readonly body: QueuedEvent }
  | { readonly kind: 'identify'; readonly body: IdentifyInput }
);
/** What waits; `id` is its message id, by which the service knows it again. */
export type Entry = Queued & { readonly id: string };

/** What a batch sends. */
export type Batch = Exclude<EventBatchInput, readonly unknown[]>;

/** Characters of everything that waits. Source: sdk, Storage. */
const MAX_LENGTH = 262_144;
/** A beacon's events are not repeated when the service has forgotten their ids. Source: sdk, the beacon contract. */
const FORGOTTEN_AFTER_MS = 72 * 3_600_000;
const NAME = 'e:';

export type Queue = {
  /** Writes an entry, dropping the oldest where there is no room. */
  put(id: string, queued: Queued): void;
  /** Everything that waits, of every page of this site, oldest first. */
  list(): Entry[];
  remove(entries: readonly Pick<Entry, 'id'>[]): void;
};

/**
 * The queue, one slot per entry: pages that share a storage never write the same slot, so none undoes what another did.
 *
 * @param maxEntries entries that are kept
 * @param report told of what is dropped
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
          // Safe: `put` wrote it; what somebody else did to it shows in what it lacks.
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
