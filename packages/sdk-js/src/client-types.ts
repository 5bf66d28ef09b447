import type { DeviceInput, PushToken } from './generated/wire.ts';
import type { Consent } from './options.ts';

export type Properties = Readonly<Record<string, unknown>>;
/** Default event map: any name with any properties. */
export type AnyEvents = Readonly<Record<string, Properties>>;
/** Properties may be omitted if none is required. */
type TrackRest<P> =
  Record<never, never> extends P ? [properties?: P, module?: string] : [properties: P, module?: string];

/** A browser's registration. Omitted user ids are filled in by the client. */
export type TokenFields = DeviceInput;

/** The client. `Events` maps event names to their properties. */
export type Client<Events extends object = AnyEvents> = {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Queues an event. */
  track<Name extends keyof Events & string>(eventType: Name, ...rest: TrackRest<Events[Name]>): void;
  /** Queues `page.viewed` with the URL, path, title and referrer of the page, and the given properties. */
  page(properties?: Properties): void;
  /**
   * Identifies the user: later events carry this id. The call is sent after the events queued before it. A placeholder
   * such as "undefined", or an empty id, is not sent and changes nothing; a development build warns in the console.
   * Resolves when the service has stored it, and at once if consent is denied. Without a network it also resolves: at
   * once if the browser reports offline, otherwise after four attempts; it is sent when the network is back. Rejects
   * with ApiError if the service rejected it, failed four times, or has no quota left. It is not retried then.
   */
  identify(userId: string, traits?: Properties): Promise<void>;
  /**
   * Forgets the user, creates a new anonymous id, unregisters the device from push and ends its subscription. Rejects
   * with
   * ApiError if the service could not be reached; everything else is done nevertheless.
   */
  reset(): Promise<void>;
  /** Sends the queue. Resolves when it is empty, and rejects with the first ApiError. */
  flush(): Promise<void>;
  setConsent(consent: Consent): void;
  /** Reports that a push was opened. `clickAction` is the button's id, or `body`. Rejects with ApiError. */
  trackOpen(sendId: string, clickAction?: string, messageId?: string): Promise<unknown>;
  /** Reports that a push was shown. Rejects with ApiError. */
  trackDelivered(sendId: string, messageId?: string): Promise<unknown>;
  /** Registers this device for push. Rejects with ApiError. */
  registerToken(fields: TokenFields): Promise<PushToken>;
  /** Calls any route of the API, `path` after `/api/v1`, and returns `data`. Rejects with ApiError. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Stops all timers and listeners. The queue stays for the next page. */
  close(): void;
};
