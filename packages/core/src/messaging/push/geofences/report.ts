// Stores geofence crossings reported by devices. The same transition of one user within a minute counts once; each
// counted one is an event of the user. Racing reports conflict on the row and are planned again, so one is first.

import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { type Write, write } from '../../../database/commit/write-set.ts';
import type { Storage } from '../../../database/storage.ts';
import { notFound, overloaded } from '../../../foundation/errors.ts';
import { anonymousPerson, type Person, userPerson } from '../../../foundation/person.ts';
import { type CountPlaceholders, isPlaceholderUserId } from '../../../foundation/placeholder-user-id.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { Emitter } from '../../../people/events/emit.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { GeofencesApi } from './api.ts';
import { type GeofenceReport, parseGeofenceReport, type Transition } from './schema.ts';
import type { GeofenceStatements } from './statements.ts';

/** Source: contract, Live activities and geofences. */
const DEDUPLICATION_MS = 60_000;
const TAG = 'crossing';

/** Dependencies of reports. */
export type ReportContext = Pick<Platform<unknown>, 'clock' | 'ids'> & {
  readonly storage: Pick<Storage, 'commit' | 'select'>;
  readonly hot: GeofenceStatements;
  readonly emitter: Emitter;
  /** The user that an anonymous id was identified as; null: none. */
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
  /** Default: placeholder user ids are not counted. */
  readonly countPlaceholders?: CountPlaceholders | undefined;
  /** The profile of a device token; null: none; undefined: the scope has no token with this id. */
  readonly ownerOf: (scope: InScope, tokenId: string) => Promise<Person | null | undefined>;
};

export const geofenceReports = (context: ReportContext): GeofencesApi['report'] => {
  const { storage, hot, clock, ids, emitter, userOf, ownerOf, countPlaceholders } = context;

  /** Null: the device has no known user. */
  const personOf = async (scope: Scope, { userId, anonymousId, tokenId }: GeofenceReport): Promise<Person | null> => {
    if (userId && isPlaceholderUserId(userId)) countPlaceholders?.(scope, 'geofences', 1);
    else if (userId) return userPerson(userId);
    if (anonymousId) {
      const user = await userOf(scope, anonymousId);
      return user === null ? anonymousPerson(anonymousId) : userPerson(user);
    }
    if (!tokenId) return null;
    const owner = await ownerOf(scope, tokenId);
    if (owner === undefined) throw notFound('device token with this id', scope);
    return owner;
  };

  /**
   * The write that counts a crossing; null: the same one was counted less than a minute ago. After the clock was set
   * back it counts.
   */
  const counting = async (
    scope: Scope,
    { reporter, id, transition }: { readonly reporter: string; readonly id: string; readonly transition: Transition },
    now: Date,
  ): Promise<Write | null> => {
    const key = { ...scopeOf(scope), person: reporter, geofenceId: id, transition };
    const [last] = await storage.select(hot.counted, [[scopeKey(scope), reporter, id, transition]]);
    if (!last) return write(hot.first, { ...key, lastCountedAt: now }, TAG);
    const ageMs = now.getTime() - last.lastCountedAt.getTime();
    if (ageMs >= 0 && ageMs < DEDUPLICATION_MS) return null;
    return write(hot.again, { ...key, lastCountedAt: last.lastCountedAt, newLastCountedAt: now }, TAG);
  };

  return async (scope, body) => {
    const report = parseGeofenceReport(body);
    const { geofenceId, transition, tokenId, location, dwellSeconds, occurredAt } = report;
    const [fence] = await storage.select(hot.geofence, [[scopeKey(scope), geofenceId]]);
    if (!fence) throw notFound('geofence with this id', scope);
    const person = await personOf(scope, report);
    // Null: the device cannot be told apart, so each of its reports counts.
    const reporter = person ?? (tokenId ? `t:${tokenId}` : null);
    const eventId = ids.next();
    const now = clock.now();
    // The geofence does not report this transition: the device has an old copy.
    if (!fence.transitions.includes(transition)) return { accepted: true };
    const properties = {
      geofenceId: fence.id,
      geofenceName: fence.name,
      ...(tokenId ? { tokenId } : {}),
      ...(occurredAt ? { occurredAt } : {}),
      ...(location ? { location } : {}),
      ...(dwellSeconds === null || dwellSeconds === undefined ? {} : { dwellSeconds }),
      ...(fence.data === null ? {} : { data: fence.data }),
    };
    const { ok } = await commitPlanned(storage, [report], {
      plan: async () => {
        const [counted, emission] = await Promise.all([
          reporter === null ? [] : counting(scope, { reporter, id: fence.id, transition }, now),
          emitter.load([scope]),
        ]);
        if (counted === null) return { writes: [] };
        const name = `geofence.${transition}` as const;
        const raised = emission.emit({ id: eventId, name, scope, person, properties, at: now, depth: 0 });
        return { writes: [counted, raised.writes].flat(), wakes: raised.wakes };
      },
    });
    if (!ok) throw overloaded(1);
    return { accepted: true };
  };
};
