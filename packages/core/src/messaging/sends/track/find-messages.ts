// Finds messages of provider callbacks by the provider's or Beckon's id. Across tenants, because a callback names no
// scope: the result only selects the secrets that verify the callback.

import { bulkGreatest, bulkSelect } from '../../../database/statements/bulk.ts';
import type { Storage } from '../../../database/storage.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import type { SendingTables } from '../tables.ts';

const SHOWN = ['scopeId', 'id', 'sendId', 'channel', 'person', 'address', 'providerId'] as const;

/** A message of a callback. */
type Found = InScope & {
  readonly id: string;
  readonly sendId: string;
  readonly channel: Channel;
  readonly person: string | null;
  readonly address: string | null;
  readonly providerId: string | null;
};

export type MessageFinder = {
  /** The newest text message to a number, in each scope that has one. One statement. */
  newestTo(
    scopes: readonly InScope[],
    number: string,
  ): Promise<readonly (InScope & { readonly id: string; readonly person: string | null })[]>;
  /** The scopes, among these, with a message of this id. One statement. */
  scopesOf(scopes: readonly InScope[], id: string): Promise<readonly InScope[]>;
  /** Messages of all tenants by provider ids. One statement. */
  byProviderIdsOfAll(channel: Channel, ids: readonly string[]): Promise<readonly Found[]>;
  /** Messages of one scope by Beckon's ids. One statement. */
  byIds(scope: InScope, channel: Channel, ids: readonly string[]): Promise<readonly Found[]>;
};

export const messageFinder = ({
  storage,
  tables: { messages },
}: {
  readonly storage: Pick<Storage, 'select'>;
  readonly tables: SendingTables;
}): MessageFinder => {
  const byProviderId = bulkSelect(
    'sending.messages_by_provider_id',
    messages,
    ['providerId'],
    SHOWN,
    // The literal of the index.
    (name) => `${name('channel')} <> 'push'`,
  );
  const newestTo = bulkGreatest(
    'sending.newest_to_number',
    messages,
    ['scopeId', 'address'],
    ['scopeId', 'id', 'person'],
    'id',
    // The literal of the index.
    (name) => `${name('channel')} = 'sms'`,
  );
  const byId = bulkSelect('sending.messages_by_id', messages, ['scopeId', 'id'], SHOWN);
  return {
    newestTo: (scopes, number) =>
      storage.select(
        newestTo,
        scopes.map((scope) => [scopeKey(scope), number]),
      ),
    scopesOf: async (scopes, id) => {
      const rows = await storage.select(
        byId,
        scopes.map((scope) => [scopeKey(scope), id]),
      );
      return rows.map(({ scopeId }) => ({ scopeId }));
    },
    byProviderIdsOfAll: async (channel, ids) => {
      const keys = ids.filter((id) => !id.includes('\0')).map((id) => [id.toWellFormed()]);
      const rows = await storage.select(byProviderId, keys);
      return rows.filter((row) => row.channel === channel);
    },
    byIds: async (scope, channel, ids) => {
      const rows = await storage.select(
        byId,
        ids.map((id) => [scopeKey(scope), id]),
      );
      return rows.filter((row) => row.channel === channel);
    },
  };
};
