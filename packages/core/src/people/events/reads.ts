import { firstIdOf } from '../../foundation/derived-id.ts';
import { notFound } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { isRowId } from '../../foundation/ids.ts';
import { idOf, listPage, type Page, timeRange } from '../../foundation/page.ts';
import { type Scope, scopeKey } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EventRecord } from './answers.generated.ts';
import type { EventQuery } from './api.ts';
import { type Lifecycle, recordOf, recordOfMoment } from './history.ts';
import { type EventStore, eventStore } from './store.ts';
import type { EventTables } from './tables.ts';

/** Reads stored events, for modules that are built before ingest. */
export type EventReader = Pick<EventStore, 'talliesOf' | 'newestOf' | 'isWaiting'>;

/** Built from the platform only. Caches nothing. */
export const eventReader = (platform: Pick<Platform<EventTables>, 'storage' | 'tables'>): EventReader => {
  const { talliesOf, newestOf, isWaiting } = eventStore(platform);
  return { talliesOf, newestOf, isWaiting };
};

/** Smallest id of a time: ids begin with the millisecond in which the event was received. */
const idAt = (ms: number | null): string | undefined => (ms === null ? undefined : firstIdOf(ms));

const smaller = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || b === undefined ? (a ?? b) : a < b ? a : b;

/** Newest first, without duplicates: an event with subscribers is both a row and derived from its message. */
const mergedById = (rows: readonly EventRecord[], moments: readonly EventRecord[]): EventRecord[] => {
  const stored = new Set(rows.map(({ id }) => id));
  return [...rows, ...moments.filter(({ id }) => !stored.has(id))].sort((a, b) => (a.id < b.id ? 1 : -1));
};

/** Finds an event that was published to webhooks, which may be stored nowhere else; null if there is none. */
export type FindPublished = (scope: Scope, id: string) => Promise<EventRecord | null>;

/**
 * Reads events of a whole scope: event rows, and events derived from messages and sends without an event row. Both are
 * sorted by id, so a cursor is one id. Public functions: see EventsApi.
 *
 * @param lifecycle absent: event rows only
 */
export const eventReads = (
  store: EventStore,
  lifecycle?: Pick<Lifecycle, 'newest' | 'find'>,
  findPublished: FindPublished = async () => null,
) => ({
  list: async (scope: Scope, query: EventQuery = {}): Promise<Page<EventRecord>> => {
    const { fromMs, toMs } = timeRange(query);
    const [notBelow, below] = [idAt(fromMs), idAt(toMs)];
    const binding = `all events/${scopeKey(scope)}/${stableJson({ notBelow, below })}`;
    return listPage(
      { limit: query.limit, cursor: query.cursor },
      {
        binding,
        read: async ({ after, limit }) => {
          const end = smaller(after ?? undefined, below);
          const [rows, moments] = await Promise.all([
            store.page(scope, limit, end, notBelow),
            lifecycle?.newest(scope, { below: end ?? null, notBelowMs: fromMs, limit }) ?? [],
          ]);
          const events = mergedById(
            rows.map((row) => recordOf(scope, row)),
            moments.map((moment) => recordOfMoment(scope, moment.person, moment)),
          );
          return events.slice(0, limit);
        },
        positionOf: idOf,
      },
    );
  },
  /** Throws NOT_FOUND. */
  recordOf: async (scope: Scope, id: string): Promise<EventRecord> => {
    const row = await store.get(scope, id);
    if (row) return recordOf(scope, row);
    const moment = isRowId(id) ? ((await lifecycle?.find(scope, id)) ?? null) : null;
    if (moment) return recordOfMoment(scope, moment.person, moment);
    const published = isRowId(id) ? await findPublished(scope, id) : null;
    if (!published) throw notFound('event with this id', scope);
    return published;
  },
});
