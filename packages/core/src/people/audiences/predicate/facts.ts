import { stableJson } from '../../../foundation/hash.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { type ProfileView, userEmailOf, userPhoneOf } from '../../profiles/view.ts';
import type { EventLeaf, UserField } from './types.ts';

/** Total number of an event, and its newest times in milliseconds, newest first. */
export type Tally = { readonly total: number; readonly recent: readonly number[] };

/** What is known of one profile at one time. */
export type Facts = {
  readonly now: Date;
  /** Null or absent: missing. Times are Dates. */
  readonly user: Readonly<Partial<Record<UserField, string | Date | null>>>;
  readonly traits: Readonly<Record<string, unknown>>;
  /** By `tallyKey`; null: not counted, so unknown. */
  readonly tallyOf: (key: string) => Tally | null;
  /** Null: unknown. */
  readonly isMember: (audienceId: string) => boolean | null;
  /** For paths: properties of the run's trigger event. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** For dates: the project's time zone; null or absent: none. */
  readonly orgTimezone?: string | null;
  /** For paths: results that steps of the run saved, by `saveAs`. */
  readonly steps?: Readonly<Record<string, unknown>>;
};

/** Maximum times per counter. Chosen: 15 bytes each, written with every event. Leaves that need more read the log. */
export const MAX_RECENT = 100;

/** How many of the newest times decide a leaf; 0 if only the total matters. Throws nothing. */
export const recentNeeded = ({ within, count }: EventLeaf): number =>
  within === undefined ? 0 : Math.max(1, count?.gte ?? 1, (count?.lte ?? -1) + 1);

/** True if counters cannot answer the leaf. Throws nothing. */
export const readsLog = (leaf: EventLeaf): boolean => leaf.where !== undefined || recentNeeded(leaf) > MAX_RECENT;

/** How many matching events decide a leaf that reads the log. Throws nothing. */
export const decisive = (leaf: EventLeaf): number =>
  Math.max(recentNeeded(leaf), leaf.count?.gte ?? 1, (leaf.count?.lte ?? -1) + 1, 1);

const keys = new WeakMap<EventLeaf, string>();

/** Key of a leaf's tally: its event, or a key of its own if it reads the log. Throws nothing. */
export const tallyKey = (leaf: EventLeaf): string => {
  if (!readsLog(leaf)) return leaf.event;
  const known = keys.get(leaf);
  if (known !== undefined) return known;
  const { event, where = [], within = null } = leaf;
  const key = `\0${stableJson({ event, where, within, needed: decisive(leaf) })}`;
  keys.set(leaf, key);
  return key;
};

/** Facts of a run whose user has no profile. */
export const NO_FACTS: Omit<Facts, 'now'> = {
  user: {},
  traits: {},
  tallyOf: () => null,
  isMember: () => null,
};

/** Built-in fields of a profile as SQL sees them: without values of devices. Throws nothing. */
export const userFacts = (
  profile: Omit<ProfileView, 'traits' | 'version' | 'isTruncated' | 'scopeId'>,
): Facts['user'] => ({
  userId: userIdOf(profile.person),
  email: userEmailOf(profile),
  phone: userPhoneOf(profile),
  locale: profile.localeOverride ?? profile.locale,
  timezone: profile.timezoneOverride ?? profile.timezone,
  createdAt: profile.createdAt,
  lastSeenAt: profile.lastSeenAt,
});
