// Delivery history, and redelivery of one delivery or of all that failed since a time.

import { conflict, notFound, validationError } from '../../foundation/errors.ts';
import { isObject } from '../../foundation/json.ts';
import { idOf, listPage, timeRange } from '../../foundation/page.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import { type Scope, scopeKey } from '../../foundation/scope.ts';
import type { EventRecord } from '../../people/events/answers.generated.ts';
import { CATALOG } from '../../people/events/catalog.ts';
import { type Eraser, SLICE, sliced } from '../../platform/erasure/eraser.ts';
import type { Platform } from '../../platform/platform.ts';
import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryRead } from '../answers.generated.ts';
import type { WebhooksApi } from '../api.ts';
import { deliveryId, deliveryWrites } from '../deliver/publish.ts';
import { parseRecovery, TEST_EVENT, WEBHOOKS_QUEUE } from '../schema.ts';
import type { WebhookStatements } from '../statements.ts';
import { webhookStore } from '../store.ts';
import type { WebhookRow, WebhookTables } from '../tables.ts';
import type { PublishedBody } from './store.ts';
import { deliveryStore, type ListedDelivery, type ReadDelivery } from './store.ts';

const MODULES: ReadonlyMap<string, string> = new Map(
  Object.entries(CATALOG).map(([name, { module }]) => [name, module]),
);

/**
 * Rebuilds an event from a delivery's body. For an event without a user, or one that no workflow uses, the body may be the
 * only record. Throws nothing.
 */
const eventFromBody = (
  scope: Scope,
  id: string,
  { person, body, eventType, createdAt }: PublishedBody,
): EventRecord => {
  const { data }: { readonly data?: unknown } = JSON.parse(body);
  const [userId, anonymousId] = person === null ? [null, null] : [userIdOf(person), anonymousIdOf(person)];
  const members = isObject(data) ? data : {};
  // The body puts the user's ids before the event's own properties.
  const properties = Object.fromEntries(
    Object.entries(members).filter(
      ([key, value]) => !(key === 'userId' && value === userId) && !(key === 'anonymousId' && value === anonymousId),
    ),
  );
  return {
    id,
    userId,
    anonymousId,
    module: MODULES.get(eventType) ?? 'webhooks',
    eventType,
    properties,
    traits: null,
    messageId: null,
    sessionId: null,
    context: null,
    source: 'system',
    timestamp: createdAt,
    receivedAt: createdAt,
    environment: scope.environment,
    orgId: scope.orgId,
    projectId: scope.projectId,
  };
};

/** Retention of finished deliveries, in milliseconds. Source: reliability, Promises (P12). */
const RETENTION_MS = 30 * 86_400_000;
/** Lifetime of a pull webhook, in milliseconds. Chosen: a day, since a closed terminal leaves it behind. */
const PULLED_FOR_MS = 86_400_000;
/** Rows deleted per maintenance slice. Chosen. */
const SWEEP = 500;
/** Deliveries redelivered by one recovery, and per transaction. Chosen. */
const MAX_RECOVERED = 10_000;
const RECOVERED_AT_ONCE = 50;
/** Pause between two groups, in milliseconds: 50 deliveries a second. Chosen: spares a receiver that has just recovered. */
const RECOVERY_STEP_MS = 1_000;

const listedView = ({ scopeId: _, ...row }: ListedDelivery): WebhookDelivery => {
  const { dueAt, trigger: _trigger, attempts, ...rest } = row;
  return { ...rest, attemptCount: attempts, nextAttemptAt: dueAt };
};

const readView = (row: ReadDelivery): WebhookDeliveryRead => {
  const { body, attemptLog, step: _step, leaseUntil: _lease, fence: _fence, ...listed } = row;
  const attempts = attemptLog.map((one): WebhookAttempt => ({ ...one, at: new Date(one.at) }));
  return { ...listedView(listed), body, attempts };
};

type HistoryApi = Pick<WebhooksApi, 'deliveries' | 'delivery' | 'test' | 'replay' | 'recover'>;

