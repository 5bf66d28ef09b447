// A person's history: event rows, and what the rows of their messages tell where nobody listened and no event row was
// written. Two lists, each in its own order, merged by their moments, newest first; of one millisecond events come first.
// A place is a place in each of them.

import type { EventRecord, Page, PageQuery } from '../api.ts';
import { decodeCursor, pageLimit, pageOf } from '../primitives/page.ts';
import { anonymousIdOf, userIdOf } from '../primitives/person.ts';
import { type InScope, type Scope, scopeKey } from '../primitives/scope.ts';
import { CATALOG, type CatalogName } from './catalog.ts';
import type { EventRow, EventStore } from './store.ts';

/** What can be read of a message, older first: how it ended, and its first receipt. */
export type MomentKind = 'ended' | 'delivered';

/** Something that happened to one message, as its event would tell it. */
export type Moment = {
  readonly kind: MomentKind;
  readonly messageId: string;
  /** Of the event that was raised for it, if any was. */
  readonly id: string;
  readonly name: CatalogName;
  readonly at: Date;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** A moment after which a list goes on. */
export type MomentPlace = Pick<Moment, 'messageId' | 'kind'> & {
  /** Unix milliseconds. */
  readonly at: number;
};

export type MomentQuery = {
  /** Null: from the newest on. */
  readonly before: MomentPlace | null;
  readonly limit: number;
  /** Unix milliseconds; what is older is not asked for. Null: everything. */
  readonly notBelow: number | null;
};

/** Moments of the messages of one person, newest first: `at`, then message id, then kind, each descending. */
export type ReadLifecycle = (scope: InScope, person: string, query: MomentQuery) => Promise<readonly Moment[]>;

/** An event as it is shown. */
export const recordOf = (scope: Scope, row: EventRow): EventRecord => ({
  id: row.id,
  userId: userIdOf(row.person),
  anonymousId: row.anonymousId ?? anonymousIdOf(row.person),
  module: row.module,
  eventType: row.eventType,
  properties: row.properties,
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

const recordOfMoment = (scope: Scope, person: string, { id, name, at, properties }: Moment): EventRecord => ({
  id,
  userId: userIdOf(person),
  anonymousId: anonymousIdOf(person),
  module: CATALOG[name].module,
  eventType: name,
  properties,
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

/** Where both lists go on; null: at their newest. */
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

/** The newer head of the two lists, again and again; each entry with the place that it leads to. */
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

/**
 * Reads pages of histories: events of these people, the first of whom the others turned out to be. Throws
 * VALIDATION_ERROR for a cursor of another list.
 *
 * @param lifecycle absent: event rows alone
 */
export const histories =
  ({ store, lifecycle }: { readonly store: EventStore; readonly lifecycle: ReadLifecycle | undefined }) =>
  async (scope: Scope, people: readonly string[], query: PageQuery = {}): Promise<Page<EventRecord>> => {
    const [person = ''] = people;
    const binding = `events/${scopeKey(scope)}/${person}`;
    const limit = pageLimit(query.limit);
    const from = query.cursor === undefined ? START : parsePlace(decodeCursor(binding, query.cursor));
    const rows = await store.listOf(scope, people, limit + 1, from.position ?? undefined);
    const oldest = rows.length > limit ? Math.min(...rows.map(({ receivedAt }) => receivedAt.getTime())) : null;
    const asked = { before: from.moment, limit: limit + 1, notBelow: oldest };
    const moments = (await lifecycle?.(scope, person, asked)) ?? [];
    // What somebody listened to stands in both.
    const stored = new Set(
      moments.length === 0
        ? []
        : await store.idsAmong(
            scope,
            moments.map(({ id }) => id),
          ),
    );
    const untold = moments.filter(({ id }) => !stored.has(id));
    const entries = [...merged(scope, person, from, rows, untold)].slice(0, limit + 1);
    const page = pageOf(entries, limit, ({ place }) => placeText(place), binding);
    return { ...page, data: page.data.map(({ record }) => record) };
  };
