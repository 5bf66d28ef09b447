import { sql } from 'drizzle-orm';
import type { Columns } from '../database/columns.ts';
import type { CatalogName } from '../people/events/catalog.ts';
import type { DeliveryStatus, DeliveryTrigger, DisabledReason } from './schema.ts';

/** One attempt as stored in its delivery. */
export type KeptAttempt = {
  /** ISO 8601. */
  readonly at: string;
  readonly trigger: DeliveryTrigger;
  readonly status: number | null;
  readonly durationMs: number;
  readonly response: string | null;
  readonly error: string | null;
};

/** A header value: text and names of secrets. Secrets are read when it is posted and never stored here. */
export type HeaderParts = readonly (string | { readonly secret: string })[];

/** The target of a webhook step, and the step of the run that waits for the response. */
export type StepTarget = {
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, HeaderParts>>;
  /** Time limit of one attempt, in milliseconds. */
  readonly limitMs: number;
  readonly isSigned: boolean;
};

/** Webhooks, their deliveries and the bodies of these. */
export const webhookTables = (c: Columns) => ({
  webhooks: c.table(
    'webhooks',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      url: c.text('url').notNull(),
      events: c.json<readonly CatalogName[]>('events').notNull(),
      description: c.text('description'),
      isActive: c.bool('is_active').notNull(),
      /** Pull mode: deliveries wait to be fetched and are not posted. */
      isPulled: c.bool('is_pulled').notNull(),
      /** Encrypted secrets and headers: receivers authenticate Beckon by either. */
      sealed: c.text('sealed').notNull(),
      /** Incremented by each change of `sealed`: optimistic lock for concurrent updates. */
      version: c.int('version').notNull(),
      disabledReason: c.text('disabled_reason').$type<DisabledReason>(),
      /** Time of the first failure since the last success; null if the last attempt succeeded. */
      failingSince: c.time('failing_since'),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] })],
  ),
  webhookDeliveries: c.table(
    'webhook_deliveries',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Derived from event and webhook, so an event has one row per webhook. */
      id: c.id('id').notNull(),
      /** The workflow's id for a step's delivery. */
      webhookId: c.id('webhook_id').notNull(),
      /** The delivery's own id for a step's delivery. */
      eventId: c.id('event_id').notNull(),
      eventType: c.text('event_type').notNull(),
      /** Target of a workflow step; null for a webhook's delivery. */
      step: c.json<StepTarget>('step'),
      status: c.text('status').$type<DeliveryStatus>().notNull(),
      /** Why it was not delivered; null if it was, or is pending. */
      reason: c.text('reason'),
      /** Trigger of the next attempt. */
      trigger: c.text('trigger').$type<DeliveryTrigger>().notNull(),
      /** Attempts of the current series. A replay starts a new series. */
      attempts: c.int('attempts').notNull(),
      attemptLog: c.json<readonly KeptAttempt[]>('attempt_log').notNull(),
      createdAt: c.time('created_at').notNull(),
      finishedAt: c.time('finished_at'),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('webhook_deliveries_webhook').on(t.scopeId, t.webhookId, t.id),
      c.index('webhook_deliveries_event').on(t.scopeId, t.eventId),
      c.index('webhook_deliveries_created').on(t.createdAt),
      c.index('webhook_deliveries_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
    ],
  ),
  /** Bodies of deliveries. One row serves all webhooks of an event. */
  webhookBodies: c.table(
    'webhook_bodies',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Equal to `eventId` of its deliveries. */
      id: c.id('id').notNull(),
      /** Profile key of the event; null if the event has no user. */
      person: c.text('person'),
      /** The request body of every attempt, byte for byte. */
      body: c.text('body').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('webhook_bodies_person').on(t.scopeId, t.person),
      c.index('webhook_bodies_created').on(t.createdAt),
    ],
  ),
});

export type WebhookTables = ReturnType<typeof webhookTables>;
export type WebhookRow = WebhookTables['webhooks']['$inferSelect'];
export type DeliveryRow = WebhookTables['webhookDeliveries']['$inferSelect'];
export type WebhookBodyRow = WebhookTables['webhookBodies']['$inferSelect'];
