import { rankOf } from '../../database/commit/commit-order.ts';
import {
  bulkDelete,
  bulkGreatest,
  bulkInsert,
  bulkSelect,
  bulkUpdate,
  type ColumnName,
} from '../../database/statements/bulk.ts';
import { quotedTable } from '../../database/statements/codec.ts';
import { jsonText } from '../../database/statements/sql-text.ts';
import { PLATFORMS, type Platform } from '../../foundation/device-platform.ts';
import { CHUNK_ADDRESSES } from '../sends/schema.ts';
import type { AddressText } from '../sends/selection.ts';
import { TOKEN_FIELDS } from './schema.ts';
import type { PushTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;
const DEVICE = [...SCOPE, 'tokenKey'] as const;

/** Columns of an existing row that a registration changes if it names them. */
const CHANGEABLE = [...TOKEN_FIELDS, 'isActive'] as const;
type Changed = (typeof CHANGEABLE)[number];

/** Columns that every registration writes. */
const ALWAYS = ['platform', 'token', 'updatedAt', 'registeredAt'] as const;
const COLUMNS = [...KEY, 'tokenKey', 'platform', 'token', ...TOKEN_FIELDS, 'isActive', 'createdAt'] as const;

/** Active tokens of users, for some or all platforms, as SQL text for statements of other modules. Throws nothing. */
export const tokensText = ({ pushTokens }: PushTables, platforms: readonly Platform[] | undefined): AddressText => {
  const table = quotedTable(pushTokens);
  const active = 'a."is_active" = true';
  // Constants of a closed list; the request was validated against it.
  const quotedPlatforms = PLATFORMS.filter((platform) => platforms?.includes(platform)).map(
    (platform) => `'${platform}'`,
  );
  // One lookup per user: with EXISTS, PostgreSQL would read the tokens of all users.
  const best =
    `select max(case when o."is_active" = true then 2 else 1 end) from ${table} as o ` +
    'where o."scope_id" = m."scope_id" and o."person" = m."person"';
  return {
    table,
    where: platforms === undefined ? active : `${active} and a."platform" in (${quotedPlatforms.join(', ')})`,
    order: 'a."id"',
    address: 'a."token"',
    tokenId: 'a."id"',
    facts: (context) => jsonText(context, ['platform', 'a."platform"'], ['apnsEnvironment', 'a."apns_environment"']),
    none: `case (${best}) when 1 then 'token_inactive' else 'no_token' end`,
  };
};

/** Maximum tokens read for several users: one expansion chunk, and one more that shows that there are others. */
export const MOST_TOKENS = CHUNK_ADDRESSES + 1;

/** Statements of registration, sending and outcomes. */
export const pushStatements = ({ pushTokens, tokenOwners }: PushTables) => {
  const columns = [...COLUMNS, 'updatedAt', 'registeredAt'] as const;
  const insert = (id: string, set: readonly Changed[]) =>
    bulkInsert(id, pushTokens, columns, {
      conflict: { target: DEVICE, set: [...ALWAYS, ...set] },
      rank: rankOf('push.upsert'),
    });
  type Upsert = ReturnType<typeof insert>;
  const upserts = new Map<string, Upsert>();
  // Compares the existing row with the row to insert, which both databases call `excluded`.
  const isHere = (column: ColumnName): string => `${column('scope_id')} = excluded."scope_id"`;

  return {
    /**
     * Makes the scope the owner of a new device, and locks the row of a device that the scope already owns. Guarded:
     * fails for a device of another project or environment. Every registration writes this row first.
     */
    claimOwner: bulkInsert('push.own', tokenOwners, ['tokenKey', 'scopeId', 'id'], {
      conflict: { target: ['tokenKey'], set: ['scopeId'], when: isHere },
      isGuarded: true,
      isOrdered: true,
    }),
    /** Gives a device to another scope. Guarded: another registration may have moved it first. */
    changeOwner: bulkUpdate('push.change_owner', tokenOwners, {
      where: ['tokenKey', 'scopeId'],
      set: { scopeId: 'value' },
      isGuarded: true,
    }),
    /** Removes a device from the scope that it leaves. Guarded: it may have changed since it was read. */
    leave: bulkDelete('push.leave', pushTokens, { where: [...KEY, 'registeredAt', 'isActive'], isGuarded: true }),
    /** Adds a device to the scope that it moves to, with the values that it keeps. */
    arrive: bulkInsert('push.arrive', pushTokens, [...columns, 'lastError'], {
      conflict: { target: DEVICE, set: [...ALWAYS, ...CHANGEABLE, 'createdAt', 'lastError'] },
    }),
    /**
     * Inserts a device, or updates the named fields of an existing one in the same scope; `id` and `createdAt` stay,
     * and so does `isActive` unless it is named.
     */
    upsert: (changed: readonly Changed[]): Upsert => {
      const name = CHANGEABLE.filter((field) => changed.includes(field)).join('_');
      const cached = upserts.get(name);
      if (cached) return cached;
      const made = insert(`push.upsert_${name || 'nothing'}`, changed);
      upserts.set(name, made);
      return made;
    },
    /** Moves devices of an anonymous user to the identified user. */
    follow: bulkUpdate('push.follow', pushTokens, { where: [...SCOPE, 'person'], set: { person: 'value' } }),
    /** Guarded: a token that registered again, or is already inactive, stays unchanged. */
    deactivate: bulkUpdate('push.deactivate', pushTokens, {
      where: [...KEY, 'registeredAt'],
      set: { isActive: 'value', lastError: 'value', updatedAt: 'value' },
      when: (column) => `${column('is_active')} = true`,
      isGuarded: true,
    }),
    /** Stores which APNs host knows a token. */
    learn: bulkUpdate('push.learn', pushTokens, { where: [...KEY, 'registeredAt'], set: { apnsEnvironment: 'value' } }),

    owners: bulkSelect('push.owners', tokenOwners, ['tokenKey'], ['tokenKey', 'scopeId', 'id']),
    devices: bulkSelect('push.devices', pushTokens, DEVICE, [...COLUMNS, 'updatedAt', 'registeredAt', 'lastError']),
    /** At most `MOST_TOKENS` rows. */
    activeOf: bulkSelect(
      'push.active_of',
      pushTokens,
      [...SCOPE, 'person'],
      [...KEY, 'person', 'platform', 'token', 'apnsEnvironment'],
      (column) => `${column('is_active')} = true`,
      MOST_TOKENS,
    ),
    /** The newest active device of each user. */
    newestOf: bulkGreatest(
      'push.newest_of',
      pushTokens,
      [...SCOPE, 'person'],
      [...SCOPE, 'person', 'locale', 'timezone'],
      'id',
      (column) => `${column('is_active')} = true`,
    ),
    /** Current state of devices that messages go to. */
    states: bulkSelect('push.states', pushTokens, KEY, [...KEY, 'person', 'isActive', 'timezone', 'locale']),
    /** The columns that an answer may change. */
    current: bulkSelect('push.known', pushTokens, KEY, [...KEY, 'person', 'platform', 'isActive', 'registeredAt']),
  };
};
