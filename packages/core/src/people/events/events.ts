import { write } from '../../database/commit/write-set.ts';
import { isRefusal, isUnavailable } from '../../database/errors.ts';
import type { PostgresClient } from '../../database/postgres/host.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { compact } from '../../foundation/compact.ts';
import {
  BeckonError,
  conflict,
  type ErrorCode,
  isBeckonError,
  overloaded,
  validationError,
} from '../../foundation/errors.ts';
import type { Ids } from '../../foundation/ids.ts';
import { isObject } from '../../foundation/json.ts';
import type { Log } from '../../foundation/log.ts';
import { type Meter, noMeter } from '../../foundation/meter.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { CountPlaceholders, PlaceholderSource } from '../../foundation/placeholder-user-id.ts';
import type { InScope, Scope } from '../../foundation/scope.ts';
import type { Tracing } from '../../foundation/telemetry.ts';
import type { Settled } from '../../jobs/concurrency/batcher.ts';
import { type AnswerOnce, withoutKeys } from '../../platform/idempotency/once.ts';
import type { Accepted, BatchAnswer, EventRecord, WorkflowVerdict } from './answers.generated.ts';
import type { EventsApi, IngestOptions } from './api.ts';
import { DEDUPE_MS } from './dedupe.ts';
import { eventItem, identifyItem, type Reception, refusalOf } from './envelope.ts';
import { eventErasers } from './erase.ts';
import { flushSpans, outcomesOf } from './flush-spans.ts';
import { histories, type Lifecycle } from './history.ts';
import { type Ingested, ingest } from './ingest.ts';
import { indexing } from './people/indexing.ts';
import type { BoundReaction, Item } from './pipeline.ts';
import { ingestQueue, orgPartitionKey, partitionKey } from './queue.ts';
import type { BoundedOrgs } from './quota.ts';
import { eventReads, type FindPublished } from './reads.ts';
import { eventsInBatch, instantOf, MAX_BATCH } from './schema.ts';
import { eventStatements } from './statements.ts';
import { eventStore, type MessageIdRow } from './store.ts';
import type { EventTables } from './tables.ts';

export type EventsDeps = {
  readonly storage: Storage;
  readonly tables: EventTables;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Default: idempotency keys are rejected. */
  readonly answerOnce?: AnswerOnce | undefined;
  /** The reactions of all modules, in order. */
  readonly reactions: readonly BoundReaction[];
  /** Logs events that could not be stored. Default: no log. */
  readonly log?: Log | undefined;
  /** Reads events derived from messages and sends. Default: none. */
  readonly lifecycle?: Lifecycle | undefined;
  /** Reads events that were only published to webhooks. Default: none. */
  readonly findPublished?: FindPublished | undefined;
  readonly meter?: Meter | undefined;
  readonly tracing?: Tracing | null | undefined;
  /** Default: placeholder user ids are not counted. */
  readonly countPlaceholders?: CountPlaceholders | undefined;
  /** Which orgs have a quota; the quota's reaction is one of `reactions`. Default: none. */
  readonly quotas?: BoundedOrgs | undefined;
  /** Explains for each workflow with a matching trigger why it started or not. Default: no workflows. */
  readonly explain?: ((scope: Scope, event: EventRecord) => Promise<readonly WorkflowVerdict[]>) | undefined;
};

/** Functions for other modules. */
export type Events = {
  /** Events of one profile under its user id and merged anonymous ids, newest first: see `histories`. */
  listOf(scope: Scope, people: readonly string[], query?: ListQuery): Promise<Page<EventRecord>>;
  /** Moves one slice of events from one profile to another; true if more are left. */
  move(scope: InScope, from: string, to: string): Promise<boolean>;
  /** Fill level of the ingest queue, 0 to 1. */
  filled(): number;
  /** Rejects new items and resolves once the accepted ones are on disk. */
  close(): Promise<void>;
};

const UNBOUNDED: BoundedOrgs = { isBounded: () => false, findBounded: () => false };

/** Message ids examined per step of maintenance. Chosen: a short transaction. */
const SWEEP = 1_000;
/** Events moved per step of maintenance. Source: contract, ingest and profiles (merge). */
const MOVE = 1_000;
/** Bytes that an item counts in addition to its body. Chosen: its approximate size in memory. */
const ITEM_BYTES = 512;

/** Code of an item that was rejected beside stored ones: OVERLOADED if the client may retry it unchanged. */
const codeOf = (reason: unknown): ErrorCode => {
  if (reason instanceof BeckonError) return reason.code;
  return isUnavailable(reason) ? 'OVERLOADED' : 'INTERNAL';
};

const bytesOf = (body: unknown): number => JSON.stringify(body)?.length ?? 0;

