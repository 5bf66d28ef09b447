import type { z } from 'zod';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { Page, PageQuery, WholeList } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { Reported } from '../../sends/answers.generated.ts';
import type { Geofence, NearGeofence } from './answers.generated.ts';
import type { geofenceBody, geofenceEventBody, geofencePatch } from './schema.ts';

export type GeofencesApi = {
  /** Throws VALIDATION_ERROR, also where the project has 10,000 of them. */
  create(scope: Scope, body: GeofenceInput): Promise<Geofence>;
  list(scope: Scope, query?: PageQuery): Promise<Page<Geofence>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<Geofence>;
  /** What is left out stays. Throws NOT_FOUND, VALIDATION_ERROR. */
  update(scope: Scope, id: string, body: GeofencePatch): Promise<Geofence>;
  /** Throws NOT_FOUND. */
  delete(scope: Scope, id: string): Promise<Geofence>;
  /** The nearest ones, nearest first; `limit` 1 to 100, default 20. At most 10 s old. Throws VALIDATION_ERROR. */
  nearest(
    scope: Scope,
    query: { readonly lat: number; readonly lng: number; readonly limit?: number | undefined },
  ): Promise<WholeList<NearGeofence>>;
  /**
   * A device crossed a geofence. The same transition of the same person within 60 s counts once. Throws NOT_FOUND for a
   * geofence or a token that there is not, VALIDATION_ERROR, OVERLOADED.
   */
  report(scope: Scope, body: GeofenceEventInput): Promise<Reported>;
};

/** A round place that devices watch; without `transitions` all of them. */
export interface GeofenceInput extends Frozen<z.input<typeof geofenceBody>> {}

/** What changes of a geofence; the rest stays. */
export interface GeofencePatch extends Frozen<z.input<typeof geofencePatch>> {}

/** A device reports that it crossed a geofence; one of `userId`, `anonymousId` and `tokenId` is needed. */
export interface GeofenceEventInput extends Frozen<z.input<typeof geofenceEventBody>> {}
