import { write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import { notFound } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { type ListQuery, listPage, type Page, type PageQuery, timeRange } from '../../foundation/page.ts';
import { anonymousIdOf, anonymousPerson, type Person, userIdOf, userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EventRecord } from '../events/answers.generated.ts';
import { type BoundReaction, personTag, type Reaction } from '../events/pipeline.ts';
import { type AccountProfile, putAccountProfile } from './account-profile.ts';
import type { AudienceSummary, Profile, PushToken } from './answers.generated.ts';
import type { ProfilesApiOf } from './api.ts';
import { type PeopleDraft, putTraits, type TraitsChange } from './change.ts';
import { type ProfileErasure, profileErasure } from './erase.ts';
import { type PatchDeps, patchProfile } from './patch.ts';
import type { People } from './people.ts';
import { presentPeople, reactProfiles } from './react.ts';
import { type ProfileStatements, profileStatements } from './statements.ts';
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
  userEmailOf,
  userPhoneOf,
} from './view.ts';

/** Reads of other modules that ProfilesApi returns. */
export type Histories<Message> = {
  events(scope: Scope, people: readonly string[], query?: ListQuery): Promise<Page<EventRecord>>;
  messages(scope: Scope, person: string, query?: PageQuery): Promise<Page<Message>>;
  /** Devices of a user, newest first. */
  devices(scope: Scope, person: Person): Promise<readonly PushToken[]>;
  /** Audiences of a user, newest first. */
  audiences(scope: Scope, userId: string): Promise<readonly AudienceSummary[]>;
};

/** Moves rows of a merged anonymous profile to the user. */
export type MoveRows = {
  devices(scope: InScope, from: string, to: string): Promise<void>;
  /** One step; true if more events are left. */
  events(scope: InScope, from: string, to: string): Promise<boolean>;
};

type Read<Message> = Pick<ProfilesApiOf<Message>, 'list' | 'get' | 'events' | 'sends'>;

