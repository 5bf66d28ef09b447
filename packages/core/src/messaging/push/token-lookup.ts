import type { PushMessage } from '../../delivery/transports/port.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import { userPerson } from '../../foundation/person.ts';
import { type InScope, type ScopeDirectory, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Platform as CorePlatform } from '../../platform/platform.ts';
import {
  type Address,
  type AddressState,
  type ChannelPort,
  type Loaded,
  recipientKey,
  type Target,
} from '../sends/channel.ts';
import { CHUNK_ADDRESSES, type Recipient } from '../sends/schema.ts';
import type { AddressText } from '../sends/selection.ts';
import type { PushContent } from './content.ts';
import { platformOf, tokenKey } from './device-token.ts';
import { activityIn } from './live-activities/content.ts';
import { MOST_TOKENS, pushStatements, tokensText } from './statements.ts';
import { pushStore, type SendableRow } from './store.ts';
import type { PushTables } from './tables.ts';

/** Dependencies of reading tokens. */
export type TokenLookup = Pick<CorePlatform<PushTables>, 'storage' | 'tables'> & { readonly scopes: ScopeDirectory };

type User = Target & { readonly recipient: { readonly kind: 'user' } };
type Raw = Target & { readonly recipient: { readonly kind: 'address' } };
const isUser = (one: Target): one is User => one.recipient.kind === 'user';
const isRaw = (one: Target): one is Raw => one.recipient.kind === 'address';

/** Result of `load` for a user with inactive tokens only; compared by identity with other empty lists. */
export const ONLY_INACTIVE: readonly Address[] = Object.freeze([]);

const addressOf = ({ id, platform, token, apnsEnvironment }: Omit<SendableRow, 'person'>): Address => ({
  address: token,
  name: null,
  facts: { platform, tokenId: id, ...(apnsEnvironment === null ? {} : { apnsEnvironment }) },
});

/** The address of an unregistered token. */
export const rawAddress = (token: string): Address => ({
  address: token,
  name: null,
  facts: { platform: platformOf(token) },
});

/** The platforms of a push; undefined: all. */
export const platformsIn = (content: Readonly<Record<string, unknown>>): readonly Platform[] | undefined =>
  // Safe: a request of channel push has the content that parsePushSend made, and content is immutable.
  (content as PushContent).platforms;

