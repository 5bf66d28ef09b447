import type { DeviceInput, PushToken } from './generated/wire.ts';
import type { Consent } from './options.ts';

export type Properties = Readonly<Record<string, unknown>>;
/** The events of a program that names none: any name with any properties. */
export type AnyEvents = Readonly<Record<string, Properties>>;
/** Properties may be left out where none has to be there. */
type TrackRest<P> =
  Record<never, never> extends P ? [properties?: P, module?: string] : [properties: P, module?: string];

/** What a browser registers; the ids of the person are those of the client where they are left out. */
export type TokenFields = DeviceInput;

/** The client. `Events` maps event names to their properties. */
export type Client<Events extends object = AnyEvents> = {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Queues an event. */
  track<Name extends keyof Events & string>(eventType: Name, ...rest: TrackRest<Events[Name]>): void;
  /** Queues `page.viewed` with the URL, path, title and referrer of the page, and what is given. */
  page(properties?: Properties): void;
  /**
   * Says who the person is: events from now on carry the id. Goes out behind the events that were queued before. A
   * placeholder such as "undefined", or nothing, is not sent and changes nothing; a development build warns in the console.
   * Resolves when the service took it, and without doing anything where consent is denied. Without a network it resolves
   * too, at once while the browser says so and else after four attempts, and goes out when there is one. Rejects with
   * ApiError where the service refused it, could not take it in four attempts, or has no quota left: it is over then.
   */
  identify(userId: string, traits?: Properties): Promise<void>;
  /**
   * Forgets the person, takes a new anonymous id, unregisters the device from push and ends its subscription. Rejects with
   * ApiError where the service could not be told; the rest is done then too.
   */
  reset(): Promise<void>;
  /** Sends what is queued. Resolves when nothing is left, and rejects with the first ApiError. */
  flush(): Promise<void>;
  setConsent(consent: Consent): void;
  /** Reports that a push was opened; `clickAction` is the button's id, or `body`. Rejects with ApiError. */
  trackOpen(sendId: string, clickAction?: string, messageId?: string): Promise<unknown>;
  /** Reports that a push was shown. Rejects with ApiError. */
  trackDelivered(sendId: string, messageId?: string): Promise<unknown>;
  /** Registers this device for push. Rejects with ApiError. */
  registerToken(fields: TokenFields): Promise<PushToken>;
  /** Any call of the interface, `path` after `/api/v1`; answers `data`. Rejects with ApiError. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Stops every timer and listener; what is queued stays for the next page. */
  close(): void;
};
