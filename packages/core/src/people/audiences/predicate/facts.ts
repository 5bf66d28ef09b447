import { stableJson } from '../../../foundation/hash.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { type ProfileView, userEmailOf, userPhoneOf } from '../../profiles/view.ts';
import type { EventLeaf, UserField } from './types.ts';

/** How often somebody did something: in all, and the newest times, in milliseconds, newest first. */
export type Tally = { readonly total: number; readonly recent: readonly number[] };

/** What is known of one person at one moment. */
export type Facts = {
  readonly now: Date;
  /** Null or absent: missing. Times as dates. */
  readonly user: Readonly<Partial<Record<UserField, string | Date | null>>>;
  readonly traits: Readonly<Record<string, unknown>>;
  /** By `tallyKey`; null: nobody has counted, so it is unknown. */
  readonly tallyOf: (key: string) => Tally | null;
  /** Null: unknown. */
  readonly isMember: (audienceId: string) => boolean | null;
  /** Properties of the event that a run began with, for paths. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** The zone that the project's settings name, for dates; null or absent: none. */
  readonly orgTimezone?: string | null;
  /** What the steps of a run saved, by its name, for paths. */
  readonly steps?: Readonly<Record<string, unknown>>;
};

/** Newest times that a counter keeps at most; ours: 15 bytes each, written anew with every event. What asks for more reads the log. */
export const MAX_RECENT = 100;

/** How many of the newest times decide a leaf: none where only the total does. Throws nothing. */
export const recentNeeded = ({ within, count }: EventLeaf): number =>
  within === undefined ? 0 : Math.max(1, count?.gte ?? 1, (count?.lte ?? -1) + 1);

/** True for what counters do not tell. Throws nothing. */
export const readsLog = (leaf: EventLeaf): boolean => leaf.where !== undefined || recentNeeded(leaf) > MAX_RECENT;

/** How many of those that are meant decide a leaf which reads the log. Throws nothing. */
export const decisive = (leaf: EventLeaf): number =>
  Math.max(recentNeeded(leaf), leaf.count?.gte ?? 1, (leaf.count?.lte ?? -1) + 1, 1);

const keys = new WeakMap<EventLeaf, string>();

/** Under which name the tally of a leaf is found: that of its event, or its own where it reads the log. Throws nothing. */
export const tallyKey = (leaf: EventLeaf): string => {
  if (!readsLog(leaf)) return leaf.event;
  const known = keys.get(leaf);
  if (known !== undefined) return known;
  const { event, where = [], within = null } = leaf;
  const key = `\0${stableJson({ event, where, within, needed: decisive(leaf) })}`;
  keys.set(leaf, key);
  return key;
};

/** What holds of nobody in particular: for a run whose person has no profile. */
export const NO_FACTS: Omit<Facts, 'now'> = {
  user: {},
  traits: {},
  tallyOf: () => null,
  isMember: () => null,
};

/** The built-in fields of a profile, as the databases see them: without what devices say. Throws nothing. */
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
