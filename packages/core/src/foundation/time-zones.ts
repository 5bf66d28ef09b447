import { LRUCache } from 'lru-cache';

/** Names of zones that were found once; ours: more than there are. Looking one up costs as much as all the rest. */
const MAX_ZONES = 1_000;
const zones = new LRUCache<string, true>({ max: MAX_ZONES });

/** Tells whether the runtime's time-zone data has this zone. Throws nothing. */
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

/** Characters of the name of a zone; those of the time-zone data have at most 32. Chosen: as of an event's context. */
const MAX_NAME = 64;
/** `GMT+05:30` as Android names it, `UTC+2`, `+0530`: what stands behind the sign is hours, and minutes where there are more. */
const OFFSET = /^(?:UTC|GMT)?\s*([+\-\u2212])(\d{1,2})(?::?(\d{2}))?$/i;
/** What devices wrote, and what it was read as; boxed, so that "no zone" is remembered, too. */
const readings = new LRUCache<string, { readonly zone: string | null }>({ max: MAX_ZONES });

const readZone = (text: string): string | null => {
  // Before the runtime's own reading, which takes some offsets and writes each as it came.
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(text) ?? [];
  const name = sign === undefined ? text : `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`;
  return isTimeZone(name) ? name : null;
};

/**
 * The time zone that a device says it is in: an IANA name as it is, an offset as `+05:30`.
 *
 * @param text anything: devices are of all ages, and nothing that they report is refused for its zone
 * @returns null for what is neither. Throws nothing. Source: contract, Time zone of a device.
 */
export const deviceTimeZone = (text: unknown): string | null => {
  if (typeof text !== 'string' || text.length > MAX_NAME) return null;
  const known = readings.get(text);
  if (known) return known.zone;
  const zone = readZone(text.trim());
  readings.set(text, { zone });
  return zone;
};
