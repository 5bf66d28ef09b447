// What webhooks were told, and telling it again: one delivery, or all that were not taken since a moment.

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
import { deliveryId, toldTo } from '../deliver/announce.ts';
import { parseRecovery, TEST_EVENT, WEBHOOKS_QUEUE } from '../schema.ts';
import type { WebhookStatements } from '../statements.ts';
import { webhookStore } from '../store.ts';
import type { WebhookRow, WebhookTables } from '../tables.ts';
import type { ToldBody } from './store.ts';
import { deliveryStore, type ListedDelivery, type ReadDelivery } from './store.ts';

const MODULES: ReadonlyMap<string, string> = new Map(
  Object.entries(CATALOG).map(([name, { module }]) => [name, module]),
);

/**
 * The event that a webhook's body tells: of an event of nobody's, or of one that no workflow listens to, the body may be
 * all that is kept. Throws nothing.
 */
const recordOfTold = (scope: Scope, id: string, { person, body, eventType, createdAt }: ToldBody): EventRecord => {
  const { data }: { readonly data?: unknown } = JSON.parse(body);
  const [userId, anonymousId] = person === null ? [null, null] : [userIdOf(person), anonymousIdOf(person)];
  const said = isObject(data) ? data : {};
  // The body names the person before what the event says.
  const properties = Object.fromEntries(
    Object.entries(said).filter(
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

/** How long a delivery is kept that is over. Source: reliability, Promises (P12). */
const KEPT_MS = 30 * 86_400_000;
/** How long a webhook is kept that is fetched from; ours: a terminal that was closed leaves it behind. */
const PULLED_FOR_MS = 86_400_000;
/** Rows that one piece of upkeep forgets; ours. */
const SWEEP = 500;
/** Deliveries that one recovery tells again, and of one transaction of it; ours. */
const MAX_RECOVERED = 10_000;
const RECOVERED_AT_ONCE = 50;
/** Between two such groups, in milliseconds: 50 a second. Ours: a receiver that is just back is not run over. */
const RECOVERY_STEP_MS = 1_000;

const listedView = ({ scopeId: _, ...row }: ListedDelivery): WebhookDelivery => {
  const { dueAt, trigger: _trigger, attempts, ...rest } = row;
  return { ...rest, attemptCount: attempts, nextAttemptAt: dueAt };
};

const readView = (row: ReadDelivery): WebhookDeliveryRead => {
  const { body, tried, step: _step, leaseUntil: _lease, fence: _fence, ...listed } = row;
  const attempts = tried.map((one): WebhookAttempt => ({ ...one, at: new Date(one.at) }));
  return { ...listedView(listed), body, attempts };
};

type HistoryApi = Pick<WebhooksApi, 'deliveries' | 'delivery' | 'test' | 'replay' | 'recover'>;

export const webhookHistory = (
  { storage, tables, clock, ids }: Pick<Platform<WebhookTables>, 'storage' | 'tables' | 'clock' | 'ids'>,
  hot: Pick<WebhookStatements, 'insert' | 'insertBody'>,
) => {
  const store = deliveryStore({ db: storage.db, tables });
  const webhooks = webhookStore({ db: storage.db, tables });

  const known = async (scope: Scope, id: string): Promise<WebhookRow> => {
    const row = await webhooks.get(scope, id);
    if (!row) throw notFound('webhook with this id', scope);
    return row;
  };
  const active = async (scope: Scope, id: string): Promise<WebhookRow> => {
    const row = await known(scope, id);
    if (row.isActive) return row;
    throw validationError({ isActive: ['This webhook is switched off; switch it on first.'] });
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
      await known(scope, webhookId);
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
      const webhook = await active(scope, webhookId);
      const { url } = webhook;
      const event = {
        id: ids.next(),
        type: TEST_EVENT,
        person: null,
        properties: { webhookId, url, test: true },
        at: clock.now(),
      };
      await storage.commit({ writes: toldTo(hot, scope, event, [webhook]), wakes: [WEBHOOKS_QUEUE] });
      return readView(await deliveryIn(scope, deliveryId(event, webhookId)));
    },
    replay: async (scope, id) => {
      const { webhookId, body } = await deliveryIn(scope, id);
      await active(scope, webhookId);
      const row = await store.replay(scope, id, clock.now());
      if (!row) throw conflict('in_progress');
      wake();
      return readView({ ...row, body });
    },
    recover: async (scope, webhookId, body) => {
      const { since, until = clock.now() } = parseRecovery(body);
      await active(scope, webhookId);
      const range = { since, until };
      const beganMs = clock.now().getTime();
      let recovered = 0;
      let seen = 0;
      let after: string | null = null;
      for (;;) {
        const some: string[] = await store.untold(scope, webhookId, range, after, RECOVERED_AT_ONCE);
        if (some.length === 0 || seen >= MAX_RECOVERED) return { recovered, hasMore: some.length > 0 };
        const dueAt = new Date(beganMs + (seen / RECOVERED_AT_ONCE) * RECOVERY_STEP_MS);
        recovered += await store.recover(scope, some, dueAt);
        if (seen === 0) wake();
        seen += RECOVERED_AT_ONCE;
        after = some.at(-1) ?? null;
      }
    },
  };

  return {
    api,
    /** An event that webhooks were told of; null: none was, or it is forgotten. */
    findTold: async (scope: Scope, eventId: string): Promise<EventRecord | null> => {
      const told = await store.told(scope, eventId);
      return told ? recordOfTold(scope, eventId, told) : null;
    },
    /** One piece of forgetting; true when more may be left. */
    sweep: async (): Promise<boolean> => {
      const now = clock.now().getTime();
      await webhooks.removePulledOfAll(new Date(now - PULLED_FOR_MS));
      return store.sweepOfAll(new Date(now - KEPT_MS), SWEEP);
    },
    /** Forgets what tells of somebody; what is in hand is posted to its end and then written nowhere. */
    eraser: sliced(
      'webhook deliveries',
      ({ scope, people, addresses }): Promise<number> =>
        storage.transaction((db) => deliveryStore({ db, tables }).erase(scope, { people, addresses }, SLICE)),
    ) satisfies Eraser,
  };
};
