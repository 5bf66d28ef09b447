import { write } from '../../../database/commit/write-set.ts';
import type { Storage } from '../../../database/storage.ts';
import { derivedId } from '../../../foundation/derived-id.ts';
import { validationError } from '../../../foundation/errors.ts';
import { stableJson } from '../../../foundation/hash.ts';
import { idOf, listPage } from '../../../foundation/page.ts';
import { userIdOf, userPerson } from '../../../foundation/person.ts';
import { type CountPlaceholders, isPlaceholderUserId } from '../../../foundation/placeholder-user-id.ts';
import { type Scope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { type Emitted, type Emitter, NO_CAUSE } from '../../../people/events/emit.ts';
import type { Eraser } from '../../../platform/erasure/eraser.ts';
import type { RequirePlan } from '../../../platform/plans/plans.ts';
import { noAudiences, type SendAudiences } from '../../sends/audience.ts';
import { MAX_USER_IDS } from '../../sends/fields.ts';
import type { LiveActivity } from './answers.generated.ts';
import type { LiveActivitiesApi } from './api.ts';
import { type StoredPush, seconds } from './content.ts';
import { type ActivityPushContext, activityPushes } from './push.ts';
import { parseActivityEnd, parseActivityStart, parseActivityToken, parseActivityUpdate } from './schema.ts';
import { liveActivityStatements } from './statements.ts';
import { liveActivityStore } from './store.ts';
import { type LiveActivityRow, type LiveActivityTables, NOBODY, type StarterRow } from './tables.ts';

/**
 * How long an update waits for a first token. Chosen: an activity runs for 8 hours and is shown for 4 more. Source:
 * Apple.
 */
const WAITS_MS = 12 * 3_600_000;
/** Maximum audience members of an activity start. Chosen: its push lists all their devices. */
const MAX_MEMBERS = 10_000;
const STARTED = 'push.live_activity_started';
/** Activities that one maintenance slice ends. Chosen: a short transaction. */
const SLICE = 200;

/** Dependencies of this module's functions. `module.ts` builds it once. */
export type LiveActivitiesContext = Omit<ActivityPushContext, 'hot' | 'storage'> & {
  readonly storage: Storage;
  readonly tables: LiveActivityTables;
  readonly emitter: Emitter;
  /** Default: no audiences. */
  readonly audiences?: SendAudiences | undefined;
  /** Default: every plan has audiences. */
  readonly requirePlan?: RequirePlan | undefined;
  /** Default: placeholder user ids are not counted. */
  readonly countPlaceholders?: CountPlaceholders | undefined;
};

const dateOf = (date: Date | null | undefined): number | null => (date ? seconds(date) : null);

/** Defaults of an activity push. */
const PLAIN = {
  contentState: null,
  staleDate: null,
  relevanceScore: null,
  alert: null,
  dismissalDate: null,
  attributesType: null,
  attributes: null,
  priority: 10,
} as const satisfies Partial<StoredPush>;

/** Live Activities of iOS. Contract: LiveActivitiesApi. */
export const liveActivitiesEngine = ({
  storage,
  tables,
  audiences = noAudiences,
  ...context
}: LiveActivitiesContext) => {
  const { clock, ids, emitter, countPlaceholders, requirePlan = async () => undefined } = context;
  const hot = liveActivityStatements(tables);
  const store = liveActivityStore({ db: storage.db, tables });
  const pushes = activityPushes({ ...context, storage, hot });

  const viewOf = (scope: Scope, row: LiveActivityRow, now: Date): LiveActivity => {
    const { id, externalId, activityType, startedAt, lastUpdatedAt, endedAt, updates } = row;
    const isStale = row.status === 'active' && row.staleAt !== null && row.staleAt <= now;
    const { orgId, projectId, environment } = scope;
    const status = isStale ? 'stale' : row.status;
    return {
      ...{ id, orgId, projectId, environment, externalId, userId: userIdOf(row.person), activityType, status },
      ...{ startedAt, lastUpdatedAt, endedAt, updates },
    };
  };
  const rowsOf = async (scope: Scope, externalId: string): Promise<LiveActivityRow[]> =>
    storage.select(hot.named, [[scopeKey(scope), externalId]]);
  const shown = async (scope: Scope, externalId: string): Promise<LiveActivity[]> => {
    const now = clock.now();
    return (await rowsOf(scope, externalId)).map((row) => viewOf(scope, row, now));
  };

  /** Pushes to every device that shows the activity, or stores the push for the first device. */
  const pushUpdate = async (scope: Scope, externalId: string, push: StoredPush) => {
    await pushes.requireApns(scope);
    let send = await pushes.toActivity(scope, externalId, push);
    if (send === null) {
      await store.putPending(scope, externalId, push, clock.now());
      // A device may have registered before the stored push was visible to it.
      send = await pushes.toActivity(scope, externalId, push);
      if (send !== null) await store.takePending(scope, externalId);
    }
    return {
      externalId,
      isPending: send === null,
      sendId: send?.id ?? null,
      activities: await shown(scope, externalId),
    };
  };
  const end: LiveActivitiesApi['end'] = async (scope, externalId, body) => {
    const { contentState = null, dismissalDate } = parseActivityEnd(body);
    return pushUpdate(scope, externalId, {
      ...PLAIN,
      event: 'end',
      contentState,
      dismissalDate: dateOf(dismissalDate),
    });
  };

  /** Members of an audience, read at once, because one push lists all their devices. */
  const membersOf = async (scope: Scope, audienceId: string): Promise<readonly string[]> => {
    const audience = await audiences.find(scope, audienceId);
    if (!audience) throw validationError({ audienceId: ['no audience with this id in this environment'] });
    if (audience.members > MAX_MEMBERS)
      throw validationError({
        audienceId: [`has ${audience.members} members; an activity can start for at most ${MAX_MEMBERS}`],
      });
    return audiences.page(scope, audienceId, null, MAX_MEMBERS);
  };
  const startersOf = async (scope: Scope, people: readonly string[], activityType: string): Promise<StarterRow[]> => {
    const found: StarterRow[] = [];
    for (let at = 0; at < people.length; at += MAX_USER_IDS)
      found.push(...(await store.startersOf(scope, people.slice(at, at + MAX_USER_IDS), activityType)));
    return found;
  };

  /** The start event of an app-started activity; none for one that Beckon started, whose event came with the push. */
  const startOf = async (
    scope: Scope,
    { id, person, activityType, externalId }: Pick<LiveActivityRow, 'id' | 'person' | 'activityType' | 'externalId'>,
    at: Date,
  ): Promise<Emitted> => {
    if (await store.wasStarted(scope, externalId)) return { writes: [], wakes: [] };
    const { emit } = await emitter.load([scope]);
    return emit({
      id: derivedId(at, `${STARTED}/${id}`),
      name: STARTED,
      scope: scopeOf(scope),
      person: person === NOBODY ? null : person,
      properties: { activityType, externalId, activityId: id, origin: 'device' },
      at,
      ...NO_CAUSE,
    });
  };

  const api: LiveActivitiesApi = {
    registerToken: async (scope, body) => {
      const {
        userId,
        activityType,
        externalId,
        activityId,
        pushToken,
        kind,
        environment = null,
      } = parseActivityToken(body, scope.environment);
      const now = clock.now();
      const isPlaceholder = isPlaceholderUserId(userId);
      if (isPlaceholder) countPlaceholders?.(scope, 'live_activities', 1);
      const person = isPlaceholder ? NOBODY : userPerson(userId);
      const token = pushToken.toLowerCase();
      const registration = {
        ...scopeOf(scope),
        id: ids.next(),
        token,
        person,
        activityType,
        apnsEnvironment: environment,
      };
      if (kind === 'push_to_start') {
        await store.putStarter({ ...registration, isActive: true, updatedAt: now });
        return { kind, activity: null };
      }
      const name = externalId ?? '';
      const device = activityId ? `id:${activityId}` : `token:${token}`;
      const held = (rows: readonly LiveActivityRow[]) =>
        rows.find((one) => one.device === device) ?? rows.find((one) => one.token === token);
      if (!held(await rowsOf(scope, name))) {
        const fresh = {
          ...registration,
          externalId: name,
          status: 'active',
          startedAt: now,
          lastUpdatedAt: now,
        } as const;
        const started = await startOf(scope, fresh, now);
        // The insert is guarded: of two concurrent registrations one raises the event.
        await storage.commit({
          writes: [
            write(hot.insert, { ...fresh, device, updates: 0, lastTimestamp: 0 }, registration.id),
            ...started.writes,
          ],
          wakes: started.wakes,
        });
      }
      const row = held(await rowsOf(scope, name));
      // The provider reported the old token as dead.
      const isRevived = row?.status === 'invalidated' && row.token !== token;
      if (row && row.id !== registration.id)
        await store.adopt(scope, row.id, {
          person,
          activityType,
          token,
          device: activityId ? device : row.device,
          ...(environment ? { apnsEnvironment: environment } : {}),
          ...(isRevived ? { status: 'active', endedAt: null } : {}),
        });
      const waiting = row?.status === 'active' || isRevived ? await store.pending(scope, name) : undefined;
      // Send, then delete: after a crash in between it is sent twice, and the device shows it once.
      if (row && waiting && (await pushes.toActivity(scope, name, waiting, row.id)) !== null)
        await store.takePending(scope, name);
      const [activity] = (await shown(scope, name)).filter(({ id }) => id === row?.id);
      return { kind, activity: activity ?? null };
    },

    start: async (scope, body) => {
      const {
        externalId,
        activityType,
        userIds = [],
        audienceId = null,
        staleDate,
        relevanceScore = null,
        ...fields
      } = parseActivityStart(body);
      if (audienceId !== null) await requirePlan(scope, 'audienceSends');
      await pushes.requireApns(scope);
      const { attributes, attributesType, contentState, alert, priority } = fields;
      const people = audienceId === null ? [...new Set(userIds)].map(userPerson) : await membersOf(scope, audienceId);
      const starters = await startersOf(scope, people, activityType);
      const push = { ...PLAIN, attributes, attributesType, contentState, alert, priority, relevanceScore };
      const stored = { ...push, event: 'start', staleDate: dateOf(staleDate) } as const;
      const send = await pushes.toStarters(scope, externalId, stored, starters);
      return { externalId, sendId: send?.id ?? null, devices: starters.length };
    },

    update: async (scope, externalId, body) => {
      const { contentState, staleDate, relevanceScore = null, alert = null, priority } = parseActivityUpdate(body);
      const push = { ...PLAIN, event: 'update', contentState, staleDate: dateOf(staleDate) } as const;
      return pushUpdate(scope, externalId, { ...push, relevanceScore, alert, priority });
    },
    end,

    list: async (scope, { userId, activityType, status, ...query } = {}) => {
      const person = userId === undefined ? undefined : userPerson(userId);
      // One time for filter and answer: otherwise a row that becomes stale in between would have the wrong status.
      const now = clock.now();
      return listPage(query, {
        binding: `live/${scopeKey(scope)}/${stableJson({ userId, activityType, status })}`,
        read: async (place) => {
          const rows = await store.page(scope, { person, activityType, status, now }, place);
          return rows.map((row) => viewOf(scope, row, now));
        },
        positionOf: idOf,
      });
    },
  };

  return {
    api,
    /** Ends activities that the system has ended, and deletes updates that waited too long. True: more may be left. */
    sweep: async (): Promise<boolean> => {
      const now = clock.now();
      const before = new Date(now.getTime() - WAITS_MS);
      await store.sweepPending(before);
      await store.sweepStarts(before);
      return (await store.endForgotten(before, now, SLICE)) === SLICE;
    },
    eraser: {
      name: 'live activities',
      begin:
        ({ scope, people }) =>
        async () => ({ rows: await store.erase(scope, people), isMore: false }),
    } satisfies Eraser,
  };
};
