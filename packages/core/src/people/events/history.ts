// A person's history: event rows, and what the rows of their messages tell where nobody listened and no event row was
// written. Two lists, each in its own order, merged by their moments, newest first; of one millisecond events come first.
// A place is a place in each of them.

import { stableJson } from '../../foundation/hash.ts';
import { type ListQuery, listPage, type Page, type TimeRange, timeRange } from '../../foundation/page.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import type { EventRecord } from './answers.generated.ts';
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

/** A moment of anybody; person null: nobody is known behind it. */
export type OwnedMoment = Pick<Moment, 'id' | 'name' | 'at' | 'properties'> & { readonly person: string | null };

export type OwnedMomentQuery = {
  /** Only moments with smaller ids; null: from the newest on. */
  readonly below: string | null;
  /** Unix milliseconds; null: however old. */
  readonly notBelowMs: number | null;
  readonly limit: number;
};

/** Events that rows of messages and sends tell of themselves. */
export type Lifecycle = {
  readonly ofPerson: ReadLifecycle;
  /** Of a whole scope, in the descending order of their ids. Looks at few more rows than it answers. */
  newest(scope: InScope, query: OwnedMomentQuery): Promise<readonly OwnedMoment[]>;
  /** By its id, which is a UUID; null: no row tells of it. Looks at few rows. */
  find(scope: InScope, id: string): Promise<OwnedMoment | null>;
};

/** An event as it is shown. */
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

/** A moment as it is shown. */
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

/** Moments that are counted at a time; ours. */
const COUNTED = 1_000;

/** Where the moments of a time begin, which is before it ends: no id is below the empty one. */
const startOf = ({ toMs }: TimeRange): MomentPlace | null =>
  toMs === null ? null : { at: toMs, messageId: '', kind: 'ended' };

/**
 * Reads pages of histories: events of these people, the first of whom the others turned out to be, received in a time.
 * Throws VALIDATION_ERROR for a cursor of another list or time, INVALID_RANGE.
 *
 * @param lifecycle absent: event rows alone
 */
export const histories = ({
  store,
  lifecycle,
}: {
  readonly store: EventStore;
  readonly lifecycle: ReadLifecycle | undefined;
}) => {
  /** Of these moments those that no event row tells: what somebody listened to stands in both. */
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
