import { insertBelow } from '../../../database/statements/capped.ts';
import type { Storage } from '../../../database/storage.ts';
import { DEFINITION_CAPS } from '../../../foundation/definition-caps.ts';
import { capReached, notFound } from '../../../foundation/errors.ts';
import { idOf, listPage } from '../../../foundation/page.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../../jobs/shared-cache.ts';
import type { Eraser } from '../../../platform/erasure/eraser.ts';
import type { Geofence, NearGeofence } from './answers.generated.ts';
import type { GeofencesApi } from './api.ts';
import { nearest, type Position } from './nearest.ts';
import { geofenceReports, type ReportContext } from './report.ts';
import { parseGeofence, parseGeofencePatch, parseNearest } from './schema.ts';
import { geofenceStatements } from './statements.ts';
import { geofenceStore } from './store.ts';
import type { GeofenceRow, GeofenceTables } from './tables.ts';

/** Scopes whose geofences are cached. Chosen: at most one megabyte each. */
const MAX_SCOPES = 100;
/** Topic of geofence changes. */
const GEOFENCES_CHANGED = 'geofences';
/** How long a crossing is stored, in milliseconds. Chosen: well above the 60 s deduplication window. */
const RETENTION_MS = 3_600_000;
/** Crossings that one maintenance slice deletes. Chosen: a short transaction. */
const SLICE = 1_000;
/** Six decimals of a degree: a tenth of a metre. */
const DEGREE = 1_000_000;

const rounded = (degrees: number): number => Math.round(degrees * DEGREE) / DEGREE;

const viewOf = ({ scopeId: _, ...row }: GeofenceRow): Geofence => row;

/** Dependencies of this module's functions. `module.ts` builds it once. */
export type GeofencesContext = Omit<ReportContext, 'hot' | 'storage'> & {
  readonly storage: Storage;
  readonly tables: GeofenceTables;
};

/** Geofences that devices watch. Contract: GeofencesApi. */
export const geofencesEngine = ({ storage, tables, ...context }: GeofencesContext) => {
  const { clock, ids } = context;
  const hot = geofenceStatements(tables);
  const store = geofenceStore({ db: storage.db, tables });
  const positions = sharedCache<InScope, readonly (Position & { readonly id: string })[]>({
    storage,
    clock,
    topic: GEOFENCES_CHANGED,
    nameOf: scopeKey,
    read: readByScope(storage, hot.positions, (rows) => rows),
    maxEntries: MAX_SCOPES,
  });
  const existing = <Row>(row: Row | undefined, scope: Scope): Row => {
    if (!row) throw notFound('geofence with this id', scope);
    return row;
  };

  const api: GeofencesApi = {
    create: async (scope, body) => {
      const { lat, lng, dwellSeconds = null, data = null, ...fields } = parseGeofence(body);
      const now = clock.now();
      const place = { lat: rounded(lat), lng: rounded(lng), dwellSeconds, data };
      const row = { ...scopeOf(scope), id: ids.next(), ...fields, ...place, createdAt: now, updatedAt: now };
      const isThere = await insertBelow(storage, {
        name: `geofences/${scopeKey(scope)}`,
        max: DEFINITION_CAPS.geofences.max,
        count: (db) => geofenceStore({ db, tables }).count(scope),
        insert: (db) => geofenceStore({ db, tables }).insert(row),
      });
      if (!isThere) throw capReached('name', DEFINITION_CAPS.geofences);
      positions.changed();
      return viewOf(row);
    },
    list: (scope, query = {}) =>
      listPage(query, {
        binding: `geofences/${scopeKey(scope)}`,
        read: async (place) => (await store.page(scope, place)).map(viewOf),
        positionOf: idOf,
      }),
    get: async (scope, id) => viewOf(existing(await store.get(scope, id), scope)),
    update: async (scope, id, body) => {
      const { lat, lng, ...fields } = parseGeofencePatch(body);
      const moved = {
        ...(lat === undefined ? {} : { lat: rounded(lat) }),
        ...(lng === undefined ? {} : { lng: rounded(lng) }),
      };
      const row = existing(await store.update(scope, id, { ...fields, ...moved, updatedAt: clock.now() }), scope);
      positions.changed();
      return viewOf(row);
    },
    delete: async (scope, id) => {
      const row = existing(await store.remove(scope, id), scope);
      positions.changed();
      return viewOf(row);
    },
    nearest: async (scope, query) => {
      const { limit, ...from } = parseNearest(query);
      const near = nearest(await positions.get(scope), from, limit);
      if (near.length === 0) return { data: [] };
      const rows = new Map(
        (
          await store.byIds(
            scope,
            near.map(({ id }) => id),
          )
        ).map((row) => [row.id, viewOf(row)] as const),
      );
      const data = near.flatMap(({ id, meters }): NearGeofence[] => {
        const row = rows.get(id);
        if (!row) return [];
        const { createdAt: _made, updatedAt: _changed, ...fence } = row;
        return [{ ...fence, distanceMeters: Math.round(meters) }];
      });
      return { data };
    },
    report: geofenceReports({ ...context, storage, hot }),
  };

  return {
    api,
    /** Deletes expired crossings. True: more may be left. */
    sweep: (): Promise<boolean> => store.sweep(new Date(clock.now().getTime() - RETENTION_MS), SLICE),
    eraser: {
      name: 'geofence crossings',
      begin:
        ({ scope, people }) =>
        async () => ({ rows: await store.erase(scope, people), isMore: false }),
    } satisfies Eraser,
    close: positions.close,
  };
};