const isOverQuota = (reason: unknown): boolean =>
  isBeckonError(reason, 'RATE_LIMITED') && reason.details?.reason === 'quota';

const countOutcomes = (meter: Meter, results: readonly (Settled<Ingested> | null)[]): void => {
  const { stored, duplicate, refused } = outcomesOf(results);
  meter.count('events', stored, { outcome: 'stored' });
  meter.count('events', duplicate, { outcome: 'duplicate' });
  meter.count('events', refused, { outcome: 'refused' });
};

/** Ingest and reads of events. Public functions: see EventsApi. */
export const eventsEngine = ({
  storage,
  tables,
  clock,
  ids,
  answerOnce = withoutKeys,
  reactions,
  lifecycle,
  findPublished,
  quotas = UNBOUNDED,
  meter = noMeter,
  tracing = null,
  countPlaceholders,
  explain = async () => [],
  log,
}: EventsDeps) => {
  const store = eventStore({ storage, tables });
  const index = indexing(store.catchUp);
  const hot = eventStatements(tables);
  const writeBatch = ingest(storage, reactions);
  const writeJoined = ingest(storage, reactions, { isJoined: true });
  const flush = async (items: readonly Item[], isAlone: boolean) => {
    const start = performance.now();
    const settled = await writeBatch(items, clock.now(), isAlone);
    meter.time('flush', (performance.now() - start) / 1_000, {});
    countOutcomes(meter, settled);
    index.stored(items.length);
    return settled;
  };
  const isSameRequest = (before: Item, { request }: Item): boolean =>
    request !== undefined && request === before.request;
  const spans = tracing && flushSpans(tracing, flush);
  const queue = ingestQueue<Item, Ingested>(
    storage.dialect.name,
    spans?.flush ?? flush,
    isSameRequest,
    ({ scope }) => scope.orgId,
  );
  const keyOf = (item: Item): number =>
    quotas.isBounded(item.scope.orgId) ? orgPartitionKey(item) : partitionKey(item);

  const reception = (scope: Scope, { keyKind }: Pick<IngestOptions, 'keyKind'> = {}, request?: string): Reception => ({
    ...{ scope, receivedAt: clock.now(), nextId: () => ids.next(), isPublic: keyKind === 'public' },
    ...compact({ request }),
  });
  const counting = (scope: Scope, source: PlaceholderSource) => ({
    countPlaceholder: () => countPlaceholders?.(scope, source, 1),
  });
  const submit = (item: Item, bytes: number): Promise<Ingested> => {
    spans?.submitted(item);
    return queue.submit(item, bytes + ITEM_BYTES, keyOf(item));
  };
  /**
   * Writes in the host's transaction, alone: other items in the same batch would have to wait until that transaction
   * ends.
   */
  const join = (item: Item, client: PostgresClient): Promise<Ingested> =>
    storage.join(client, async () => {
      const [written] = await writeJoined([item], clock.now(), true);
      if (written?.ok) return written.value;
      throw written?.error ?? new Error('an item was left out');
    });
  const single = async (item: Item, body: unknown, options: IngestOptions = {}): Promise<Accepted> => {
    const { client, bytes } = options;
    const { id, isDuplicate } = await (client ? join(item, client) : submit(item, bytes ?? bytesOf(body)));
    if (isDuplicate) throw conflict('duplicate', { id });
    return { id, accepted: true };
  };

  const acceptAll = async (
    scope: Scope,
    body: unknown,
    { bytes = bytesOf(body), keyKind }: Pick<IngestOptions, 'bytes' | 'keyKind'>,
  ): Promise<BatchAnswer> => {
    const { batch, sentAt } = batchOf(body);
    const found = quotas.findBounded(scope.orgId);
    const isBounded = found === true || (found !== false && (await found));
    // No await from here until the items are queued, so that the check still holds.
    if (queue.isFull(batch.length, bytes + batch.length * ITEM_BYTES, scope.orgId)) throw overloaded(1);
    let placeholders = 0;
    const at = {
      ...reception(scope, { keyKind }, isBounded ? ids.next() : undefined),
      countPlaceholder: () => {
        placeholders++;
      },
    };
    const items: { readonly index: number; readonly item: Item }[] = [];
    const rejected: BatchAnswer['rejected'][number][] = [];
    batch.forEach((one, index) => {
      try {
        items.push({ index, item: eventItem(one, at, sentAt) });
      } catch (error) {
        rejected.push({ index, code: 'VALIDATION_ERROR', fieldErrors: refusalOf(error) });
      }
    });
    countPlaceholders?.(scope, 'events', placeholders);
    const results = await Promise.allSettled(items.map(({ item }) => submit(item, bytes / batch.length)));
    const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failures = results.flatMap((result, at) =>
      result.status === 'rejected' ? [{ index: items[at]?.index ?? 0, reason: result.reason as unknown }] : [],
    );
    const over = failures.find(({ reason }) => isOverQuota(reason));
    if (over && stored.every(({ isDuplicate }) => isDuplicate)) throw over.reason;
    const fault = failures.find(({ reason }) => !isRefusal(reason));
    // Nothing was stored and the cause is not an event: fail the call, so that the client retries the whole batch.
    if (stored.length === 0 && fault) throw fault.reason;
    for (const { index, reason } of failures) {
      const code = codeOf(reason);
      if (code === 'INTERNAL') log?.error({ scopeId: scope.scopeId, error: reason }, 'an event could not be stored');
      rejected.push({ index, code, fieldErrors: {} });
    }
    rejected.sort((a, b) => a.index - b.index);
    if (stored.length === 0) {
      const [first] = rejected;
      throw validationError({ batch: ['contains no valid event'], ...first?.fieldErrors }, undefined, {
        rejected,
      });
    }
    const duplicates = stored.filter(({ isDuplicate }) => isDuplicate).length;
    return { accepted: stored.length - duplicates, duplicates, rejected };
  };

  const reads = eventReads(store, lifecycle, findPublished);
  const api: EventsApi = {
    track: async (scope, body, options) =>
      single(eventItem(body, { ...reception(scope, options), ...counting(scope, 'events') }), body, options),
    identify: async (scope, body, options) =>
      single(identifyItem(body, { ...reception(scope), ...counting(scope, 'identify') }), body, options),
    batch: async (scope, body, { bytes, keyKind, ...options } = {}) => {
      const call = {
        operation: 'events.batch',
        input: body,
        options,
        // Safe: the stored value is a serialized BatchAnswer, which contains no dates.
        revive: (stored: unknown) => stored as BatchAnswer,
      };
      return answerOnce(scope, call, () => acceptAll(scope, body, { bytes, keyKind }));
    },
    list: reads.list,
    get: async (scope, id) => {
      const event = await reads.recordOf(scope, id);
      return { ...event, workflows: await explain(scope, event) };
    },
  };

  // Scans all rows in slices. An index on their age would cost every event a write.
  let sweptTo: Pick<MessageIdRow, 'scopeId' | 'messageId'> | null = null;
  const sweep = async (): Promise<boolean> => {
    const before = clock.now().getTime() - DEDUPE_MS;
    const rows = await store.messageIdsOfAll(sweptTo, SWEEP);
    const old = rows.filter(({ receivedAt }) => receivedAt.getTime() < before);
    if (old.length > 0) await storage.commit({ writes: old.map((row) => write(hot.forgetMessageId, row)) });
    sweptTo = rows.length === SWEEP ? (rows.at(-1) ?? null) : null;
    return sweptTo !== null;
  };

  return {
    ...api,
    api,
    recordOf: reads.recordOf,
    listOf: histories({ store, lifecycle: lifecycle?.ofPerson }),
    /** Moves one slice of events from one profile to another; true if more are left. */
    move: async (scope: InScope, from: string, to: string): Promise<boolean> =>
      (await store.move(scope, from, to, MOVE)) === MOVE,
    erasers: eventErasers(store),
    /** Adds all missing events to the index over profiles; always false, because none is left. */
    catchUp: async (): Promise<boolean> => {
      await index.catchUp();
      return false;
    },
    /** One step of deleting expired message ids; true if more are left to examine. */
    sweep,
    /** Fill level of the ingest queue, 0 to 1. */
    filled: queue.filled,
    /** Rejects new items and resolves once the accepted ones are on disk. */
    close: async (): Promise<void> => {
      await queue.close();
      await index.stop();
    },
  };
};

/** Reads `{ batch, sentAt? }` or a bare array. Throws VALIDATION_ERROR. */
const batchOf = (body: unknown): { batch: readonly unknown[]; sentAt?: string } => {
  const batch = eventsInBatch(body);
  if (batch === undefined) throw validationError({ batch: ['must be { "batch": [events] } or an array of events'] });
  if (batch.length === 0) throw validationError({ batch: ['must not be empty'] });
  if (batch.length > MAX_BATCH) throw validationError({ batch: [`must have at most ${MAX_BATCH} events`] });
  const sentAt = isObject(body) ? body.sentAt : undefined;
  if (sentAt === undefined) return { batch };
  if (typeof sentAt !== 'string' || Number.isNaN(instantOf(sentAt)))
    throw validationError({ sentAt: ['must be an ISO 8601 date-time'] });
  return { batch, sentAt };
};