/** Functions for other modules. */
export type Profiles = {
  /** Statements with which another module's plan may change a profile it loaded. */
  readonly hot: ProfileStatements;
  readonly load: LoadProfiles;
  /**
   * Users into which these anonymous ids were merged, by `personTag` of the anonymous profile; ids without a user are
   * omitted.
   */
  usersOf(
    keys: readonly { readonly scope: InScope; readonly anonymousId: string }[],
  ): Promise<ReadonlyMap<string, string>>;
  /** User into which an anonymous id was merged; null if there is none. */
  userOf(scope: InScope, anonymousId: string): Promise<string | null>;
  /** The profile whose phone number an operator set to this one; null if there is none. */
  personWith(scope: InScope, phone: string): Promise<string | null>;
  /** Adds what an account makes of a profile to another module's plan: see `putAccountProfile`. */
  putAccount(
    draft: PeopleDraft & { readonly now: Date },
    change: { readonly key: PersonKey; readonly stored: ProfileView | null; readonly profile: AccountProfile },
    tag: string,
  ): boolean;
  /** Adds a change of traits to another module's plan: see `putTraits`. */
  putTraits(draft: PeopleDraft & { readonly now: Date }, change: TraitsChange, tag: string): void;
  /** Stored profiles, and a guard for their versions. */
  readonly people: People;
  /** Which of these profiles exist. */
  among(scope: InScope, people: readonly string[]): Promise<ReadonlySet<string>>;
  /** True if the profile exists. */
  isKnown(scope: InScope, person: Person): Promise<boolean>;
  readonly erasure: ProfileErasure;
  /** The ingest reaction of profiles, which runs before the downstream reactions. */
  reactionBefore(downstream: readonly BoundReaction[]): Reaction<unknown>;
  /** The same position in a pipeline whose items change no profile. */
  presentBefore(downstream: readonly BoundReaction[]): Reaction<unknown>;
  /** The methods of ProfilesApi that change a profile. */
  writes(deps: Omit<PatchDeps, 'storage' | 'hot'>): Pick<ProfilesApiOf<unknown>, 'update'>;
  /** The methods of ProfilesApi that read. */
  reads<Message>(histories: Histories<Message>): Read<Message>;
  /** Merged anonymous profiles whose older events still have to move to these users, by user. */
  movingTo(scope: InScope, users: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Moves one slice of merged profiles' rows to their users; true if more is left. */
  moveMerged(moves: MoveRows): Promise<boolean>;
};

/** Aliases per step of maintenance. Chosen: a short step. */
const ALIASES_PER_STEP = 100;

const keyed = (key: PersonKey): SelectKey => [scopeKey(key), key.person];

const profileOf = (row: Omit<ProfileView, 'version'>): Profile => ({
  userId: userIdOf(row.person),
  anonymousId: anonymousIdOf(row.person),
  traits: row.traits,
  email: userEmailOf(row),
  phone: userPhoneOf(row),
  locale: localeOf(row),
  timezone: timezoneOf(row),
  createdAt: row.createdAt,
  lastSeenAt: row.lastSeenAt,
  ...(row.isTruncated ? { _truncated: true as const } : {}),
});

/** Reads, changes and merges profiles. Stateless, except that each reaction it creates has a cache. */
export const profilesEngine = ({
  storage,
  tables,
  tokenTags = async () => new Map(),
}: Pick<Platform<ProfileTables>, 'storage' | 'tables'> & {
  /** Reads locales and time zones of devices. Default: no devices. */
  readonly tokenTags?: LoadTokenTags | undefined;
}): Profiles => {
  const hot = profileStatements(tables);
  const store = profileStore({ db: storage.db, dialect: storage.dialect, tables });

  /** Adds the locale and time zone of each user's devices. */
  const withTokenTags = <Row extends PersonKey>(rows: readonly Row[], tags: Awaited<ReturnType<LoadTokenTags>>) =>
    rows.map((row) => {
      const deviceTags = tags.get(personKey(row));
      return { ...row, tokenLocale: deviceTags?.locale, tokenTimezone: deviceTags?.timezone };
    });
  const rowsOf = async (keys: readonly PersonKey[]) => {
    const [rows, tags] = await Promise.all([storage.select(hot.full, keys.map(keyed)), tokenTags(keys)]);
    return withTokenTags(rows, tags);
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
    hot,
    load,
    usersOf: async (keys) => {
      const rows = await storage.select(
        hot.aliasesOf,
        keys.map(({ scope, anonymousId }) => [scopeKey(scope), anonymousId]),
      );
      return new Map(rows.map((row) => [personTag(row, anonymousPerson(row.anonymousId)), row.userId]));
    },
    userOf: async ({ scopeId }, anonymousId) =>
      (await storage.select(hot.aliasesOf, [[scopeId, anonymousId]]))[0]?.userId ?? null,
    personWith: async (scope, phone) => {
      const [row] = await storage.select(hot.withPhone, [[scopeKey(scope), phone]]);
      return row?.person ?? null;
    },
    putTraits: (draft, change, tag) => putTraits(draft, hot, change, tag),
    putAccount: (draft, change, tag) => putAccountProfile(draft, hot, change, tag),
    people: {
      load: (keys) => storage.select(hot.full, keys.map(keyed)),
      loadPublic: async (keys) => (await rowsOf(keys)).map(profileOf),
      versions: (keys) => storage.select(hot.versions, keys.map(keyed)),
      usersOf: (anonymous) => storage.select(hot.aliasesOf, anonymous),
      usersAfter: (scope, after, limit) =>
        store.listUsers(scope, { person: undefined, fromMs: null, toMs: null }, { after: after ?? null, limit }),
      bumpVersion: ({ person, version, ...scope }, tag) =>
        write(hot.bumpVersion, { ...scopeOf(scope), person, version }, tag),
    },
    among: store.among,
    isKnown: async (scope, person) => (await store.among(scope, [person])).has(person),
    erasure: profileErasure({ store, read: async (key) => (await rowsOf([key]))[0] }),
    reactionBefore: (downstream) => reactProfiles(storage, hot, downstream),
    presentBefore: (downstream) => presentPeople(storage, hot, downstream),
    writes: (deps) => {
      const patch = patchProfile({ storage, hot, ...deps });
      return {
        update: async (scope, userId, input) => {
          const row = await patch(scope, userId, input);
          const [tags = row] = withTokenTags([row], await tokenTags([row]));
          return profileOf(tags);
        },
      };
    },
    reads: <Message>(histories: Histories<Message>): Read<Message> => ({
      list: async (scope, query = {}) => {
        const person = query.userId === undefined ? undefined : userPerson(query.userId);
        const filter = { person, ...timeRange(query) };
        const { data, pagination } = await listPage(query, {
          binding: `profiles/${scopeKey(scope)}/${stableJson(filter)}`,
          read: (place) => store.listUsers(scope, filter, place),
          count: () => store.countUsers(scope, filter),
          positionOf: ({ person: position }) => position,
        });
        return { data: withTokenTags(data, await tokenTags(data)).map(profileOf), pagination };
      },
      get: async (scope, userId) => ({
        ...profileOf(await get(scope, userId)),
        tokens: await histories.devices(scope, userPerson(userId)),
        audiences: await histories.audiences(scope, userId),
      }),
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
    movingTo: async (scope, users) => {
      const rows = await store.movingTo(
        scope,
        users.flatMap((person) => userIdOf(person) ?? []),
      );
      const moving = Map.groupBy(rows, ({ userId }) => userPerson(userId));
      return new Map([...moving].map(([user, own]) => [user, own.map((row) => anonymousPerson(row.anonymousId))]));
    },
    moveMerged: async (moves) => {
      const moving = await store.movingOfAll(ALIASES_PER_STEP);
      let isMore = moving.length === ALIASES_PER_STEP;
      for (const alias of moving) {
        const { anonymousId, userId } = alias;
        const [from, to] = [anonymousPerson(anonymousId), userPerson(userId)];
        await moves.devices(scopeOf(alias), from, to);
        if (await moves.events(scopeOf(alias), from, to)) isMore = true;
        else await store.moved(alias);
      }
      return isMore;
    },
  };
};
