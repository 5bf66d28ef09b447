// What an entry of a channel's list stops. Pure.

import type { SuppressionReason } from './schema.ts';

/** Why an address is on its channel's list. `manual`: an operator put it there and said no more. */
export const LIST_REASONS = ['bounced_address', 'complained_address', 'sms_stopped', 'unsubscribed', 'manual'] as const;
export type ListReason = (typeof LIST_REASONS)[number];

/** Stands for all of a channel's senders; no sender is called so. */
export const EVERY_SENDER = '';

/** What stands on a list for one address. */
export type Listed = { readonly reason: ListReason; readonly sender: string };

/** Who sends a message; null: not known, and then an entry of any sender is meant. */
export type Sender = string | null;

const ofSender = (listed: readonly Listed[], sender: Sender): ReadonlySet<ListReason> =>
  new Set(
    listed
      .filter((one) => one.sender === EVERY_SENDER || sender === null || one.sender === sender)
      .map(({ reason }) => reason),
  );

/** Why nothing may be sent there, of whatever class; the first of them is told. */
const UNUSABLE = ['bounced_address', 'complained_address', 'sms_stopped'] as const satisfies readonly ListReason[];

/** Why an address is not to be used at all; null: it may be. Throws nothing. */
export const unusableBy = (listed: readonly Listed[], sender: Sender): SuppressionReason | null => {
  const reasons = ofSender(listed, sender);
  return UNUSABLE.find((reason) => reasons.has(reason)) ?? null;
};

/**
 * True where whoever has the address, or an operator, wants none of this: an operator's entry stops everything, one of
 * the person marketing alone, since whoever unsubscribes still wants their receipts. Throws nothing.
 */
export const isUnsubscribedBy = (listed: readonly Listed[], sender: Sender, sendClass: string): boolean => {
  const reasons = ofSender(listed, sender);
  return reasons.has('manual') || (reasons.has('unsubscribed') && sendClass === 'marketing');
};
