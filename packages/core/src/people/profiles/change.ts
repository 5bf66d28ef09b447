import { write } from '../../database/commit/write-set.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import { type IngestDraft, type PersonView, personTag } from '../events/pipeline.ts';
import type { ProfileStatements } from './statements.ts';
import type { PersonKey, ProfileView, Traits } from './view.ts';

/** `lastSeenAt` is written at most this often per person. Source: performance design, ingest and durability. */
const SEEN_MS = 60_000;

/** When somebody was last seen as it is stored once a change is. Throws nothing. */
export const storedLastSeen = (before: PersonView | null, after: PersonView): Date => {
  if (before === null || after.version !== before.version) return after.lastSeenAt;
  return isSeenWritten(before, after) ? after.lastSeenAt : before.lastSeenAt;
};
const isSeenWritten = (before: PersonView, { lastSeenAt, locale, timezone }: PersonView): boolean =>
  lastSeenAt.getTime() - before.lastSeenAt.getTime() >= SEEN_MS ||
  locale !== before.locale ||
  timezone !== before.timezone;

/** A profile as a batch leaves it; the version is the one that it has afterwards. */
export type Becoming = {
  -readonly [Key in keyof PersonView]: PersonView[Key];
} & {
  isTruncated: boolean;
  createdAt: Date;
};

/** What a person is to become. */
export type Became = {
  readonly scope: InScope;
  readonly person: string;
  readonly before: PersonView | null;
  readonly after: Becoming;
  /** Traits differ, or something no longer fitted. */
  readonly isChanged: boolean;
};

/** Where a change of a person goes: to the reactions behind, and to disk. */
export type PeopleDraft = Pick<IngestDraft, 'people' | 'writes'>;

/**
 * The one way in which a person changes: publishes before and after, and adds the write, guarded by the version that
 * was read and tagged with `tag`. Throws nothing.
 *
 * @returns whether anything is written
 */
export const putPerson = (draft: PeopleDraft, hot: ProfileStatements, became: Became, tag: string): boolean => {
  const { scope, person, before, after, isChanged } = became;
  const { isTruncated, locale, timezone, createdAt, lastSeenAt } = after;
  // Absent of a profile that nobody changes the traits of: it was not read.
  const traits: Traits = after.traits ?? {};
  const key = { ...scopeOf(scope), person };
  after.version = before === null ? 1 : before.version + (isChanged ? 1 : 0);
  draft.people.set(personTag(scope, person), became);
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

/** What another engine's plan makes of somebody's traits. */
export type TraitsChange = {
  readonly key: PersonKey;
  /** As it was read; undefined: the person has no profile. */
  readonly stored: ProfileView | undefined;
  readonly left: Pick<ProfileView, 'traits' | 'isTruncated'>;
};

/**
 * "This person's traits become `left`", for plans besides ingest's. Guarded: a profile that changed since it was read,
 * or that appeared meanwhile, fails the plan with `tag`. Throws nothing.
 */
export const putTraits = (
  draft: PeopleDraft & Pick<IngestDraft, 'now'>,
  hot: ProfileStatements,
  { key: { person, ...scope }, stored, left: { traits, isTruncated } }: TraitsChange,
  tag: string,
): void => {
  const { locale = null, timezone = null, createdAt = draft.now, lastSeenAt = draft.now } = stored ?? {};
  const after = { version: 0, traits, isTruncated, locale, timezone, createdAt, lastSeenAt };
  putPerson(draft, hot, { scope, person, before: stored ?? null, after, isChanged: true }, tag);
};
