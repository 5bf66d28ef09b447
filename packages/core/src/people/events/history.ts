// A profile's history: event rows, merged with events derived from message rows where no event row was written. Both
// lists are sorted by their own order; the merge is by time, newest first, and within one millisecond event rows come
// first. A cursor therefore has one position in each list.

import { stableJson } from '../../foundation/hash.ts';
import { type ListQuery, listPage, type Page, type TimeRange, timeRange } from '../../foundation/page.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import type { EventRecord } from './answers.generated.ts';
import { CATALOG, type CatalogName } from './catalog.ts';
import type { EventRow, EventStore } from './store.ts';

/** The two events derived from one message: its final status, and its first delivery receipt. */
export type MomentKind = 'ended' | 'delivered';

/** An event derived from one message. */
export type Moment = {
  readonly kind: MomentKind;
  readonly messageId: string;
  /** Id of the raised event, if one was raised. */
  readonly id: string;
  readonly name: CatalogName;
  readonly at: Date;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** Position in a list of moments. */
export type MomentPlace = Pick<Moment, 'messageId' | 'kind'> & {
  /** Unix milliseconds. */
  readonly at: number;
};

export type MomentQuery = {
  /** Null: start at the newest. */
  readonly before: MomentPlace | null;
  readonly limit: number;
  /** Unix milliseconds; older moments are not read. Null: no bound. */
  readonly notBelow: number | null;
};

/** Reads moments of one profile's messages in descending order of `at`, message id and kind. */
export type ReadLifecycle = (scope: InScope, person: string, query: MomentQuery) => Promise<readonly Moment[]>;

/** A moment of any profile; person is null if no profile is known. */
export type OwnedMoment = Pick<Moment, 'id' | 'name' | 'at' | 'properties'> & { readonly person: string | null };

export type OwnedMomentQuery = {
  /** Only moments with smaller ids; null: start at the newest. */
  readonly below: string | null;
  /** Unix milliseconds; null: no bound. */
  readonly notBelowMs: number | null;
  readonly limit: number;
};

/** Reads events derived from the rows of messages and sends. */
export type Lifecycle = {
  readonly ofPerson: ReadLifecycle;
  /** Moments of a whole scope, in descending order of their ids. Reads few rows more than it returns. */
  newest(scope: InScope, query: OwnedMomentQuery): Promise<readonly OwnedMoment[]>;
  /** Finds a moment by its id, a UUID; null if no row has it. Reads few rows. */
  find(scope: InScope, id: string): Promise<OwnedMoment | null>;
};

/** Converts an event row to the public form. */
export const recordOf = (scope: Scope, row: EventRow): EventRecord => ({
  id: row.id,
  userId: userIdOf(row.person),
  anonymousId: row.anonymousId ?? anonymousIdOf(row.person),
  module: row.module,
  eventType: row.eventType,
  properties: row.properties,
  traits: row.traits,
  messageId: row.messageId,
  sessionId: row.sessionId,
  context: row.context,
  source: row.source,
  timestamp: row.timestamp,
  receivedAt: row.receivedAt,
  environment: scope.environment,
  orgId: scope.orgId,
  projectId: scope.projectId,
});

/** Converts a moment to the public form. */
export const recordOfMoment = (
  scope: Scope,
  person: string | null,
  { id, name, at, properties }: Pick<OwnedMoment, 'id' | 'name' | 'at' | 'properties'>,
): EventRecord => ({
  id,
  userId: person === null ? null : userIdOf(person),
  anonymousId: person === null ? null : anonymousIdOf(person),
  module: CATALOG[name].module,
  eventType: name,
  properties,
  traits: null,
  messageId: null,
  sessionId: null,
  context: null,
  source: 'system',
  timestamp: at,
  receivedAt: at,
  environment: scope.environment,
  orgId: scope.orgId,
  projectId: scope.projectId,
});

/** Cursor of a history, one position per list; null: start at the newest. */
type Place = { readonly position: number | null; readonly moment: MomentPlace | null };

const START: Place = { position: null, moment: null };

const placeText = ({ position, moment }: Place): string =>
  [position ?? '', ...(moment ? [moment.at, moment.messageId, moment.kind] : [])].join(' ');

const parsePlace = (text: string): Place => {
  const [position = '', at, messageId, kind] = text.split(' ');
  return {
    position: position === '' ? null : Number(position),
    moment:
      at === undefined || messageId === undefined
        ? null
        : { at: Number(at), messageId, kind: kind === 'delivered' ? 'delivered' : 'ended' },
  };
};

type Entry = { readonly record: EventRecord; readonly place: Place };

/** Merges the two lists, newest first; each entry carries the cursor after it. */
const merged = function* (
  scope: Scope,
  person: string,
  from: Place,
  rows: readonly EventRow[],
  moments: readonly Moment[],
): Generator<Entry> {
  let place = from;
  const waiting = [...moments];
  for (const row of rows) {
    for (let [head] = waiting; head && head.at > row.receivedAt; [head] = waiting) {
      place = { ...place, moment: { ...head, at: head.at.getTime() } };
      yield { record: recordOfMoment(scope, person, head), place };
      waiting.shift();
    }
    place = { ...place, position: row.position };
    yield { record: recordOf(scope, row), place };
  }
  for (const moment of waiting) {
    place = { ...place, moment: { ...moment, at: moment.at.getTime() } };
    yield { record: recordOfMoment(scope, person, moment), place };
  }
};

/** Moments read per page when counting. Chosen: few queries with little memory. */
const COUNTED = 1_000;

/** First position of a time range, exclusive of its end: no message id sorts below the empty string. */
const startOf = ({ toMs }: TimeRange): MomentPlace | null =>
  toMs === null ? null : { at: toMs, messageId: '', kind: 'ended' };

/**
 * Reads pages of histories: events of the given profile ids, received in a time range. The first id is the user; the
 * others are merged into it. Throws VALIDATION_ERROR for a cursor of another list or range, INVALID_RANGE.
 *
 * @param lifecycle absent: event rows only
 */
export const histories = ({
  store,
  lifecycle,
}: {
  readonly store: EventStore;
  readonly lifecycle: ReadLifecycle | undefined;
}) => {
  /** The moments without an event row. An event with subscribers is in both lists. */
  const unreportedOf = async (scope: Scope, moments: readonly Moment[]): Promise<readonly Moment[]> => {
    if (moments.length === 0) return moments;
    const ids = moments.map(({ id }) => id);
    const stored = new Set(await store.idsAmong(scope, ids));
    return moments.filter(({ id }) => !stored.has(id));
  };

  const countMoments = async (scope: Scope, person: string, range: TimeRange): Promise<number> => {
    let total = 0;
    let before = startOf(range);
    for (;;) {
      const moments = (await lifecycle?.(scope, person, { before, limit: COUNTED, notBelow: range.fromMs })) ?? [];
      total += (await unreportedOf(scope, moments)).length;
      const last = moments.at(-1);
      if (!last || moments.length < COUNTED) return total;
      before = { ...last, at: last.at.getTime() };
    }
  };

  return async (scope: Scope, people: readonly string[], query: ListQuery = {}): Promise<Page<EventRecord>> => {
    const [person = ''] = people;
    const range = timeRange(query);
    const binding = `events/${scopeKey(scope)}/${person}/${stableJson(range)}`;
    const page = await listPage(query, {
      binding,
      read: async ({ after, limit }) => {
        const from = after === null ? START : parsePlace(after);
        const rows = await store.listOf(scope, people, limit, from.position ?? undefined, range);
        const oldest = rows.length === limit ? Math.min(...rows.map(({ receivedAt }) => receivedAt.getTime())) : null;
        const notBelow = oldest === null ? range.fromMs : Math.max(oldest, range.fromMs ?? oldest);
        const newest = { before: from.moment ?? startOf(range), limit, notBelow };
        const unreported = await unreportedOf(scope, (await lifecycle?.(scope, person, newest)) ?? []);
        const entries = [...merged(scope, person, from, rows, unreported)].slice(0, limit);
        return entries.map(({ record, place }) => ({ ...record, place }));
      },
      count: async () => (await store.countOf(scope, people, range)) + (await countMoments(scope, person, range)),
      positionOf: ({ place }) => placeText(place),
    });
    return { ...page, data: page.data.map(({ place: _, ...record }) => record) };
  };
};
