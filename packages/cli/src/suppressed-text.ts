// Why a message was not sent, in words for whoever tries a send by hand, and what would help.

import type { Channel, SuppressionReason } from '@beckon/core';

const ADDRESS: Readonly<Record<Channel, string>> = {
  push: 'The user has no device that could be sent to.',
  email: 'The user has no e-mail address: the profile needs the trait "email".',
  sms: 'The user has no phone number: the profile needs the trait "phone", in E.164 such as +14155550123.',
};

const REASONS: Readonly<Record<Exclude<SuppressionReason, 'no_address'>, string>> = {
  no_token: 'The user has registered no device for push, or none of the platforms that were asked for.',
  token_inactive: 'Every device of the user is inactive: its provider said that the app is gone, or it was removed.',
  empty_body: 'Nothing is left to show once the variables are filled in.',
  duplicate: 'The same address is in the send twice; it was written to once.',
  locale_unsupported: 'The send has no text for the language of the user.',
  quiet_hours: 'It is a quiet hour for the user.',
  frequency_cap: 'The user has had as many messages as the project allows.',
  unsubscribed: 'The user does not want messages of this category.',
  bounced_address: 'An earlier mail to this address came back: the address does not exist, or it takes no mail.',
  complained_address: 'The user reported an earlier mail as spam.',
  sms_stopped: 'The user answered STOP to an earlier text message.',
};

/** A reason of a suppressed message as a sentence that begins with the reason. */
export const suppressedText = (channel: Channel, reason: string): string => {
  const sentence = new Map([...Object.entries(REASONS), ['no_address', ADDRESS[channel]]]).get(reason);
  return sentence === undefined ? `Suppressed (${reason}).` : `Suppressed (${reason}). ${sentence}`;
};
