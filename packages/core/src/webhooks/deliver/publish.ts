// Writes one delivery row per subscribed webhook, in the transaction of the event. Subscriptions are cached, so an
// event without subscribers costs no query.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { followingId } from '../../foundation/derived-id.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { CatalogName } from '../../people/events/catalog.ts';
import type { CatalogEvent, Emitted, Publisher } from '../../people/events/emit.ts';
import { bodyOf, type PublishedEvent } from '../body.ts';
import { WEBHOOKS_QUEUE } from '../schema.ts';
import type { WebhookStatements } from '../statements.ts';
import type { WebhookRow } from '../tables.ts';

/** Cache age, in milliseconds, after which a change by another process is visible. Chosen: the same as for triggers. */
const MAX_AGE_MS = 2_000;

/** What a delivery row needs to know of its webhook. */
export type Subscriber = Pick<WebhookRow, 'id' | 'isPulled'>;
type SubscribersByEvent = ReadonlyMap<string, readonly Subscriber[]>;

const NO_SUBSCRIBERS: SubscribersByEvent = new Map();

/** Deterministic id of the delivery of an event to a webhook: planning it again gives the same id. Throws nothing. */
export const deliveryId = ({ id, at }: Pick<PublishedEvent, 'id' | 'at'>, webhookId: string): string =>
  followingId(at, id, `webhooks/${webhookId}`);

/** The delivery row. The body is a row of its own, shared by all webhooks of the event. */
const deliveryOf = (
  hot: Pick<WebhookStatements, 'insert'>,
  scope: Scope,
  event: PublishedEvent,
  { id: webhookId, isPulled }: Subscriber,
): Write =>
  write(hot.insert, {
    ...scopeOf(scope),
    id: deliveryId(event, webhookId),
    webhookId,
    eventId: event.id,
    eventType: event.type,
    status: isPulled ? 'held' : 'pending',
    trigger: 'schedule',
    attempts: 0,
    attemptLog: [],
    step: null,
    createdAt: event.at,
    dueAt: isPulled ? null : event.at,
    fence: 0,
  });

/** The rows of an event: its body, and one delivery per webhook. Throws nothing. */
export const deliveryWrites = (
  hot: Pick<WebhookStatements, 'insert' | 'insertBody'>,
  scope: Scope,
  event: PublishedEvent,
  webhooks: readonly Subscriber[],
): Write[] => {
  const { id, person, at: createdAt } = event;
  return [
    write(hot.insertBody, { ...scopeOf(scope), id, person, body: bodyOf(scope, event), createdAt }),
    ...webhooks.map((webhook) => deliveryOf(hot, scope, event, webhook)),
  ];
};

/** `forget` drops the cached subscriptions of a scope. Call it after a webhook changed. */
export type WebhookPublisher = Publisher & { forget(scope: InScope): void };

export const webhookPublisher = ({
  storage,
  hot,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly hot: Pick<WebhookStatements, 'active' | 'insert' | 'insertBody'>;
  readonly clock: Clock;
}): WebhookPublisher => {
  const cache = sharedCache<InScope, SubscribersByEvent>({
    storage,
    clock,
    topic: null,
    nameOf: scopeKey,
    read: readByScope(storage, hot.active, (rows) => {
      if (rows.length === 0) return NO_SUBSCRIBERS;
      const pairs = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const named = pairs.flatMap((row) => row.events.map((name) => [name, row] as const));
      return new Map(
        [...Map.groupBy(named, ([name]) => name)].map(([name, some]) => [name, some.map(([, row]) => row)]),
      );
    }),
    maxAgeMs: MAX_AGE_MS,
  });

  const emit = (scope: Scope, event: CatalogEvent, webhooks: readonly Subscriber[]): Emitted => {
    const isPosted = webhooks.some(({ isPulled }) => !isPulled);
    return {
      writes: deliveryWrites(hot, scope, { ...event, type: event.name }, webhooks),
      wakes: isPosted ? [WEBHOOKS_QUEUE] : [],
    };
  };

  return {
    load: async (scopes) => {
      const subscribersIn = await cache.load(scopes);
      return (scope, name: CatalogName) => {
        const webhooks = subscribersIn(scope).get(name);
        return webhooks === undefined ? null : (event) => emit(scope, event, webhooks);
      };
    },
    forget: cache.forget,
  };
};