/** Makes the reads of the channel: addresses, their number, and their current state. */
export const pushTokenLookup = ({ storage, tables, scopes }: TokenLookup) => {
  const hot = pushStatements(tables);
  const store = pushStore({ db: storage.db, tables });

  /** All raw tokens, with their rows if they are registered in this scope. */
  const devicesOf = async (raw: readonly Raw[]): Promise<Map<string, Address>> => {
    if (raw.length === 0) return new Map();
    const scopeAt = await scopes.load(raw.map(scopeKey));
    const keys = raw.map(({ scopeId, recipient }) => tokenKey(scopeAt(scopeId).orgId, recipient.address));
    const rows = await storage.select(
      hot.devices,
      raw.map((one, at) => [scopeKey(one), keys[at] ?? '']),
    );
    const rowOf = new Map(rows.map((row) => [`${scopeKey(row)}/${row.tokenKey}`, row]));
    return new Map(
      raw.map((one, at) => {
        const row = rowOf.get(`${scopeKey(one)}/${keys[at]}`);
        return [recipientKey(one), row ? addressOf(row) : rawAddress(one.recipient.address)];
      }),
    );
  };

  const windowOf = async ({ recipient, ...scope }: User, after: string | null, limit: number): Promise<Loaded> => {
    const rows = await store.activeAfter(scope, userPerson(recipient.userId), after, limit + 1);
    const shown = rows.slice(0, limit);
    return {
      found: new Map([[recipientKey({ ...scope, recipient }), shown.map(addressOf)]]),
      next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  };

  /** The users, among these without active tokens, who have inactive ones. */
  const inactiveOf = async (users: readonly User[]): Promise<string[]> => {
    const groups = Map.groupBy(users, (user) => scopeKey(user));
    const lists = await Promise.all(
      [...groups.values()].map(async (group) => {
        const [one] = group;
        if (!one) return [];
        const people = new Map(group.map((user) => [userPerson(user.recipient.userId) as string, recipientKey(user)]));
        const found = await store.withInactive(scopeOf(one), [...people.keys()]);
        return found.flatMap((person) => people.get(person) ?? []);
      }),
    );
    return lists.flat();
  };

  const texts = new Map<string, AddressText>();

  return {
    selection: (content) => {
      if (activityIn(content)) return null;
      const platforms = platformsIn(content);
      const key = platforms?.toSorted().join() ?? '';
      const text = texts.get(key) ?? tokensText(tables, platforms);
      texts.set(key, text);
      return text;
    },

    load: async (targets, { after, limit }) => {
      const most = Math.min(limit, MOST_TOKENS - 1);
      const users = [...new Map(targets.filter(isUser).map((user) => [recipientKey(user), user])).values()];
      const [first] = users;
      if (first && after !== null) return windowOf(first, after, most);
      const [rows, devices] = await Promise.all([
        storage.select(
          hot.activeOf,
          users.map((user) => [scopeKey(user), userPerson(user.recipient.userId)]),
        ),
        devicesOf(targets.filter(isRaw)),
      ]);
      if (rows.length + devices.size > most) return first && targets.length === 1 ? windowOf(first, null, most) : null;
      const found = new Map<string, readonly Address[]>([...devices].map(([key, address]) => [key, [address]]));
      const byPerson = Map.groupBy(rows, (row) => `${scopeKey(row)}/${row.person}`);
      for (const user of users) {
        const tokens = byPerson.get(`${scopeKey(user)}/${userPerson(user.recipient.userId)}`);
        if (tokens) found.set(recipientKey(user), tokens.sort((a, b) => (a.id < b.id ? -1 : 1)).map(addressOf));
      }
      const without = users.filter((user) => !found.has(recipientKey(user)));
      for (const key of await inactiveOf(without)) found.set(key, ONLY_INACTIVE);
      return { found, next: null };
    },

    count: async (scope: InScope, recipients: readonly Recipient[], content: Readonly<Record<string, unknown>>) => {
      const targets = recipients.map((recipient): Target => ({ ...scopeOf(scope), recipient }));
      const users = targets.filter(isUser).map(({ recipient }) => userPerson(recipient.userId));
      const raw = targets.filter(isRaw);
      const [rows, devices] = await Promise.all([
        users.length === 0 ? [] : store.counts(scope, [...new Set(users)]),
        devicesOf(raw),
      ]);
      const requested = platformsIn(content);
      const platforms = new Set<Platform>();
      const tokensOf = new Map<string, number>();
      for (const { person, platform, tokens } of rows) {
        if (person === null || requested?.includes(platform) === false) continue;
        platforms.add(platform);
        tokensOf.set(person, (tokensOf.get(person) ?? 0) + tokens);
      }
      for (const { facts } of devices.values()) if (facts.platform) platforms.add(facts.platform);
      // A user without a token is one message, which gives the reason.
      const ofUsers = users.reduce((sum, person) => sum + (tokensOf.get(person) ?? 1), 0);
      const large = recipients.filter(
        (one) => one.kind === 'user' && (tokensOf.get(userPerson(one.userId)) ?? 0) > CHUNK_ADDRESSES,
      );
      return { total: ofUsers + raw.length, platforms: [...platforms], large };
    },

    states: async (messages) => {
      const held = messages.filter(({ facts }) => facts.tokenId !== undefined);
      const keys = held.map((one) => [scopeKey(one), one.facts.tokenId ?? '']);
      const rows = await storage.select(hot.states, keys);
      const stored = new Map(rows.map((row) => [row.id, row]));
      return new Map(
        held.map((one): [string, AddressState] => {
          const { id, person, facts } = one;
          const found = stored.get(facts.tokenId ?? '');
          const row = found?.scopeId === one.scopeId ? found : undefined;
          // Raw tokens have no user and are sent to whatever their rows say. Source: interface, Send request body.
          // Other devices may have another user by now.
          const isUsable = person === null || (row?.isActive === true && row.person === person);
          if (!isUsable) return [id, { unusable: 'token_inactive', timezone: null, locale: null }];
          return [id, { unusable: null, timezone: row?.timezone ?? null, locale: row?.locale ?? null }];
        }),
      );
    },
  } satisfies Partial<ChannelPort<PushMessage>>;
};
