import { bulkInsert, bulkSelect, bulkUpdate } from '../database/statements/bulk.ts';
import { claimable } from '../database/statements/claim.ts';
import { WEBHOOKS_QUEUE } from './schema.ts';
import type { DeliveryRow, WebhookTables } from './tables.ts';

const KEY = ['scopeId', 'id'] as const;

/** Columns that posting does not need. */
const NOT_LEASED = [
  'eventType',
  'status',
  'reason',
  'createdAt',
  'finishedAt',
  'dueAt',
  'leaseUntil',
] as const satisfies readonly (keyof DeliveryRow)[];

/** A claimed delivery. */
export type LeasedDelivery = Omit<DeliveryRow, (typeof NOT_LEASED)[number]>;

/** The queue of due deliveries. */
export const deliveryQueue = ({ webhookDeliveries }: WebhookTables) =>
  claimable(WEBHOOKS_QUEUE, webhookDeliveries, { without: NOT_LEASED });

/** Hot statements of webhooks. */
export const webhookStatements = ({ webhooks, webhookDeliveries, webhookBodies }: WebhookTables) => ({
  /** Active webhooks of a scope. */
  active: bulkSelect('webhooks.active', webhooks, ['scopeId'], ['scopeId', 'id', 'events', 'isPulled'], (column) =>
    column('is_active'),
  ),
  receivers: bulkSelect(
    'webhooks.receivers',
    webhooks,
    [...KEY],
    [...KEY, 'url', 'isActive', 'sealed', 'version', 'failingSince'],
  ),
  /** Told to one more webhook, an event has the body that it has. */
  insertBody: bulkInsert('webhooks.insert_body', webhookBodies, [...KEY, 'person', 'body', 'createdAt'], {
    conflict: { target: [...KEY] },
  }),
  bodies: bulkSelect('webhooks.bodies', webhookBodies, [...KEY], [...KEY, 'body']),
  /** Ids are deterministic, so an existing row is the same event for the same webhook. */
  insert: bulkInsert(
    'webhooks.insert',
    webhookDeliveries,
    [
      ...KEY,
      'webhookId',
      'eventId',
      'eventType',
      'status',
      'trigger',
      'attempts',
      'attemptLog',
      'step',
      'createdAt',
      'dueAt',
      'fence',
    ],
    { conflict: { target: [...KEY] } },
  ),
  /** The fence makes it a no-op if another worker has claimed the row. */
  finish: bulkUpdate('webhooks.settle', webhookDeliveries, {
    where: [...KEY, 'fence'],
    set: {
      status: 'value',
      reason: 'value',
      trigger: 'value',
      attempts: 'value',
      attemptLog: 'value',
      finishedAt: 'value',
      dueAt: 'value',
      leaseUntil: 'null',
    },
  }),
  /** Postpones a delivery whose webhook is at its limit of concurrent requests. */
  putOff: bulkUpdate('webhooks.put_off', webhookDeliveries, {
    where: [...KEY, 'fence'],
    set: { dueAt: 'value', leaseUntil: 'null' },
  }),
  failing: bulkUpdate('webhooks.failing', webhooks, {
    where: [...KEY],
    set: { failingSince: 'value' },
    when: (column) => `${column('failing_since')} is null`,
    isOrdered: true,
  }),
  working: bulkUpdate('webhooks.working', webhooks, {
    where: [...KEY],
    set: { failingSince: 'null' },
    when: (column) => `${column('failing_since')} is not null`,
    isOrdered: true,
  }),
  disable: bulkUpdate('webhooks.disable', webhooks, {
    where: [...KEY],
    set: { isActive: 'value', disabledReason: 'value', updatedAt: 'value' },
    when: (column) => column('is_active'),
    isOrdered: true,
  }),
});

export type WebhookStatements = ReturnType<typeof webhookStatements>;
