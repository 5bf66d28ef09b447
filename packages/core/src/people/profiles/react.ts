import { write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { anonymousPerson, userPerson } from '../../foundation/person.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { deviceTimeZone } from '../../foundation/time-zones.ts';
import {
  type BoundReaction,
  freshEntries,
  type IngestDraft,
  type Item,
  type NeedsTraits,
  personTag,
  type Reaction,
  type Round,
} from '../events/pipeline.ts';
import { type NextProfile, type ProfileChange, putPerson } from './change.ts';
import { editTraits, type TraitsEditor } from './merge.ts';
import { readWhole } from './read-whole.ts';
import { type Seen, type SeenCache, seenCache } from './seen-cache.ts';
import type { ProfileStatements } from './statements.ts';
import type { Traits } from './view.ts';

/** Maximum characters of a locale in an event's context. Chosen: longer than any real tag. */
const MAX_TAG = 64;

type Loaded = {
  /** By personTag of an anonymous profile: the userId it was merged into. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly profiles: ReadonlyMap<string, Seen>;
  /** Null if the writes may be rolled back and must not be cached. */
  readonly cache: SeenCache | null;
};

/** A profile while the batch is planned. */
type State = ProfileChange & { readonly before: Seen | null; isChanged: boolean; edits?: TraitsEditor };

const newestLocale = (context: Item['context']): string | null => {
  const value = context?.['locale'];
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TAG ? value : null;
};

const isMerge = (item: Item): item is Item & { userId: string; anonymousId: string } =>
  item.kind === 'identify' && item.userId !== null && item.anonymousId !== null;

/** An item's traits are merged only if it names a user. Source: contract, ingest and profiles. */
const hasPatch = (item: Item): boolean => item.traits !== null && item.userId !== null;

const keyOf = (scope: InScope, id: string): SelectKey => [scopeKey(scope), id];

const needsNoTraits = (): boolean => false;

/** Decides for which items downstream reactions need traits, without any lookup if no reaction ever does. */
const traitsNeeded = (downstream: readonly Pick<BoundReaction, 'needsTraits'>[]) => {
  const needs = downstream.flatMap(({ needsTraits }): NeedsTraits[] => (needsTraits ? [needsTraits] : []));
  return async (items: readonly Item[]): Promise<(item: Item) => boolean> => {
    if (needs.length === 0) return needsNoTraits;
    const scopes = [...new Map(items.map(({ scope }) => [scopeKey(scope), scope])).values()];
    const needed = await Promise.all(needs.map((need) => need(scopes)));
    return (item) => needed.some((wants) => wants(item));
  };
};

const resolvePerson = (aliases: ReadonlyMap<string, string>, { scope, userId, anonymousId }: Item): string | null => {
  if (userId !== null) return userPerson(userId);
  if (anonymousId === null) return null;
  const anonymous = anonymousPerson(anonymousId);
  const alias = aliases.get(personTag(scope, anonymous));
  return alias === undefined ? anonymous : userPerson(alias);
};

/** Bulk reads of both reactions. */
const readers = (storage: Storage, hot: ProfileStatements) => {
  const loadAliases = async (items: readonly Item[]): Promise<Map<string, string>> => {
    const keys = new Map<string, SelectKey>();
    for (const { scope, anonymousId } of items)
      if (anonymousId !== null) keys.set(personTag(scope, anonymousPerson(anonymousId)), keyOf(scope, anonymousId));
    const rows = await storage.select(hot.aliasesOf, [...keys.values()]);
    return new Map(rows.map((row) => [personTag(row, anonymousPerson(row.anonymousId)), row.userId]));
  };

  const loadProfiles = async (
    items: readonly Item[],
    aliases: ReadonlyMap<string, string>,
    wantsTraits: (item: Item) => boolean,
    { isFirstTry, takeOnly }: Round,
    cache: SeenCache | null,
  ) => {
    // All items of a batch were received by now. The earliest time makes cache entries look older, never younger.
    const now = items[0]?.receivedAt ?? new Date(0);
    const profiles = new Map<string, Seen>();
    const seen = new Map<string, SelectKey>();
    const full = new Map<string, SelectKey>();
    const needed = items.map((): string[] => []);
    const changed = new Set<string>();
    for (const [at, item] of items.entries()) {
      const { scope, anonymousId } = item;
      const anonymous = anonymousId === null ? null : anonymousPerson(anonymousId);
      const alias = anonymous === null ? undefined : aliases.get(personTag(scope, anonymous));
      const person = resolvePerson(aliases, item);
      const isMerging = isMerge(item) && alias === undefined;
      const isChanging = hasPatch(item) || isMerging;
      const tags = needed[at] ?? [];
      if (person !== null) {
        const tag = personTag(scope, person);
        const isWhole = isChanging || wantsTraits(item);
        (isWhole ? full : seen).set(tag, keyOf(scope, person));
        if (isWhole) tags.push(tag);
        if (isChanging) changed.add(tag);
      }
      if (isMerging && anonymous !== null) {
        const tag = personTag(scope, anonymous);
        full.set(tag, keyOf(scope, anonymous));
        tags.push(tag);
        changed.add(tag);
      }
    }
    for (const tag of full.keys()) seen.delete(tag);
    if (isFirstTry && cache)
      for (const tag of seen.keys()) {
        const known = cache.get(tag, now);
        if (!known) continue;
        profiles.set(tag, known);
        seen.delete(tag);
      }
    const [light, { rows, share }] = await Promise.all([
      storage.select(hot.seen, [...seen.values()]),
      readWhole((keys) => storage.select(hot.full, keys), { full, needed, changed }),
    ]);
    for (const row of light) {
      const tag = personTag(row, row.person);
      profiles.set(tag, row);
      cache?.set(tag, row, now);
    }
    for (const row of rows) profiles.set(personTag(row, row.person), row);
    if (share < items.length) takeOnly?.(share);
    return profiles;
  };

  return { loadAliases, loadProfiles };
};

/**
 * Creates, changes and merges profiles. Resolves aliases first, so that all items of a batch know their profile.
 *
 * @param downstream the reactions that follow
 */
export const reactProfiles = (
  storage: Storage,
  hot: ProfileStatements,
  downstream: readonly Pick<BoundReaction, 'needsTraits'>[] = [],
): Reaction<Loaded> => {
  const remembered = seenCache();
  const { loadAliases, loadProfiles } = readers(storage, hot);
  const needed = traitsNeeded(downstream);
  return {
    name: 'profiles',
    load: async (items, round) => {
      const cache = round.isJoined ? null : remembered;
      const [aliases, wantsTraits] = await Promise.all([loadAliases(items), needed(items)]);
      return { aliases, profiles: await loadProfiles(items, aliases, wantsTraits, round, cache), cache };
    },
    plan: (draft, loaded) => {
      const states = new Map<string, State>();
      const aliases = resolveAliases(draft, loaded, hot);
      for (const entry of draft.entries) {
        const { item } = entry;
        entry.person = resolvePerson(aliases, item) ?? '';
        if (entry.duplicateOf !== null) continue;
        const state = stateOf(states, loaded, item, entry.person);
        const { after } = state;
        if (item.receivedAt > after.lastSeenAt) after.lastSeenAt = item.receivedAt;
        after.locale = newestLocale(item.context) ?? after.locale;
        after.timezone = deviceTimeZone(item.context?.['timezone']) ?? after.timezone;
        if (hasPatch(item)) entry.changedTraits = applyPatch(state, item.traits ?? {});
      }
      for (const { scope, from, to } of draft.merges) mergeProfile(draft, loaded, states, hot, { scope, from, to });
      for (const state of states.values()) {
        const tag = personTag(state.scope, state.person);
        if (state.edits) state.after.traits = state.edits.traits();
        if (putPerson(draft, hot, state, tag)) loaded.cache?.forget(tag);
      }
    },
  };
};

/**
 * For items that change no profile: resolves the profile of each item and publishes it to the downstream reactions.
 * Reads profiles only where one of them needs traits.
 */
export const presentPeople = (
  storage: Storage,
  hot: ProfileStatements,
  downstream: readonly Pick<BoundReaction, 'needsTraits'>[] = [],
): Reaction<Loaded> => {
  const { loadAliases, loadProfiles } = readers(storage, hot);
  const needed = traitsNeeded(downstream);
  return {
    name: 'people',
    load: async (items, round) => {
      const [aliases, wantsTraits] = await Promise.all([
        loadAliases(items.filter(({ userId }) => userId === null)),
        needed(items),
      ]);
      const needingTraits = items.filter(wantsTraits);
      return { aliases, profiles: await loadProfiles(needingTraits, aliases, wantsTraits, round, null), cache: null };
    },
    plan: (draft, { aliases, profiles }) => {
      for (const entry of draft.entries) {
        const { scope } = entry.item;
        entry.person = resolvePerson(aliases, entry.item) ?? '';
        const tag = personTag(scope, entry.person);
        const stored = profiles.get(tag);
        if (stored) draft.people.set(tag, { scope, person: entry.person, before: stored, after: stored });
      }
    },
  };
};

/** Writes the aliases that this batch creates, and returns all aliases that apply to it. */
const resolveAliases = (draft: IngestDraft, loaded: Loaded, hot: ProfileStatements): ReadonlyMap<string, string> => {
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

const stateOf = (states: Map<string, State>, loaded: Loaded, item: Item, person: string): State => {
  const tag = personTag(item.scope, person);
  const known = states.get(tag);
  if (known) return known;
  const stored = loaded.profiles.get(tag);
  const after: NextProfile = {
    version: stored?.version ?? 0,
    // A profile read without traits may have some: undefined is not empty.
    traits: stored ? stored.traits : {},
    isTruncated: stored?.isTruncated ?? false,
    locale: stored?.locale ?? null,
    timezone: stored?.timezone ?? null,
    createdAt: stored?.createdAt ?? item.receivedAt,
    lastSeenAt: stored?.lastSeenAt ?? item.receivedAt,
  };
  const state: State = { scope: item.scope, person, before: stored ?? null, after, isChanged: false };
  states.set(tag, state);
  return state;
};

const editsOf = (state: State): TraitsEditor => {
  state.edits ??= editTraits(state.after.traits ?? {});
  return state.edits;
};

const applyPatch = (state: State, patch: Readonly<Traits>): readonly string[] => {
  const { after } = state;
  const { changed, isTruncated: isFull } = editsOf(state).apply(patch);
  // Traits truncated at reception mark the profile as truncated too.
  const isTruncated = isFull || patch['_truncated'] === true;
  if (changed.length === 0 && (after.isTruncated || !isTruncated)) return changed;
  state.isChanged = true;
  after.isTruncated ||= isTruncated;
  return changed;
};

/** Merges an anonymous profile into the user's; the user's values win. */
const mergeProfile = (
  draft: IngestDraft,
  loaded: Loaded,
  states: Map<string, State>,
  hot: ProfileStatements,
  { scope, from, to }: { scope: InScope; from: string; to: string },
): void => {
  const state = states.get(personTag(scope, to));
  const anonymous = loaded.profiles.get(personTag(scope, from));
  if (!state || !anonymous) return;
  const { before, after } = state;
  const own = editsOf(state);
  const missing = Object.entries(anonymous.traits ?? {}).filter(([name]) => !own.has(name));
  applyPatch(state, Object.fromEntries(missing));
  if (anonymous.createdAt && anonymous.createdAt < after.createdAt && before === null)
    after.createdAt = anonymous.createdAt;
  after.locale ??= anonymous.locale;
  after.timezone ??= anonymous.timezone;
  const tag = personTag(scope, to);
  draft.people.set(personTag(scope, from), { scope, person: from, before: anonymous, after: null });
  draft.writes.push(write(hot.deleteMerged, { ...scopeOf(scope), person: from, version: anonymous.version }, tag));
};
