import { LRUCache } from 'lru-cache';

/** Cached zone names. Chosen: more than exist. A lookup costs as much as all other work on the zone. */
const MAX_ZONES = 1_000;
const zones = new LRUCache<string, true>({ max: MAX_ZONES });

/** True if the runtime's time-zone data has this zone. Throws nothing. */
export const isTimeZone = (name: string): boolean => {
  if (zones.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return false;
  }
  zones.set(name, true);
  return true;
};

/** Maximum characters of a zone name; those of the time-zone data have at most 32. Chosen: as in an event's context. */
const MAX_NAME = 64;
/** `GMT+05:30` (Android), `UTC+2`, `+0530`: hours after the sign, then optional minutes. */
const OFFSET = /^(?:UTC|GMT)?\s*([+\-\u2212])(\d{1,2})(?::?(\d{2}))?$/i;
/** Cached results by input; boxed, so that "no zone" is cached too. */
const readings = new LRUCache<string, { readonly zone: string | null }>({ max: MAX_ZONES });

const readZone = (text: string): string | null => {
  // Offsets are parsed first, since the runtime accepts some offsets and keeps their spelling.
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(text) ?? [];
  const name = sign === undefined ? text : `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`;
  return isTimeZone(name) ? name : null;
};

/**
 * Normalises the time zone that a device reports: an IANA name unchanged, an offset as `+05:30`.
 *
 * @param text any value: devices of all ages report zones, and none is rejected for its zone
 * @returns null if it is neither. Throws nothing. Source: contract, Time zone of a device.
 */
export const deviceTimeZone = (text: unknown): string | null => {
  if (typeof text !== 'string' || text.length > MAX_NAME) return null;
  const cached = readings.get(text);
  if (cached) return cached.zone;
  const zone = readZone(text.trim());
  readings.set(text, { zone });
  return zone;
};
