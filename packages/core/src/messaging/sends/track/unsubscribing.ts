// Identifies the message through which a recipient unsubscribes.

import { type Write, write } from '../../../database/commit/write-set.ts';
import { bulkSelect, bulkUpdate } from '../../../database/statements/bulk.ts';
import type { Storage } from '../../../database/storage.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { SendingTables } from '../tables.ts';

const KEY = ['scopeId', 'id'] as const;

/** The recipient, channel and category of a message. */
export type Recipient = InScope & {
  readonly messageId: string;
  readonly channel: Channel;
  /** Null: the address has no user. */
  readonly person: string | null;
  readonly address: string | null;
  readonly category: string | null;
};

export type Unsubscribing = {
  /** Null: the message no longer exists. */
  recipientOf(scope: InScope, messageId: string): Promise<Recipient | null>;
  /** Stores when a recipient first unsubscribed through a message; for the caller's write set. */
  mark(recipient: Recipient, at: Date): Write;
};

export const unsubscribing = ({
  storage,
  tables: { messages, sends },
}: {
  readonly storage: Pick<Storage, 'select'>;
  readonly tables: SendingTables;
}): Unsubscribing => {
  const message = bulkSelect('sending.unsubscribing', messages, KEY, [
    ...KEY,
    'sendId',
    'channel',
    'person',
    'address',
  ]);
  const send = bulkSelect('sending.unsubscribing_send', sends, KEY, [...KEY, 'category']);
  const unsubscribed = bulkUpdate('sending.first_unsubscribed', messages, {
    where: KEY,
    set: { unsubscribedAt: 'keep' },
  });
  return {
    recipientOf: async (scope, messageId) => {
      const [found] = await storage.select(message, [[scopeKey(scope), messageId]]);
      if (!found) return null;
      const [about] = await storage.select(send, [[scopeKey(scope), found.sendId]]);
      const { channel, person, address } = found;
      return { ...scopeOf(found), messageId, channel, person, address, category: about?.category ?? null };
    },
    mark: ({ messageId: id, ...scope }, at) => write(unsubscribed, { ...scopeOf(scope), id, unsubscribedAt: at }),
  };
};
