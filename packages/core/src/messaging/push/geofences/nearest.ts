/** A position in degrees. */
export type Position = { readonly lat: number; readonly lng: number };

/** Mean radius of the Earth in metres. Source: IUGG, GRS 80. */
const EARTH_METERS = 6_371_008.8;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Great-circle distance in metres, by the haversine formula. Throws nothing. */
export const distanceMeters = (from: Position, to: Position): number => {
  const byLat = Math.sin(radians(to.lat - from.lat) / 2);
  const byLng = Math.sin(radians(to.lng - from.lng) / 2);
  const half = byLat * byLat + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * byLng * byLng;
  // Rounding may give slightly more than 1 for antipodes.
  return 2 * EARTH_METERS * Math.asin(Math.sqrt(Math.min(half, 1)));
};

/** The `limit` nearest geofences, nearest first; equal distances by id. Throws nothing. */
export const nearest = <Place extends Position & { readonly id: string }>(
  positions: readonly Place[],
  from: Position,
  limit: number,
): (Place & { readonly meters: number })[] =>
  positions
    .map((place) => ({ ...place, meters: distanceMeters(from, place) }))
    .sort((a, b) => a.meters - b.meters || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
