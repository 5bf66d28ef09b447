// The suppression list of each channel: unusable addresses and reasons. A batch of messages reads its entries with one
// statement. Operators change entries here; other modules write them in their own transactions.

import { type Write, write } from '../../database/commit/write-set.ts';
import { addressText } from '../../foundation/address-text.ts';
import type { Channel } from '../../foundation/channel.ts';
import { mailAddress } from '../../foundation/email-address.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { idOf, listPage, timeRange } from '../../foundation/page.ts';
import { phoneNumber } from '../../foundation/phone-number.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { type Eraser, sliced } from '../../platform/erasure/eraser.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AddressState, ChannelPort } from '../sends/channel.ts';
import { EVERY_SENDER, LIST_REASONS, type Listed } from '../sends/listed.ts';
import type { Suppression } from './answers.generated.ts';
import type { SuppressionQuery, SuppressionsApi } from './api.ts';
import { additions, LIST_CHANNELS, type ListChannel, removals } from './schema.ts';
import { suppressionStatements } from './statements.ts';
import { type SuppressionRow, suppressionStore } from './store.ts';
import type { SuppressionTables } from './tables.ts';
import { KEY_OF, type ListEntry, listRow, type NewListEntry, restoringWrites, suppressionWrites } from './writes.ts';

/** What other modules use of suppression lists. */
export type Suppressions = {
  readonly api: SuppressionsApi;
  /** Reads the entries of a batch's addresses, for a channel: one statement. */
  states(channel: ListChannel): NonNullable<ChannelPort<unknown>['states']>;
  /** Guard for a handover: the address has the entries that `states` read, and no others. Pure. */
  assertUnchanged(
    recipient: InScope & { readonly channel: Channel; readonly address: string | null },
    state: Pick<AddressState, 'listed'> | null,
  ): Write[];
  /** Writes that add entries, for another module's commit; an existing entry stays unchanged. Pure. */
  writes(entries: readonly NewListEntry[]): Write[];
  /** Writes that remove entries, for another module's commit. Pure. */
  restoring(entries: readonly ListEntry[]): Write[];
  /** Deletes the entries of an erased person's addresses, which may be written to again. */
  readonly eraser: Eraser;
};

/** Canonical form of an address; null if invalid. */
const READ = { email: mailAddress, sms: phoneNumber } as const satisfies Record<ListChannel, unknown>;

const viewOf = (row: SuppressionRow): Suppression => ({
  channel: row.channel,
  address: row.addressKey,
  reason: row.reason,
  sender: row.sender === EVERY_SENDER ? null : row.sender,
  source: row.source,
  messageId: row.messageId,
  createdAt: row.createdAt,
});

const addressesOf = (body: { address?: string | undefined; addresses?: readonly string[] | undefined }) => [
  ...(body.addresses ?? []),
  ...(body.address === undefined ? [] : [body.address]),
];
const senderOf = (body: object): string | null =>
  'sender' in body && typeof body.sender === 'string' ? body.sender : null;

export const suppressionsEngine = ({
  storage,
  tables,
  clock,
}: Pick<Platform<SuppressionTables>, 'storage' | 'tables' | 'clock'>): Suppressions => {
  const hot = suppressionStatements(tables);
  const store = suppressionStore({ db: storage.db, tables });

  const states: Suppressions['states'] = (channel) => async (messages) => {
    const keyOf = (scope: InScope, address: string): string => `${scopeKey(scope)}/${address}`;
    const keys = new Map(
      messages.map((one) => {
        const address = KEY_OF[channel](one.address);
        return [keyOf(one, address), [scopeKey(one), channel, address] as const];
      }),
    );
    const rows = await storage.select(hot.ofAddress, [...keys.values()]);
    if (rows.length === 0) return new Map();
    const found = Map.groupBy(rows, (row) => keyOf(row, row.addressKey));
    return new Map(
      messages.flatMap((one): [string, AddressState][] => {
        const listed: readonly Listed[] | undefined = found.get(keyOf(one, KEY_OF[channel](one.address)));
        return listed ? [[one.id, { unusable: null, timezone: null, locale: null, listed }]] : [];
      }),
    );
  };

  const listChannels: readonly string[] = LIST_CHANNELS;
  const isListChannel = (channel: Channel): channel is ListChannel => listChannels.includes(channel);

  const filterOf = (channel: ListChannel, query: SuppressionQuery = {}) => {
    const { reason } = query;
    const listReason = LIST_REASONS.find((one) => one === reason) ?? null;
    if (reason !== undefined && listReason === null)
      throw validationError({ reason: [`must be one of ${LIST_REASONS.join(', ')}`] });
    return {
      address: query.address === undefined ? null : KEY_OF[channel](READ[channel](query.address) ?? query.address),
      reason: listReason,
      sender: query.sender === undefined ? null : addressText(query.sender),
      ...timeRange(query),
    };
  };

  const api: SuppressionsApi = {
    list: async (scope, channel, query = {}) => {
      const filter = filterOf(channel, query);
      const { data, pagination } = await listPage(query, {
        binding: stableJson(['suppressions', scopeKey(scope), channel, filter]),
        read: (place) => store.list(scope, channel, filter, place),
        count: () => store.count(scope, channel, filter),
        positionOf: idOf,
      });
      return { data: data.map(viewOf), pagination };
    },
    add: async (scope, channel, body) => {
      const parsed = additions[channel].safeParse(body);
      if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
      const at = clock.now();
      const common = { ...scopeOf(scope), channel, source: 'api', messageId: null, at } as const;
      const sender = senderOf(parsed.data) ?? EVERY_SENDER;
      const { reason } = parsed.data;
      const rows = new Map(
        addressesOf(parsed.data).map((address) => {
          const row = listRow({ ...common, address, sender, reason });
          return [row.addressKey, row];
        }),
      );
      const added = await store.add([...rows.values()].sort((a, b) => (a.addressKey < b.addressKey ? -1 : 1)));
      return { added, existing: rows.size - added };
    },
    remove: async (scope, channel, body) => {
      const parsed = removals[channel].safeParse(body);
      if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
      const addresses = addressesOf(parsed.data).map(KEY_OF[channel]);
      const { reason = null } = parsed.data;
      return { removed: await store.remove(scope, channel, { addresses, reason, sender: senderOf(parsed.data) }) };
    },
  };

  return {
    api,
    states,
    assertUnchanged: ({ channel, address, ...scope }, state) => {
      if (address === null || !isListChannel(channel)) return [];
      const key = { ...scopeOf(scope), channel, addressKey: KEY_OF[channel](address) };
      return [write(hot.precondition, { ...key, count: state?.listed?.length ?? 0 })];
    },
    writes: (entries) => suppressionWrites(hot, entries),
    restoring: (entries) => restoringWrites(hot, entries),
    eraser: sliced('suppressions', async ({ scope, addresses }) => {
      const keys = [...new Set(addresses.flatMap((address) => [KEY_OF.email(address), KEY_OF.sms(address)]))];
      return keys.length === 0 ? 0 : store.erase(scope, keys);
    }),
  };
};
