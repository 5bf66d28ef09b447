import type { z } from 'zod';
import type { Frozen } from '../foundation/frozen.ts';
import type { ListQuery, Page, PageQuery } from '../foundation/page.ts';
import type { Scope } from '../foundation/scope.ts';
import type { CatalogName } from '../people/events/catalog.ts';
import type {
  Recovered,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryRead,
  WebhookWithSecret,
} from './answers.generated.ts';
import type { DeliveryStatus, recoveryBody, rotationBody, webhookBody, webhookPatch } from './schema.ts';

/** A subscription: a URL and the event types of the catalog that it receives. `headers` are sent with every delivery. */
export interface WebhookInput extends Omit<Frozen<z.input<typeof webhookBody>>, 'events'> {
  readonly events: readonly CatalogName[];
}

/** Absent fields keep their value; null clears. `isActive: true` also clears `disabledReason`. */
export interface WebhookPatch extends Omit<Frozen<z.input<typeof webhookPatch>>, 'events'> {
  readonly events?: readonly CatalogName[] | undefined;
}

/** How long the previous secret also signs, in seconds: 0 to 604,800, default 86,400. */
export interface SecretRotation extends Frozen<z.input<typeof rotationBody>> {}

/** A time range in ISO 8601. `until` defaults to now. */
export interface WebhookRecovery extends Frozen<z.input<typeof recoveryBody>> {}

export type DeliveryQuery = ListQuery & {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
};

export type WebhooksApi = {
  /** Throws VALIDATION_ERROR, also for a URL that Beckon may not connect to and at 100 webhooks of a project. */
  create(scope: Scope, body: WebhookInput): Promise<WebhookWithSecret>;
  /** Oldest first. */
  list(scope: Scope, query?: PageQuery & { readonly count?: boolean | undefined }): Promise<Page<Webhook>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<Webhook>;
  /** Throws NOT_FOUND, VALIDATION_ERROR, OVERLOADED after repeated conflicts with concurrent updates. */
  update(scope: Scope, id: string, body: WebhookPatch): Promise<Webhook>;
  /** Its pending deliveries are cancelled. Throws NOT_FOUND. */
  delete(scope: Scope, id: string): Promise<Webhook>;
  /** Replaces the secret. The previous one also signs during the grace period. Throws as `update`. */
  rotateSecret(scope: Scope, id: string, body?: SecretRotation): Promise<WebhookWithSecret>;
  /** Queues an event of type `webhook.test`. Throws NOT_FOUND, VALIDATION_ERROR if the webhook is disabled. */
  test(scope: Scope, id: string): Promise<WebhookDeliveryRead>;
  /** Newest first; `from` and `to` filter by the time of the event. Throws NOT_FOUND, VALIDATION_ERROR. */
  deliveries(scope: Scope, id: string, query?: DeliveryQuery): Promise<Page<WebhookDelivery>>;
  /** Throws NOT_FOUND. */
  delivery(scope: Scope, id: string): Promise<WebhookDeliveryRead>;
  /**
   * Starts a new series of attempts for a finished delivery, with the same body and event id. Throws NOT_FOUND,
   * VALIDATION_ERROR if the webhook is disabled, CONFLICT `in_progress` while the delivery is pending.
   */
  replay(scope: Scope, id: string): Promise<WebhookDeliveryRead>;
  /**
   * Starts a new series for each failed or cancelled delivery of events since `since`, 50 a second. Throws NOT_FOUND,
   * VALIDATION_ERROR.
   */
  recover(scope: Scope, id: string, body: WebhookRecovery): Promise<Recovered>;
};
