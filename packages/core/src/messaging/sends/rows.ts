import type { Ids } from '../../foundation/ids.ts';
import type { KeySet } from '../../foundation/key-set.ts';
import { userPerson } from '../../foundation/person.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import { type PersonKey, type ProfileView, personKey } from '../../people/profiles/view.ts';
import { type Address, type Addresses, type ChannelPort, recipientKey } from './channel.ts';
import { MAX_AGE_MS, type Recipient, type Recipients, type Role, type SuppressionReason } from './schema.ts';
import type { MessageRow } from './store.ts';

/** A message as it is made. */
export type NewMessage = MessageRow & { readonly reason: SuppressionReason | null };

export type MessageInput = {
  readonly scope: InScope;
  readonly sendId: string;
  /** Whether the send is to many. */
  readonly isBulk: boolean;
  readonly channelName: MessageRow['channel'];
  readonly channel: Pick<ChannelPort<unknown>, 'addressesOf' | 'addressKey'>;
  readonly content: Readonly<Record<string, unknown>>;
  readonly recipients: Recipients;
  /** By `personKey`; whoever has none has no address. */
  readonly profiles: ReadonlyMap<string, ProfileView>;
  /** What the channel's `load` found, by `recipientKey`. */
  readonly loaded: ReadonlyMap<string, readonly Address[]>;
  /** The addresses of the one recipient go on: finding no more is not having none. */
  readonly isContinued?: boolean;
  /** Keys of addresses that the send has already; those of these recipients are added. */
  readonly seen: KeySet;
  readonly now: Date;
  readonly ids: Ids;
};

/** The profiles that recipients are looked up in. Throws nothing. */
export const peopleOf = (scope: InScope, recipients: Recipients): PersonKey[] => {
  const keys = new Map<string, PersonKey>();
  for (const recipient of recipients) {
    if (recipient.kind !== 'user') continue;
    const key = { ...scopeOf(scope), person: userPerson(recipient.userId) };
    keys.set(personKey(key), key);
  }
  return [...keys.values()];
};

const addressesOf = ({ scope, channel, content, profiles, loaded }: MessageInput, recipient: Recipient): Addresses => {
  const target = { ...scopeOf(scope), recipient };
  const profile =
    recipient.kind === 'user'
      ? profiles.get(personKey({ ...scopeOf(scope), person: userPerson(recipient.userId) }))
      : undefined;
  return channel.addressesOf({ target, content, profile, loaded: loaded.get(recipientKey(target)) ?? [] });
};

type Made = {
  readonly id: string;
  readonly person: string | null;
  readonly role: Role;
  readonly address: Address | null;
  /** Why it is suppressed as it is made; null: it is due. */
  readonly reason: SuppressionReason | null;
};

/** A message as it is made. Throws nothing. */
export const newMessage = (
  {
    scope,
    sendId,
    isBulk,
    channelName,
    now,
  }: Pick<MessageInput, 'scope' | 'sendId' | 'isBulk' | 'channelName' | 'now'>,
  { id, person, role, address, reason }: Made,
): NewMessage => {
  const { tokenId = null, ...facts } = address?.facts ?? {};
  return {
    ...scopeOf(scope),
    id,
    sendId,
    channel: channelName,
    person,
    address: address?.address ?? null,
    addressName: address?.name ?? null,
    tokenId,
    facts,
    role,
    status: reason === null ? 'queued' : 'suppressed',
    reason,
    errorCode: null,
    error: null,
    provider: null,
    providerId: null,
    attempt: 0,
    createdAt: now,
    deferredAt: null,
    deferredUntil: null,
    sentAt: null,
    deliveredAt: null,
    openedAt: null,
    clickedAt: null,
    lastOpenedAt: null,
    lastClickedAt: null,
    clickAction: null,
    complainedAt: null,
    unsubscribedAt: null,
    machineReason: null,
    machineOpenedAt: null,
    machineClickedAt: null,
    abTestId: null,
    variant: null,
    abTestUnit: null,
    convertedAt: null,
    finishedAt: reason === null ? null : now,
    priority: isBulk ? 1 : 0,
    dueAt: reason === null ? now : null,
    leaseUntil: null,
    fence: 0,
  };
};

/**
 * One row per address of each recipient, in their order: due now, or already `suppressed` where a recipient has none
 * (one row, address null) or the send has the address twice (`duplicate`). Throws nothing.
 */
export const messageRows = (input: MessageInput): NewMessage[] => {
  const { channel, recipients, isContinued = false, seen, ids } = input;
  const row = (recipient: Recipient, address: Address | null, reason: SuppressionReason | null): NewMessage =>
    newMessage(input, {
      id: ids.next(),
      person: recipient.kind === 'user' ? userPerson(recipient.userId) : null,
      role: (recipient.kind === 'address' ? recipient.role : undefined) ?? 'to',
      address,
      reason,
    });
  return recipients.flatMap((recipient) => {
    const addresses = addressesOf(input, recipient);
    if ('none' in addresses) return isContinued ? [] : [row(recipient, null, addresses.none)];
    return addresses.map((address) =>
      row(recipient, address, isFirst(channel.addressKey(address.address), seen) ? null : 'duplicate'),
    );
  });
};

/** The rows that were suppressed as they were made. */
export const suppressedIn = <Row extends Pick<MessageRow, 'status'>>(rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ status }) => status === 'suppressed');

/**
 * The duplicate part of the second gate as it is known when messages are written.
 *
 * @param key what tells addresses of one send apart
 * @param seen keys of this send so far; the key is added
 */
export const isFirst = (key: string, seen: KeySet): boolean => {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
};

/** When a message is tried and kept no longer, in epoch milliseconds: counted from when it might go. Throws nothing. */
export const expiryMs = ({ createdAt, deferredUntil }: Pick<MessageRow, 'createdAt' | 'deferredUntil'>): number =>
  (deferredUntil ?? createdAt).getTime() + MAX_AGE_MS;

/** The address of a message row; its `address` is not null. Throws nothing. */
export const addressOfRow = (row: Pick<MessageRow, 'addressName' | 'facts' | 'tokenId'>, address: string): Address => ({
  address,
  name: row.addressName,
  facts: row.tokenId === null ? row.facts : { ...row.facts, tokenId: row.tokenId },
});
