import type { z } from 'zod';
import type { Frozen } from '../foundation/frozen.ts';
import type { ListQuery, Page, PageQuery } from '../foundation/page.ts';
import type { Scope } from '../foundation/scope.ts';
import type {
  Recovered,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryRead,
  WebhookWithSecret,
} from './answers.generated.ts';
import type { DeliveryStatus, recoveryBody, rotationBody, webhookBody, webhookPatch } from './schema.ts';

/** Who is to be told of which events: names of the catalog. Headers are sent along; they may not be those of the delivery. */
export type WebhookInput = Frozen<z.input<typeof webhookBody>>;

/** What is left out stays; null empties. `isActive: true` also forgets why it was switched off. */
export type WebhookPatch = Frozen<z.input<typeof webhookPatch>>;

/** For how long the older secret signs along, in seconds: 0 to a week, default a day. */
export type SecretRotation = Frozen<z.input<typeof rotationBody>>;

/** ISO 8601; until this moment where `until` is left out. */
export type WebhookRecovery = Frozen<z.input<typeof recoveryBody>>;

export type DeliveryQuery = ListQuery & {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
};

export type WebhooksApi = {
  /** Throws VALIDATION_ERROR, also for a URL that nobody may be connected to and where the project has 100. */
  create(scope: Scope, body: WebhookInput): Promise<WebhookWithSecret>;
  /** Oldest first. */
  list(scope: Scope, query?: PageQuery & { readonly count?: boolean | undefined }): Promise<Page<Webhook>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<Webhook>;
  /** Throws NOT_FOUND, VALIDATION_ERROR, OVERLOADED where others change it all the time. */
  update(scope: Scope, id: string, body: WebhookPatch): Promise<Webhook>;
  /** What is on its way to it is not tried again. Throws NOT_FOUND. */
  remove(scope: Scope, id: string): Promise<Webhook>;
  /** Gives it a new secret; the older one signs along for a while. Throws as `update`. */
  rotateSecret(scope: Scope, id: string, body?: SecretRotation): Promise<WebhookWithSecret>;
  /** Tells it an event of type `webhook.test`, soon. Throws NOT_FOUND, VALIDATION_ERROR for one that is switched off. */
  test(scope: Scope, id: string): Promise<WebhookDeliveryRead>;
  /** Newest first; `from` and `to` are of the event. Throws NOT_FOUND, VALIDATION_ERROR. */
  deliveries(scope: Scope, id: string, query?: DeliveryQuery): Promise<Page<WebhookDelivery>>;
  /** Throws NOT_FOUND. */
  delivery(scope: Scope, id: string): Promise<WebhookDeliveryRead>;
  /**
   * Begins a new series of a delivery that is over, with the same body and event. Throws NOT_FOUND, VALIDATION_ERROR for a
   * webhook that is switched off, CONFLICT `in_progress` while it is being tried.
   */
  replay(scope: Scope, id: string): Promise<WebhookDeliveryRead>;
  /**
   * Begins a new series of each delivery of events from `since` on that failed or was cancelled, 50 a second. Throws
   * NOT_FOUND, VALIDATION_ERROR.
   */
  recover(scope: Scope, id: string, body: WebhookRecovery): Promise<Recovered>;
};
