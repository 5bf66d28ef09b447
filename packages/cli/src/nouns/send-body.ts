// Builds the request body of a send from flags. Core validates the values.

import type { Channel, EmailInput, PushInput, SmsInput } from '@beckon/core';
import { InvalidArgumentError } from 'commander';
import { type CliError, usageError } from '../exit-codes.ts';

/** Flags of all three channels. */
export type BodyFlags = {
  readonly to?: string;
  readonly user?: string;
  /** Segment id, instead of another recipient. */
  readonly audience?: string;
  readonly token?: string;
  readonly title?: string;
  readonly subject?: string;
  readonly body: string;
  readonly data?: Readonly<Record<string, string>>;
};

/** Collects the repeatable `--data k=v`. Throws InvalidArgumentError. */
export const pairOf = (text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Pass KEY=VALUE.');
  // Not an assignment: a key named __proto__ would set a prototype.
  return Object.fromEntries([...Object.entries(before), [text.slice(0, at), text.slice(at + 1)]]);
};

/** A test message is transactional, so caps and quiet hours do not apply. */
const CLASS = { class: 'transactional' } as const;

/** Recipient fields. A send to a segment has no class, so the API applies its default, marketing. */
type For<Recipient> = (Recipient & typeof CLASS) | { readonly audienceId: string };

const wrongRecipient = (channel: Channel): CliError =>
  usageError(`Pass exactly one of --user and --${channel === 'push' ? 'token' : 'to'}.`);

/** The recipient fields. Throws CliError usage for two recipients or none. */
const recipientOf = <Recipient>(
  channel: Channel,
  { user, audience }: BodyFlags,
  address: string | undefined,
  to: (address: string) => Recipient,
): For<Recipient | { readonly userIds: readonly [string] }> => {
  if (audience !== undefined) return { audienceId: audience };
  if (user !== undefined && address === undefined) return { userIds: [user], ...CLASS };
  if (user === undefined && address !== undefined) return { ...to(address), ...CLASS };
  throw wrongRecipient(channel);
};

/** The body of a send. Throws CliError usage for two recipients or none. */
export const bodyOf = (channel: Channel, flags: BodyFlags): PushInput | EmailInput | SmsInput => {
  const { title, body, subject = '', data } = flags;
  switch (channel) {
    case 'push': {
      const recipient = recipientOf(channel, flags, flags.token, (token) => ({ tokens: [token] }));
      return { ...recipient, title, body, ...(data === undefined ? {} : { data }) };
    }
    case 'email':
      return { ...recipientOf(channel, flags, flags.to, (to) => ({ to })), subject, text: body };
    case 'sms':
      return { ...recipientOf(channel, flags, flags.to, (to) => ({ to })), body };
    default:
      return channel satisfies never;
  }
};
