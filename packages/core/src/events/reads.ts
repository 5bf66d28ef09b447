import type { EventQuery, EventRecord, Page } from '../api.ts';
import { notFound } from '../errors.ts';
import { firstIdOf } from '../primitives/derived-id.ts';
import { stableJson } from '../primitives/hash.ts';
import { decodeCursor, pageLimit, pageOf, timeRange } from '../primitives/page.ts';
import { type InScope, type Scope, scopeKey } from '../primitives/scope.ts';
import { recordOf } from './history.ts';
import type { EventStore } from './store.ts';

/** The least id of a moment: ids begin with the millisecond at which their event was received. */
const idAt = (ms: number | null): string | undefined => (ms === null ? undefined : firstIdOf(ms));

const least = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || b === undefined ? (a ?? b) : a < b ? a : b;

/** Reads of stored events, whoever they are of. Promises: EventsApi. */
export const eventReads = (store: EventStore) => ({
  list: async (scope: Scope, query: EventQuery = {}): Promise<Page<EventRecord>> => {
    const { fromMs, toMs } = timeRange(query);
    const [notBelow, below] = [idAt(fromMs), idAt(toMs)];
    const binding = `all events/${scopeKey(scope)}/${stableJson({ notBelow, below })}`;
    const limit = pageLimit(query.limit);
    const before = query.cursor === undefined ? undefined : decodeCursor(binding, query.cursor);
    const rows = await store.page(scope, limit + 1, least(before, below), notBelow);
    return pageOf(
      rows.map((row) => recordOf(scope, row)),
      limit,
      ({ id }) => id,
      binding,
    );
  },
  /** Throws NOT_FOUND. */
  recordOf: async (scope: Scope, id: string): Promise<EventRecord> => {
    const row = await store.get(scope, id);
    if (!row) throw notFound('event with this id', scope);
    return recordOf(scope, row);
  },
  isWaiting: (scope: InScope, id: string): Promise<boolean> => store.isWaiting(scope, id),
});
