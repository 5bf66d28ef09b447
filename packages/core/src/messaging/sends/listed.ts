// What a suppression list entry stops. Pure.

import type { SuppressionReason } from './schema.ts';

/** Why an address is on the list of its channel. `manual`: an operator added it without a reason. */
export const LIST_REASONS = ['bounced_address', 'complained_address', 'sms_stopped', 'unsubscribed', 'manual'] as const;
export type ListReason = (typeof LIST_REASONS)[number];

/** Key of all senders of a channel; no sender has this name. */
export const EVERY_SENDER = '';

/** A list entry of an address. */
export type Listed = { readonly reason: ListReason; readonly sender: string };

/** Sender of a message; null: unknown, and then entries of any sender apply. */
export type Sender = string | null;

const ofSender = (listed: readonly Listed[], sender: Sender): ReadonlySet<ListReason> =>
  new Set(
    listed
      .filter((one) => one.sender === EVERY_SENDER || sender === null || one.sender === sender)
      .map(({ reason }) => reason),
  );

/** Reasons that stop messages of every class; the first that applies is reported. */
const UNUSABLE = ['bounced_address', 'complained_address', 'sms_stopped'] as const satisfies readonly ListReason[];

/** Why an address is unusable; null: usable. Throws nothing. */
export const unusableBy = (listed: readonly Listed[], sender: Sender): SuppressionReason | null => {
  const reasons = ofSender(listed, sender);
  return UNUSABLE.find((reason) => reasons.has(reason)) ?? null;
};

/**
 * True if an entry stops messages of this class. An operator's entry stops everything; an unsubscribe stops marketing
 * only, because users who unsubscribe still need receipts. Throws nothing.
 */
export const isUnsubscribedBy = (listed: readonly Listed[], sender: Sender, sendClass: string): boolean => {
  const reasons = ofSender(listed, sender);
  return reasons.has('manual') || (reasons.has('unsubscribed') && sendClass === 'marketing');
};
