import { lru } from '../../foundation/lru.ts';
import type { ProfileView } from './view.ts';

/** The columns that an event without trait changes needs. */
export type Seen = Pick<ProfileView, 'version' | 'lastSeenAt' | 'locale' | 'timezone'> & Partial<ProfileView>;

/** Maximum age of an entry, in milliseconds. Chosen: as for API keys. */
const MAX_AGE_MS = 10_000;
/** Maximum cached profiles. Chosen: a few hundred bytes each. */
const MAX_PEOPLE = 20_000;

/** Recently read profiles by person tag. Contains only committed values. */
export type SeenCache = {
  get(tag: string, now: Date): Seen | undefined;
  /** `readAt`: at or before the time of the read. */
  set(tag: string, seen: Seen, readAt: Date): void;
  /** To be called for profiles about to be written: their new state is known only after the next read. */
  forget(tag: string): void;
};

/**
 * Cache of profiles that send events frequently: that they exist, when they were last seen, their locale and time zone.
 * Writes based on it are not guarded, so entries expire after 10 s.
 */
export const seenCache = (): SeenCache => {
  const entries = lru<string, { readonly seen: Seen; readonly readAtMs: number }>(MAX_PEOPLE);
  return {
    get: (tag, now) => {
      const known = entries.get(tag);
      if (!known) return undefined;
      const ageMs = now.getTime() - known.readAtMs;
      // If the clock was set back, an entry must not stay valid for that long.
      return ageMs >= 0 && ageMs < MAX_AGE_MS ? known.seen : undefined;
    },
    set: (tag, { version, lastSeenAt, locale, timezone }, readAt) => {
      entries.set(tag, { seen: { version, lastSeenAt, locale, timezone }, readAtMs: readAt.getTime() });
    },
    forget: (tag) => {
      entries.delete(tag);
    },
  };
};
