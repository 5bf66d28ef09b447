import { write } from '../../database/commit/write-set.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import { type IngestDraft, type PersonView, personTag } from '../events/pipeline.ts';
import type { ProfileStatements } from './statements.ts';
import type { PersonKey, ProfileView, Traits } from './view.ts';

/** Minimum interval between writes of `lastSeenAt` per profile. Source: performance design, ingest and durability. */
const SEEN_MS = 60_000;

/** The value of `lastSeenAt` in the database after a change. Throws nothing. */
export const storedLastSeen = (before: PersonView | null, after: PersonView): Date => {
  if (before === null || after.version !== before.version) return after.lastSeenAt;
  return isSeenWritten(before, after) ? after.lastSeenAt : before.lastSeenAt;
};
const isSeenWritten = (before: PersonView, { lastSeenAt, locale, timezone }: PersonView): boolean =>
  lastSeenAt.getTime() - before.lastSeenAt.getTime() >= SEEN_MS ||
  locale !== before.locale ||
  timezone !== before.timezone;

/** A profile after the batch, with its new version. */
export type NextProfile = {
  -readonly [Key in keyof PersonView]: PersonView[Key];
} & {
  isTruncated: boolean;
  createdAt: Date;
};

/** A planned change of a profile. */
export type ProfileChange = {
  readonly scope: InScope;
  readonly person: string;
  readonly before: PersonView | null;
  readonly after: NextProfile;
  /** True if traits changed or truncation was newly marked. */
  readonly isChanged: boolean;
};

/** The parts of a draft that a profile change writes to: downstream reactions read `people`. */
export type PeopleDraft = Pick<IngestDraft, 'people' | 'writes'>;

/**
 * The only function that changes profiles: publishes the profile before and after, and adds the write. The write is
 * guarded by the version that was read and tagged with `tag`. Throws nothing.
 *
 * @returns whether anything is written
 */
export const putPerson = (draft: PeopleDraft, hot: ProfileStatements, change: ProfileChange, tag: string): boolean => {
  const { scope, person, before, after, isChanged } = change;
  const { isTruncated, locale, timezone, createdAt, lastSeenAt } = after;
  // Absent if the traits were not read because nothing changes them.
  const traits: Traits = after.traits ?? {};
  const key = { ...scopeOf(scope), person };
  after.version = before === null ? 1 : before.version + (isChanged ? 1 : 0);
  draft.people.set(personTag(scope, person), change);
  if (before === null) {
    const row = { ...key, traits, version: 1, isTruncated, locale, timezone, createdAt, lastSeenAt };
    draft.writes.push(write(hot.insert, row, tag));
    return true;
  }
  if (isChanged) {
    const row = { ...key, version: before.version, traits, isTruncated, locale, timezone, lastSeenAt };
    draft.writes.push(write(hot.change, row, tag));
    return true;
  }
  if (!isSeenWritten(before, after)) return false;
  draft.writes.push(write(hot.see, { ...key, lastSeenAt, locale, timezone }, tag));
  return true;
};

/** A change of traits by another module's plan. */
export type TraitsChange = {
  readonly key: PersonKey;
  /** The profile as it was read; undefined if it does not exist. */
  readonly stored: ProfileView | undefined;
  readonly next: Pick<ProfileView, 'traits' | 'isTruncated'>;
};

/**
 * Replaces the traits of a profile, for plans outside ingest. Guarded: if the profile changed or was created since it
 * was read, the plan fails with `tag`. Throws nothing.
 */
export const putTraits = (
  draft: PeopleDraft & Pick<IngestDraft, 'now'>,
  hot: ProfileStatements,
  { key: { person, ...scope }, stored, next: { traits, isTruncated } }: TraitsChange,
  tag: string,
): void => {
  const { locale = null, timezone = null, createdAt = draft.now, lastSeenAt = draft.now } = stored ?? {};
  const after = { version: 0, traits, isTruncated, locale, timezone, createdAt, lastSeenAt };
  putPerson(draft, hot, { scope, person, before: stored ?? null, after, isChanged: true }, tag);
};
