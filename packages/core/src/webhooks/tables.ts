import { sql } from 'drizzle-orm';
import type { Columns } from '../database/columns.ts';
import type { CatalogName } from '../people/events/catalog.ts';
import type { DeliveryStatus, DeliveryTrigger, DisabledReason } from './schema.ts';

/** One attempt as its delivery keeps it. */
export type KeptAttempt = {
  /** ISO 8601. */
  readonly at: string;
  readonly trigger: DeliveryTrigger;
  readonly status: number | null;
  readonly durationMs: number;
  readonly response: string | null;
  readonly error: string | null;
};

/** A text of a header, and the names of secrets within it: what they hold is read when it is posted, and kept nowhere. */
export type HeaderParts = readonly (string | { readonly secret: string })[];

/** What a step of a workflow posts to, and which step of which run waits for the answer. */
export type StepTarget = {
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, HeaderParts>>;
  /** Milliseconds of one attempt. */
  readonly limitMs: number;
  readonly isSigned: boolean;
};

/** Who wants to be told of what happens, and what they were told. */
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
      /** Its deliveries wait to be fetched; nobody posts them. */
      isPulled: c.bool('is_pulled').notNull(),
      /** Secrets and headers, sealed: receivers know the service by either. */
      sealed: c.text('sealed').notNull(),
      /** Counts what was sealed here by its owner, so that two changes of it do not lose each other. */
      version: c.int('version').notNull(),
      disabledReason: c.text('disabled_reason').$type<DisabledReason>(),
      /** Since when no attempt was taken; null: the last one was. */
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
      /** Made of the event and the webhook: of two there is one row. */
      id: c.id('id').notNull(),
      /** Of a step's delivery the workflow's id, which no webhook has. */
      webhookId: c.id('webhook_id').notNull(),
      /** Of a step's delivery its own id. */
      eventId: c.id('event_id').notNull(),
      eventType: c.text('event_type').notNull(),
      /** Of a workflow's step; null: it is a webhook's. */
      step: c.json<StepTarget>('step'),
      status: c.text('status').$type<DeliveryStatus>().notNull(),
      /** Why it ended untold; null: it did not. */
      reason: c.text('reason'),
      /** Of the next attempt. */
      trigger: c.text('trigger').$type<DeliveryTrigger>().notNull(),
      /** Of this series: a replay begins a new one. */
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
  /** What webhooks are told of an event: the same for all of them, so it lies beside their deliveries. */
  webhookBodies: c.table(
    'webhook_bodies',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** As `eventId` of its deliveries. */
      id: c.id('id').notNull(),
      /** Whose the event is; null: nobody's. */
      person: c.text('person'),
      /** As it is posted in every attempt, byte by byte. */
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
