import type { ApiError } from './errors.ts';
import type { QueuedEvent } from './queue.ts';

export type Consent = 'granted' | 'denied' | 'pending';
/** Options of a client. */
export type ClientOptions = {
  /** A public key, `pk_...`; on a server also a secret one. */
  readonly apiKey: string;
  /** The service's origin, such as `https://engage.example.com`. */
  readonly baseUrl: string;
  /**
   * Tracks page views, sessions, link clicks, foregrounding and backgrounding. Default true. They count against the
   * event quota like any other event.
   */
  readonly autoTrack?: boolean | undefined;
  /** The module of events that name none. Default `analytics`. */
  readonly module?: string | undefined;
  /** Default `granted`. `pending` keeps at most 100 events in memory and writes nothing; `denied` drops everything. */
  readonly consent?: Consent | undefined;
  /** Treats `navigator.globalPrivacyControl` as denied consent until `setConsent` is called. Default false. */
  readonly respectGpc?: boolean | undefined;
  /** Where the queue and the ids are stored. Default `local`, which is `localStorage` if there is one. */
  readonly storage?: 'local' | 'memory' | undefined;
  /** Number of events that are sent at once. Default 20. */
  readonly flushAt?: number | undefined;
  /** Milliseconds that an event waits for others. Default 3000. */
  readonly flushMs?: number | undefined;
  /** Maximum number of queued events while the service cannot be reached; the newest are kept. Default 1000. */
  readonly maxQueue?: number | undefined;
  /** Changes an event before it is queued, or drops it by returning null. */
  readonly beforeSend?: ((event: QueuedEvent) => QueuedEvent | null) | undefined;
  /** Called with the error of each dropped or rejected entry. Default: none. */
  readonly onError?: ((error: ApiError) => void) | undefined;
};
