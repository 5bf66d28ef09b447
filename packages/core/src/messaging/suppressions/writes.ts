import { type Write, write } from '../../database/commit/write-set.ts';
import { addressText } from '../../foundation/address-text.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { addressKey } from '../../foundation/email-address.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { EVERY_SENDER, type ListReason } from '../sends/listed.ts';
import type { ListChannel, ListSource } from './schema.ts';
import type { SuppressionStatements } from './statements.ts';

/** Comparison keys of the channels. */
export const KEY_OF: Readonly<Record<ListChannel, (address: string) => string>> = {
  email: addressKey,
  sms: addressText,
};

/** An entry of a list. */
export type ListEntry = InScope & {
  readonly channel: ListChannel;
  readonly address: string;
  readonly reason: ListReason;
  /** SMS only; absent: every sender. */
  readonly sender?: string | undefined;
};
export type NewListEntry = ListEntry & {
  readonly source: ListSource;
  /** The message that led to the entry; null: none. */
  readonly messageId: string | null;
  readonly at: Date;
};

const keyOf = ({ channel, address, reason, sender = EVERY_SENDER, ...scope }: ListEntry) => ({
  ...scopeOf(scope),
  channel,
  addressKey: KEY_OF[channel](address),
  reason,
  sender,
});
const textOf = (entry: ListEntry): string => {
  const { channel, addressKey: address, reason, sender } = keyOf(entry);
  return JSON.stringify([scopeKey(entry), channel, address, reason, sender]);
};

/** Without duplicates, in the lock order of all transactions. */
const inOrder = <Entry extends ListEntry>(entries: readonly Entry[]): Entry[] => {
  const named = new Map<string, Entry>();
  for (const entry of entries) {
    const name = textOf(entry);
    if (!named.has(name)) named.set(name, entry);
  }
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
};

/** The row of an entry. Pure. */
export const listRow = (entry: NewListEntry) => ({
  ...keyOf(entry),
  id: derivedId(entry.at, textOf(entry)),
  source: entry.source,
  messageId: entry.messageId,
  createdAt: entry.at,
});

/**
 * Writes that add entries, for any write set; an existing entry stays unchanged. Pure.
 *
 * @param entries in any order; of equal ones the first counts
 */
export const suppressionWrites = (
  hot: Pick<SuppressionStatements, 'insert'>,
  entries: readonly NewListEntry[],
): Write[] => inOrder(entries).map((entry) => write(hot.insert, listRow(entry)));

/** Writes that remove entries, each for one reason and sender. Pure. */
export const restoringWrites = (hot: Pick<SuppressionStatements, 'remove'>, entries: readonly ListEntry[]): Write[] =>
  inOrder(entries).map((entry) => write(hot.remove, keyOf(entry)));
