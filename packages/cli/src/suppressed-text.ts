// Suppression reasons as sentences.

import type { Channel, SuppressionReason } from '@beckon/core';

const ADDRESS: Readonly<Record<Channel, string>> = {
  push: 'The user has no device.',
  email: 'The user has no email address. Set the trait "email".',
  sms: 'The user has no phone number. Set the trait "phone" in E.164, such as +14155550123.',
};

const REASONS: Readonly<Record<Exclude<SuppressionReason, 'no_address'>, string>> = {
  no_token: 'The user has no device token, or none for the requested platforms.',
  token_inactive: 'All devices of the user are inactive: the app was uninstalled, or the token was removed.',
  empty_body: 'The message is empty after rendering.',
  duplicate: 'The address occurs twice in the send and gets one message.',
  locale_unsupported: "The send has no content in the user's language.",
  quiet_hours: "It is within the user's quiet hours.",
  frequency_cap: 'The user has reached the frequency cap.',
  unsubscribed: 'The user unsubscribed from this category.',
  bounced_address: 'An earlier email to this address bounced: the address does not exist, or accepts no email.',
  complained_address: 'The user reported an earlier email as spam.',
  sms_stopped: 'The user replied STOP to an earlier SMS.',
};

/** The explanation of a suppression reason. */
export const suppressedText = (channel: Channel, reason: string): string => {
  const sentence = new Map([...Object.entries(REASONS), ['no_address', ADDRESS[channel]]]).get(reason);
  return sentence === undefined ? `Suppressed (${reason}).` : `Suppressed (${reason}). ${sentence}`;
};
