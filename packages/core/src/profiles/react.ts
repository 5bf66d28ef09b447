import { freshEntries, type IngestDraft, type Item, personTag, type Reaction, type Round } from '../events/pipeline.ts';
import { anonymousPerson, userPerson } from '../primitives/person.ts';
import { type InScope, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { SelectKey } from '../storage/bulk.ts';
import type { Storage } from '../storage/storage.ts';
import { write } from '../storage/write-set.ts';
import type { ProfileHot } from './hot.ts';
import { mergeTraits } from './merge.ts';
import { type Seen, type SeenCache, seenCache } from './seen-cache.ts';
import type { Traits } from './tables.ts';

/** `lastSeenAt` is written at most this often per person. Source: performance design, ingest and durability. */
const SEEN_MS = 60_000;
/** Characters of a locale or time zone taken from an event's context; ours. */
const MAX_TAG = 64;

type Loaded = {
  /** personTag of an anonymous person to the userId that it stands for. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly profiles: ReadonlyMap<string, Seen>;
};

/** What a person is to become. */
type State = {
  readonly scope: InScope;
  readonly person: string;
  readonly stored: Seen | undefined;
  traits: Traits;
  isChanged: boolean;
  isTruncated: boolean;
  locale: string | null;
  timezone: string | null;
  createdAt: Date;
  lastSeenAt: Date;
};

const newestTag = (context: Item['context'], name: 'locale' | 'timezone'): string | null => {
  const value = context?.[name];
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TAG ? value : null;
};

const isMerge = (item: Item): item is Item & { userId: string; anonymousId: string } =>
  item.kind === 'identify' && item.userId !== null && item.anonymousId !== null;

/** Traits of an item are merged when it names a user. Source: contract, ingest and profiles. */
const hasPatch = (item: Item): boolean => item.traits !== null && item.userId !== null;

const keyOf = (scope: InScope, id: string): SelectKey => [scopeKey(scope), id];

/** Makes, merges and moves profiles. Aliases are settled first, so that a whole batch knows whose each item is. */
export const reactProfiles = (storage: Storage, hot: ProfileHot): Reaction<Loaded> => {
  const cache = seenCache();
  const loadAliases = async (items: readonly Item[]): Promise<Map<string, string>> => {
    const keys = new Map<string, SelectKey>();
    for (const { scope, anonymousId } of items)
      if (anonymousId !== null) keys.set(personTag(scope, anonymousPerson(anonymousId)), keyOf(scope, anonymousId));
    const rows = await storage.select(hot.aliasesOf, [...keys.values()]);
    return new Map(rows.map((row) => [personTag(row, anonymousPerson(row.anonymousId)), row.userId]));
  };

  const loadProfiles = async (items: readonly Item[], aliases: ReadonlyMap<string, string>, { isFirstTry }: Round) => {
    // Of a batch all items were received by now; the earliest makes entries older than they are, never younger.
    const now = items[0]?.receivedAt ?? new Date(0);
    const profiles = new Map<string, Seen>();
    const seen = new Map<string, SelectKey>();
    const full = new Map<string, SelectKey>();
    for (const item of items) {
      const { scope, userId, anonymousId } = item;
      const anonymous = anonymousId === null ? null : anonymousPerson(anonymousId);
      const alias = anonymous === null ? undefined : aliases.get(personTag(scope, anonymous));
      const person = userId !== null ? userPerson(userId) : alias !== undefined ? userPerson(alias) : anonymous;
      const isMerging = isMerge(item) && alias === undefined;
      if (person !== null)
        (hasPatch(item) || isMerging ? full : seen).set(personTag(scope, person), keyOf(scope, person));
      if (isMerging && anonymous !== null) full.set(personTag(scope, anonymous), keyOf(scope, anonymous));
    }
    for (const tag of full.keys()) seen.delete(tag);
    if (isFirstTry)
      for (const tag of seen.keys()) {
        const known = cache.get(tag, now);
        if (!known) continue;
        profiles.set(tag, known);
        seen.delete(tag);
      }
    const [light, whole] = await Promise.all([
      storage.select(hot.seen, [...seen.values()]),
      storage.select(hot.full, [...full.values()]),
    ]);
    for (const row of light) {
      const tag = personTag(row, row.person);
      profiles.set(tag, row);
      cache.set(tag, row, now);
    }
    for (const row of whole) profiles.set(personTag(row, row.person), row);
    return profiles;
  };

  return {
    name: 'profiles',
    load: async (items, round) => {
      const aliases = await loadAliases(items);
      return { aliases, profiles: await loadProfiles(items, aliases, round) };
    },
    plan: (draft, loaded) => {
      const states = new Map<string, State>();
      const aliases = settleAliases(draft, loaded, hot);
      for (const entry of draft.entries) {
        const { item } = entry;
        entry.person = whoseIs(item, aliases);
        if (entry.duplicateOf !== null) continue;
        const state = stateOf(states, loaded, item, entry.person);
        if (item.receivedAt > state.lastSeenAt) state.lastSeenAt = item.receivedAt;
        state.locale = newestTag(item.context, 'locale') ?? state.locale;
        state.timezone = newestTag(item.context, 'timezone') ?? state.timezone;
        if (hasPatch(item)) entry.changedTraits = applyPatch(state, item.traits ?? {});
      }
      for (const { scope, from, to } of draft.merges) absorb(draft, loaded, states, hot, { scope, from, to });
      for (const state of states.values()) writeState(draft, hot, state, cache);
    },
  };
};

/** Records the aliases that this batch makes and answers all that hold for it. */
const settleAliases = (draft: IngestDraft, loaded: Loaded, hot: ProfileHot): ReadonlyMap<string, string> => {
  const aliases = new Map(loaded.aliases);
  for (const { item } of freshEntries(draft)) {
    if (!isMerge(item)) continue;
    const { scope, anonymousId, userId } = item;
    const from = anonymousPerson(anonymousId);
    if (aliases.has(personTag(scope, from))) continue;
    aliases.set(personTag(scope, from), userId);
    const to = userPerson(userId);
    draft.merges.push({ scope, from, to });
    const row = { ...scopeOf(scope), anonymousId, userId, createdAt: draft.now, moveDueAt: draft.now };
    draft.writes.push(write(hot.insertAlias, row, personTag(scope, to)));
  }
  return aliases;
};

const whoseIs = (item: Item, aliases: ReadonlyMap<string, string>): string => {
  if (item.userId !== null) return userPerson(item.userId);
  const anonymous = anonymousPerson(item.anonymousId ?? '');
  const userId = aliases.get(personTag(item.scope, anonymous));
  return userId === undefined ? anonymous : userPerson(userId);
};

const stateOf = (states: Map<string, State>, loaded: Loaded, item: Item, person: string): State => {
  const tag = personTag(item.scope, person);
  const known = states.get(tag);
  if (known) return known;
  const stored = loaded.profiles.get(tag);
  const state: State = {
    scope: item.scope,
    person,
    stored,
    traits: { ...stored?.traits },
    isChanged: false,
    isTruncated: stored?.isTruncated ?? false,
    locale: stored?.locale ?? null,
    timezone: stored?.timezone ?? null,
    createdAt: stored?.createdAt ?? item.receivedAt,
    lastSeenAt: stored?.lastSeenAt ?? item.receivedAt,
  };
  states.set(tag, state);
  return state;
};

const applyPatch = (state: State, patch: Readonly<Traits>): readonly string[] => {
  const { traits, changed, isTruncated } = mergeTraits(state.traits, patch);
  if (changed.length === 0 && (state.isTruncated || !isTruncated)) return changed;
  state.traits = traits;
  state.isChanged = true;
  state.isTruncated ||= isTruncated;
  return changed;
};

/** Moves an anonymous profile into the user's: what the user has wins. */
const absorb = (
  draft: IngestDraft,
  loaded: Loaded,
  states: Map<string, State>,
  hot: ProfileHot,
  { scope, from, to }: { scope: InScope; from: string; to: string },
): void => {
  const state = states.get(personTag(scope, to));
  const anonymous = loaded.profiles.get(personTag(scope, from));
  if (!state || !anonymous) return;
  const missing = Object.entries(anonymous.traits ?? {}).filter(([name]) => !Object.hasOwn(state.traits, name));
  applyPatch(state, Object.fromEntries(missing));
  if (anonymous.createdAt && anonymous.createdAt < state.createdAt && !state.stored)
    state.createdAt = anonymous.createdAt;
  state.locale ??= anonymous.locale;
  state.timezone ??= anonymous.timezone;
  const row = { ...scopeOf(scope), person: from, version: anonymous.version };
  draft.writes.push(write(hot.absorb, row, personTag(scope, to)));
};

const writeState = (draft: IngestDraft, hot: ProfileHot, state: State, cache: SeenCache): void => {
  const { scope, person, stored, traits, isTruncated, locale, timezone, createdAt, lastSeenAt } = state;
  const key = { ...scopeOf(scope), person };
  const tag = personTag(scope, person);
  if (!stored) {
    const row = { ...key, traits, version: 1, isTruncated, locale, timezone, createdAt, lastSeenAt };
    draft.writes.push(write(hot.insert, row, tag));
  } else if (state.isChanged) {
    const row = { ...key, version: stored.version, traits, isTruncated, locale, timezone, lastSeenAt };
    draft.writes.push(write(hot.change, row, tag));
  } else if (
    locale !== stored.locale ||
    timezone !== stored.timezone ||
    lastSeenAt.getTime() - stored.lastSeenAt.getTime() >= SEEN_MS
  ) {
    draft.writes.push(write(hot.see, { ...key, lastSeenAt, locale, timezone }, tag));
    cache.update(tag, { lastSeenAt, locale, timezone });
  }
};