export const webhookHistory = (
  { storage, tables, clock, ids }: Pick<Platform<WebhookTables>, 'storage' | 'tables' | 'clock' | 'ids'>,
  hot: Pick<WebhookStatements, 'insert' | 'insertBody'>,
) => {
  const store = deliveryStore({ db: storage.db, tables });
  const webhooks = webhookStore({ db: storage.db, tables });

  const webhookIn = async (scope: Scope, id: string): Promise<WebhookRow> => {
    const row = await webhooks.get(scope, id);
    if (!row) throw notFound('webhook with this id', scope);
    return row;
  };
  const activeWebhookIn = async (scope: Scope, id: string): Promise<WebhookRow> => {
    const row = await webhookIn(scope, id);
    if (row.isActive) return row;
    throw validationError({ isActive: ['is false: activate the webhook first'] });
  };
  const deliveryIn = async (scope: Scope, id: string): Promise<ReadDelivery> => {
    const row = await store.get(scope, id);
    if (!row) throw notFound('delivery with this id', scope);
    return row;
  };
  const wake = (): void => storage.wake.signal([WEBHOOKS_QUEUE]);

  const api: HistoryApi = {
    deliveries: async (scope, webhookId, query = {}) => {
      const { status = null, eventType = null } = query;
      await webhookIn(scope, webhookId);
      const filter = { ...timeRange(query), webhookId, status, eventType };
      return listPage(query, {
        binding: JSON.stringify(['webhook deliveries', scopeKey(scope), filter]),
        read: async (place) => (await store.list(scope, filter, place)).map(listedView),
        count: () => store.count(scope, filter),
        positionOf: idOf,
      });
    },
    delivery: async (scope, id) => readView(await deliveryIn(scope, id)),
    test: async (scope, webhookId) => {
      const webhook = await activeWebhookIn(scope, webhookId);
      const { url } = webhook;
      const event = {
        id: ids.next(),
        type: TEST_EVENT,
        person: null,
        properties: { webhookId, url, test: true },
        at: clock.now(),
      };
      await storage.commit({ writes: deliveryWrites(hot, scope, event, [webhook]), wakes: [WEBHOOKS_QUEUE] });
      return readView(await deliveryIn(scope, deliveryId(event, webhookId)));
    },
    replay: async (scope, id) => {
      const { webhookId, body } = await deliveryIn(scope, id);
      await activeWebhookIn(scope, webhookId);
      const row = await store.replay(scope, id, clock.now());
      if (!row) throw conflict('in_progress');
      wake();
      return readView({ ...row, body });
    },
    recover: async (scope, webhookId, body) => {
      const { since, until = clock.now() } = parseRecovery(body);
      await activeWebhookIn(scope, webhookId);
      const range = { since, until };
      const beganMs = clock.now().getTime();
      let recovered = 0;
      let seen = 0;
      let after: string | null = null;
      for (;;) {
        const deliveryIds: string[] = await store.undelivered(scope, webhookId, range, after, RECOVERED_AT_ONCE);
        if (deliveryIds.length === 0 || seen >= MAX_RECOVERED) return { recovered, hasMore: deliveryIds.length > 0 };
        const dueAt = new Date(beganMs + (seen / RECOVERED_AT_ONCE) * RECOVERY_STEP_MS);
        recovered += await store.recover(scope, deliveryIds, dueAt);
        if (seen === 0) wake();
        seen += RECOVERED_AT_ONCE;
        after = deliveryIds.at(-1) ?? null;
      }
    },
  };

  return {
    api,
    /** An event that was delivered to webhooks; null if there is none, or it was deleted. */
    findPublished: async (scope: Scope, eventId: string): Promise<EventRecord | null> => {
      const published = await store.publishedBody(scope, eventId);
      return published ? eventFromBody(scope, eventId, published) : null;
    },
    /** Deletes one slice of expired rows. True if more may be left. */
    sweep: async (): Promise<boolean> => {
      const now = clock.now().getTime();
      await webhooks.removePulledOfAll(new Date(now - PULLED_FOR_MS));
      return store.sweepOfAll(new Date(now - RETENTION_MS), SWEEP);
    },
    /** Deletes deliveries about a user. Requests under way finish, and their outcome finds no row. */
    eraser: sliced(
      'webhook deliveries',
      ({ scope, people, addresses }): Promise<number> =>
        storage.transaction((db) => deliveryStore({ db, tables }).erase(scope, { people, addresses }, SLICE)),
    ) satisfies Eraser,
  };
};
