import type { z } from 'zod';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { Page, PageQuery, WholeList } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { Reported } from '../../sends/answers.generated.ts';
import type { Geofence, NearGeofence } from './answers.generated.ts';
import type { geofenceBody, geofenceEventBody, geofencePatch } from './schema.ts';

export type GeofencesApi = {
  /** Throws VALIDATION_ERROR, also if the project already has 10,000 geofences. */
  create(scope: Scope, body: GeofenceInput): Promise<Geofence>;
  list(scope: Scope, query?: PageQuery): Promise<Page<Geofence>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<Geofence>;
  /** Omitted fields keep their values. Throws NOT_FOUND, VALIDATION_ERROR. */
  update(scope: Scope, id: string, body: GeofencePatch): Promise<Geofence>;
  /** Throws NOT_FOUND. */
  delete(scope: Scope, id: string): Promise<Geofence>;
  /** The nearest geofences, nearest first; `limit` 1 to 100, default 20. At most 10 s old. Throws VALIDATION_ERROR. */
  nearest(
    scope: Scope,
    query: { readonly lat: number; readonly lng: number; readonly limit?: number | undefined },
  ): Promise<WholeList<NearGeofence>>;
  /**
   * Stores a device's crossing of a geofence. The same transition of one user within 60 s counts once. Throws NOT_FOUND
   * for an unknown geofence or token, VALIDATION_ERROR, OVERLOADED.
   */
  report(scope: Scope, body: GeofenceEventInput): Promise<Reported>;
};

/** A circle that devices watch. Without `transitions`, devices report enter, exit and dwell. */
export interface GeofenceInput extends Frozen<z.input<typeof geofenceBody>> {}

/** Changes of a geofence; omitted fields keep their values. */
export interface GeofencePatch extends Frozen<z.input<typeof geofencePatch>> {}

/** A device's report of a crossing; needs one of `userId`, `anonymousId` and `tokenId`. */
export interface GeofenceEventInput extends Frozen<z.input<typeof geofenceEventBody>> {}
