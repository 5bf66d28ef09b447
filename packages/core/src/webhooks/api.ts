import type { z } from 'zod';
import type { Frozen } from '../foundation/frozen.ts';
import type { ListQuery, Page, PageQuery } from '../foundation/page.ts';
import type { Scope } from '../foundation/scope.ts';
import type { CatalogName } from '../people/events/catalog.ts';
import type {
  DeliveryStatus,
  DeliveryTrigger,
  DisabledReason,
  recoveryBody,
  rotationBody,
  webhookBody,
  webhookPatch,
} from './schema.ts';

/** Who is to be told of which events: names of the catalog. Headers are sent along; they may not be those of the delivery. */
export interface WebhookInput extends Omit<Frozen<z.input<typeof webhookBody>>, 'events'> {
  readonly events: readonly CatalogName[];
}

/** What is left out stays; null empties. `isActive: true` also forgets why it was switched off. */
export interface WebhookPatch extends Omit<Frozen<z.input<typeof webhookPatch>>, 'events'> {
  readonly events?: readonly CatalogName[] | undefined;
}

/** For how long the older secret signs along, in seconds: 0 to a week, default a day. */
export interface SecretRotation extends Frozen<z.input<typeof rotationBody>> {}

/** ISO 8601; until this moment where `until` is left out. */
export interface WebhookRecovery extends Frozen<z.input<typeof recoveryBody>> {}

/** A subscription to events of one project and environment. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly CatalogName[];
  readonly description: string | null;
  readonly isActive: boolean;
  /** Nothing is posted: its deliveries are `held`, to be fetched. It is deleted after a day. */
  readonly isPulled: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly projectId: string;
  /** `gone`: its receiver answered 410. `failing`: it took nothing for 120 h. */
  readonly disabledReason: DisabledReason | null;
  /** Since when it took nothing; null: it took the last one, or was told nothing. */
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** With the secret that signs (`whsec_...`), which is not shown again. */
export type WebhookWithSecret = Webhook & { readonly secret: string };

/** One event on its way to one webhook. */
export type WebhookDelivery = {
  readonly id: string;
  readonly webhookId: string;
  /** `event.id` of the body: the same in every attempt. */
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Why it ended untold: `exhausted`, `deleted`, `disabled`, or the error of its last attempt. */
  readonly reason: string | null;
  /** Of this series: a replay begins a new one. */
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};

export type WebhookAttempt = {
  readonly at: Date;
  readonly trigger: DeliveryTrigger;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The first kilobyte of the answer. */
  readonly response: string | null;
  /** Null: it was taken. */
  readonly error: string | null;
};

export type WebhookDeliveryRead = WebhookDelivery & {
  /** As it is posted, byte by byte. */
  readonly body: string;
  /** The last 30, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
};

export type DeliveryQuery = ListQuery & {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
};

/** `hasMore`: 10,000 are told again by one call at most; the rest by the next. */
export type Recovered = { readonly recovered: number; readonly hasMore: boolean };

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
  delete(scope: Scope, id: string): Promise<Webhook>;
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
