// Made of the schemas in answers.ts by `npm run openapi`.

/** A circular area that devices monitor. */
export interface Geofence {
  /** Id of the geofence. */
  readonly id: string;
  /** Name of the geofence. */
  readonly name: string;
  /** Latitude of the center, in degrees. */
  readonly lat: number;
  /** Longitude of the center, in degrees. */
  readonly lng: number;
  /** Radius, in meters. */
  readonly radiusMeters: number;
  /** Transitions that devices report. */
  readonly transitions: readonly ('entered' | 'exited' | 'dwelled')[];
  /** How long a device must stay inside before it reports `dwelled`, in seconds; null if not set. */
  readonly dwellSeconds: number | null;
  /** Custom data for the app; null if there is none. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** When the geofence was created. */
  readonly createdAt: Date;
  /** When the geofence was last changed. */
  readonly updatedAt: Date;
}

/** A geofence near a device. */
export interface NearGeofence {
  /** Id of the geofence. */
  readonly id: string;
  /** Name of the geofence. */
  readonly name: string;
  /** Latitude of the center, in degrees. */
  readonly lat: number;
  /** Longitude of the center, in degrees. */
  readonly lng: number;
  /** Radius, in meters. */
  readonly radiusMeters: number;
  /** Transitions that devices report. */
  readonly transitions: readonly ('entered' | 'exited' | 'dwelled')[];
  /** How long a device must stay inside before it reports `dwelled`, in seconds; null if not set. */
  readonly dwellSeconds: number | null;
  /** Custom data for the app; null if there is none. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Distance between the device and the center, in meters. */
  readonly distanceMeters: number;
}

/** Geofences near a device, nearest first. */
export type NearGeofences = readonly NearGeofence[];

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Geofence: Geofence;
  readonly NearGeofence: NearGeofence;
  readonly NearGeofences: NearGeofences;
}
