import type { ApiError } from './errors.ts';
import type { QueuedEvent } from './queue.ts';

export type Consent = 'granted' | 'denied' | 'pending';
/** What a client may be told when it is made. */
export type ClientOptions = {
  /** A public key, `pk_...`; on a server also a secret one. */
  readonly apiKey: string;
  /** The service's origin, such as `https://engage.example.com`. */
  readonly baseUrl: string;
  /**
   * Page views, sessions, clicks on links, and coming and going are tracked; default true. They count against the event
   * quota like any other event.
   */
  readonly autoTrack?: boolean | undefined;
  /** The module of events that name none; default `analytics`. */
  readonly module?: string | undefined;
  /** Default `granted`. `pending` keeps at most 100 events in memory and writes nothing; `denied` drops everything. */
  readonly consent?: Consent | undefined;
  /** Takes `navigator.globalPrivacyControl` for a denial until `setConsent` says otherwise; default false. */
  readonly respectGpc?: boolean | undefined;
  /** Where the queue and the ids are kept; default `local`, which is `localStorage` where there is one. */
  readonly storage?: 'local' | 'memory' | undefined;
  /** Events that are sent at once; default 20. */
  readonly flushAt?: number | undefined;
  /** Milliseconds that an event waits for others; default 3000. */
  readonly flushMs?: number | undefined;
  /** Events that are kept while the service cannot be reached, the newest; default 1000. */
  readonly maxQueue?: number | undefined;
  /** Changes an event before it is queued, or drops it with null. */
  readonly beforeSend?: ((event: QueuedEvent) => QueuedEvent | null) | undefined;
  /** Told of what was dropped or refused; default nobody. */
  readonly onError?: ((error: ApiError) => void) | undefined;
};
