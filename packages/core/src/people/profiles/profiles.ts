import { type Write, write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { notFound } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { type ListQuery, listPage, type Page, type PageQuery, timeRange } from '../../foundation/page.ts';
import { anonymousIdOf, anonymousPerson, userIdOf, userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { EventRecord } from '../events/api.ts';
import { type BoundReaction, personTag } from '../events/pipeline.ts';
import type { Profile, ProfilesApiOf } from './api.ts';
import { type PeopleDraft, putTraits, type TraitsChange } from './change.ts';
import { profileErasure } from './erase.ts';
import { type PatchDeps, patchProfile } from './patch.ts';
import { presentPeople, reactProfiles } from './react.ts';
import { profileStatements } from './statements.ts';
import { profileStore } from './store.ts';
import type { ProfileTables } from './tables.ts';
import {
  type LoadProfiles,
  type LoadTokenTags,
  localeOf,
  type PersonKey,
  type ProfileView,
  personKey,
  timezoneOf,
} from './view.ts';

export type ProfilesDeps = {
  readonly storage: Storage;
  readonly tables: ProfileTables;
  /** What devices say of people; absent: nothing. */
  readonly tokenTags?: LoadTokenTags | undefined;
};

/** What reading a person's history needs of the engines that keep it. */
export type Histories<Message> = {
  events(scope: Scope, people: readonly string[], query?: ListQuery): Promise<Page<EventRecord>>;
  messages(scope: Scope, person: string, query?: PageQuery): Promise<Page<Message>>;
  moveEvents(scope: InScope, from: string, to: string): Promise<boolean>;
};

/** Aliases looked at per step of maintenance; ours. */
const MOVING = 100;

const keyed = (key: PersonKey): SelectKey => [scopeKey(key), key.person];

const profileOf = (row: Omit<ProfileView, 'version'>): Profile => ({
  userId: userIdOf(row.person),
  anonymousId: anonymousIdOf(row.person),
  traits: row.traits,
  email: row.email,
  phone: row.phone,
  locale: localeOf(row),
  timezone: timezoneOf(row),
  createdAt: row.createdAt,
  lastSeenAt: row.lastSeenAt,
  ...(row.isTruncated ? { _truncated: true as const } : {}),
});

/** People: their part in ingest, and what is known of them. */
export const profilesEngine = ({ storage, tables, tokenTags = async () => new Map() }: ProfilesDeps) => {
  const hot = profileStatements(tables);
  const store = profileStore({ db: storage.db, dialect: storage.dialect, tables });

  /** With what the devices of each say. */
  const told = <Row extends PersonKey>(rows: readonly Row[], tags: Awaited<ReturnType<LoadTokenTags>>) =>
    rows.map((row) => {
      const said = tags.get(personKey(row));
      return { ...row, tokenLocale: said?.locale, tokenTimezone: said?.timezone };
    });
  const rowsOf = async (keys: readonly PersonKey[]) => {
    const [rows, tags] = await Promise.all([storage.select(hot.full, keys.map(keyed)), tokenTags(keys)]);
    return told(rows, tags);
  };
  const get = async (scope: Scope, userId: string) => {
    const [row] = await rowsOf([{ ...scopeOf(scope), person: userPerson(userId) }]);
    if (!row) throw notFound('profile of this userId', scope);
    return row;
  };

  const load: LoadProfiles = async (keys, { tags } = { tags: true }) => {
    const rows: readonly ProfileView[] = await (tags ? rowsOf(keys) : storage.select(hot.full, keys.map(keyed)));
    return new Map(rows.map((row) => [personKey(row), row]));
  };

  return {
    /** The statements that another engine's plan may use to change a profile it has loaded. */
    hot,
    load,
    /** Who these anonymous people turned out to be, by `personTag` of the anonymous person; missing: nobody so far. */
    usersOf: async (keys: readonly { readonly scope: InScope; readonly anonymousId: string }[]) => {
      const rows = await storage.select(
        hot.aliasesOf,
        keys.map(({ scope, anonymousId }) => [scopeKey(scope), anonymousId]),
      );
      return new Map(rows.map((row) => [personTag(row, anonymousPerson(row.anonymousId)), row.userId]));
    },
    /** Who has this number on their profile, as an operator set it; null: nobody. */
    personWith: async (scope: InScope, phone: string): Promise<string | null> => {
      const [row] = await storage.select(hot.withPhone, [[scopeKey(scope), phone]]);
      return row?.person ?? null;
    },
    /** "This person's traits become X", in another engine's plan: `putTraits`. */
    putTraits: (draft: PeopleDraft & { readonly now: Date }, change: TraitsChange, tag: string): void =>
      putTraits(draft, hot, change, tag),
    /** People for whoever judges them: as they are stored, and a guard that they stay so. */
    people: {
      whole: (keys: readonly PersonKey[]) => storage.select(hot.full, keys.map(keyed)),
      shown: async (keys: readonly PersonKey[]) => (await rowsOf(keys)).map(profileOf),
      versions: (keys: readonly PersonKey[]) => storage.select(hot.versions, keys.map(keyed)),
      usersOf: (anonymous: readonly SelectKey[]) => storage.select(hot.aliasesOf, anonymous),
      usersAfter: (scope: InScope, after: string | undefined, limit: number) =>
        store.listUsers(scope, { person: undefined, fromMs: null, toMs: null }, { after: after ?? null, limit }),
      hold: ({ person, version, ...scope }: PersonKey & { readonly version: number }, tag: string): Write =>
        write(hot.hold, { ...scopeOf(scope), person, version }, tag),
    },
    /** Which of these people have a profile. */
    among: store.among,
    erasure: profileErasure({ store, read: async (key) => (await rowsOf([key]))[0] }),
    reaction: reactProfiles(storage, hot),
    /** The part of profiles in ingest, in front of the reactions that read what it publishes. */
    reactionBefore: (behind: readonly BoundReaction[]) => reactProfiles(storage, hot, behind),
    /** The same place in a pipeline of items that change nobody. */
    presentBefore: (behind: readonly BoundReaction[]) => presentPeople(storage, hot, behind),
    /** Of ProfilesApi what changes a profile. */
    writes: (deps: Omit<PatchDeps, 'storage' | 'hot'>): Pick<ProfilesApiOf<unknown>, 'patch'> => {
      const patch = patchProfile({ storage, hot, ...deps });
      return {
        patch: async (scope, userId, input) => {
          const row = await patch(scope, userId, input);
          const [said = row] = told([row], await tokenTags([row]));
          return profileOf(said);
        },
      };
    },
    /** What ProfilesApi reads, over the engines that keep a person's history. */
    reads: <Message>(
      histories: Pick<Histories<Message>, 'events' | 'messages'>,
    ): Omit<ProfilesApiOf<Message>, 'patch' | 'erase' | 'erasure' | 'placeholders'> => ({
      list: async (scope, query = {}) => {
        const person = query.userId === undefined ? undefined : userPerson(query.userId);
        const filter = { person, ...timeRange(query) };
        const { data, pagination } = await listPage(query, {
          binding: `profiles/${scopeKey(scope)}/${stableJson(filter)}`,
          read: (place) => store.listUsers(scope, filter, place),
          count: () => store.countUsers(scope, filter),
          positionOf: ({ person: position }) => position,
        });
        return { data: told(data, await tokenTags(data)).map(profileOf), pagination };
      },
      get: async (scope, userId) => profileOf(await get(scope, userId)),
      events: async (scope, userId, query) => {
        await get(scope, userId);
        const anonymous = await store.anonymousIdsOf(scope, userId);
        return histories.events(scope, [userPerson(userId), ...anonymous.map(anonymousPerson)], query);
      },
      sends: async (scope, userId, query) => {
        await get(scope, userId);
        return histories.messages(scope, userPerson(userId), query);
      },
    }),
    /** Those anonymous whose older events are still to become these users', as keys of people, by whose. */
    movingTo: async (scope: InScope, users: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
      const rows = await store.movingTo(
        scope,
        users.flatMap((person) => userIdOf(person) ?? []),
      );
      const moving = Map.groupBy(rows, ({ userId }) => userPerson(userId));
      return new Map([...moving].map(([user, own]) => [user, own.map((row) => anonymousPerson(row.anonymousId))]));
    },
    /** One step of moving the events of merged people; true when more are left. */
    moveMerged: async (histories: Pick<Histories<unknown>, 'moveEvents'>): Promise<boolean> => {
      const moving = await store.movingOfAll(MOVING);
      let isMore = moving.length === MOVING;
      for (const alias of moving) {
        const { anonymousId, userId } = alias;
        const left = await histories.moveEvents(scopeOf(alias), anonymousPerson(anonymousId), userPerson(userId));
        if (left) isMore = true;
        else await store.moved(alias);
      }
      return isMore;
    },
  };
};
