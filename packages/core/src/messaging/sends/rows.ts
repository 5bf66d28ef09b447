import type { Ids } from '../../foundation/ids.ts';
import type { KeySet } from '../../foundation/key-set.ts';
import { userPerson } from '../../foundation/person.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import { type PersonKey, type ProfileView, personKey } from '../../people/profiles/view.ts';
import { type Address, type Addresses, type ChannelPort, recipientKey } from './channel.ts';
import { MAX_AGE_MS, type Recipient, type Recipients, type Role, type SuppressionReason } from './schema.ts';
import type { MessageRow } from './store.ts';

/** A message at creation. */
export type NewMessage = MessageRow & { readonly reason: SuppressionReason | null };

export type MessageInput = {
  readonly scope: InScope;
  readonly sendId: string;
  /** True for a send to many recipients. */
  readonly isBulk: boolean;
  readonly channelName: MessageRow['channel'];
  readonly channel: Pick<ChannelPort<unknown>, 'addressesOf' | 'addressKey'>;
  readonly content: Readonly<Record<string, unknown>>;
  readonly recipients: Recipients;
  /** By `personKey`; a user without a profile has no address. */
  readonly profiles: ReadonlyMap<string, ProfileView>;
  /** Results of the channel's `load`, by `recipientKey`. */
  readonly loaded: ReadonlyMap<string, readonly Address[]>;
  /**
   * The addresses continue an earlier page of the one recipient, so an empty page does not mean that there is no
   * address.
   */
  readonly isContinued?: boolean;
  /** Deduplication keys of the addresses that the send has used; those of these recipients are added. */
  readonly usedKeys: KeySet;
  readonly now: Date;
  readonly ids: Ids;
};

/** The profiles that recipients need. Throws nothing. */
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
  /** Why the message is suppressed at creation; null: it is due. */
  readonly reason: SuppressionReason | null;
};

/** Makes a message row. Throws nothing. */
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
 * Makes one row per address of each recipient, in recipient order. A row is due now, or `suppressed` at creation: one
 * row with a null address for a recipient without an address, and `duplicate` for an address that the send already
 * used. Throws nothing.
 */
export const messageRows = (input: MessageInput): NewMessage[] => {
  const { channel, recipients, isContinued = false, usedKeys, ids } = input;
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
      row(recipient, address, isFirst(channel.addressKey(address.address), usedKeys) ? null : 'duplicate'),
    );
  });
};

/** The rows that were suppressed at creation. */
export const suppressedIn = <Row extends Pick<MessageRow, 'status'>>(rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ status }) => status === 'suppressed');

/**
 * Duplicate check at creation, a part of the gate `address_usable`.
 *
 * @param key deduplication key of the address
 * @param usedKeys keys that this send has used; the key is added
 */
export const isFirst = (key: string, usedKeys: KeySet): boolean => {
  if (usedKeys.has(key)) return false;
  usedKeys.add(key);
  return true;
};

/**
 * When a message is no longer tried, in epoch milliseconds; counted from the earliest time it could be sent. Throws
 * nothing.
 */
export const expiryMs = ({ createdAt, deferredUntil }: Pick<MessageRow, 'createdAt' | 'deferredUntil'>): number =>
  (deferredUntil ?? createdAt).getTime() + MAX_AGE_MS;

/** The address of a message row whose `address` is not null. Throws nothing. */
export const addressOfRow = (row: Pick<MessageRow, 'addressName' | 'facts' | 'tokenId'>, address: string): Address => ({
  address,
  name: row.addressName,
  facts: row.tokenId === null ? row.facts : { ...row.facts, tokenId: row.tokenId },
});
