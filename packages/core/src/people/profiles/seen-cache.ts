import { lru } from '../../foundation/lru.ts';
import type { ProfileView } from './view.ts';

/** Of a profile what an event that changes no trait looks at. */
export type Seen = Pick<ProfileView, 'version' | 'lastSeenAt' | 'locale' | 'timezone'> & Partial<ProfileView>;

/** How old an answer may be, in milliseconds; ours, as for keys. */
const MAX_AGE_MS = 10_000;
/** People of whom it is remembered; ours: some hundred bytes each. */
const MAX_PEOPLE = 20_000;

/** Profiles that were read lately, by person tag. Only what stands in the database gets in. */
export type SeenCache = {
  get(tag: string, now: Date): Seen | undefined;
  /** `readAt`: no later than the moment of the read. */
  set(tag: string, seen: Seen, readAt: Date): void;
  /** For what is about to be written: whether it stands in the database is only known once it was read again. */
  forget(tag: string): void;
};

/**
 * What ingest remembers of people who send events all the time. An entry says that the person has a profile, when they
 * were seen last, and their locale and zone; nothing that depends on it is guarded, so it is read anew every 10 s.
 */
export const seenCache = (): SeenCache => {
  const entries = lru<string, { readonly seen: Seen; readonly readAtMs: number }>(MAX_PEOPLE);
  return {
    get: (tag, now) => {
      const known = entries.get(tag);
      if (!known) return undefined;
      const ageMs = now.getTime() - known.readAtMs;
      // A clock that was set back would otherwise keep what is old for as long as it went back.
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
