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
