import { bulkInsert, bulkSelect, bulkUpdate } from '../database/statements/bulk.ts';
import { claimable } from '../database/statements/claim.ts';
import { WEBHOOKS_QUEUE } from './schema.ts';
import type { DeliveryRow, WebhookTables } from './tables.ts';

const KEY = ['scopeId', 'id'] as const;

/** What of a delivery does not matter to whoever posts it. */
const NOT_LEASED = [
  'eventType',
  'status',
  'reason',
  'createdAt',
  'finishedAt',
  'dueAt',
  'leaseUntil',
] as const satisfies readonly (keyof DeliveryRow)[];

/** A delivery as whoever posts it has it. */
export type LeasedDelivery = Omit<DeliveryRow, (typeof NOT_LEASED)[number]>;

/** Deliveries that are due. */
export const deliveryQueue = ({ webhookDeliveries }: WebhookTables) =>
  claimable(WEBHOOKS_QUEUE, webhookDeliveries, { without: NOT_LEASED });

/** The statements of every event that somebody wants to be told of. */
export const webhookStatements = ({ webhooks, webhookDeliveries, webhookBodies }: WebhookTables) => ({
  /** Who is told of anything in a scope. */
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
  /** An id that is there stands for the same event to the same webhook. */
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
  /** Without effect where the row is somebody else's by now. */
  settle: bulkUpdate('webhooks.settle', webhookDeliveries, {
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
  /** Its receiver has as much in hand as it may. */
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
