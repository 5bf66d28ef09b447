// How the flags of `send test` become the body that the channel takes. What the values mean is checked by core.

import type { Channel, EmailInput, PushInput, SmsInput } from '@beckon/core';
import { InvalidArgumentError } from 'commander';
import { type CliError, usageError } from '../exit-codes.ts';

/** The flags of all three channels; each command has those of its own. */
export type BodyFlags = {
  readonly to?: string;
  readonly user?: string;
  /** In place of whom else it could be for. */
  readonly audience?: string;
  readonly token?: string;
  readonly title?: string;
  readonly subject?: string;
  readonly body: string;
  readonly data?: Readonly<Record<string, string>>;
};

/** Collects `--data k=v`, which may be given several times. Throws InvalidArgumentError. */
export const pairOf = (text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is KEY=VALUE.');
  // Not an assignment: a key named __proto__ would set a prototype.
  return Object.fromEntries([...Object.entries(before), [text.slice(0, at), text.slice(at + 1)]]);
};

/** It is transactional: what someone asks for by hand is no advertising. */
const CLASS = { class: 'transactional' } as const;

/** What of a body says for whom it is, and so what it is: a campaign is advertising unless the API is told otherwise. */
type For<Recipient> = (Recipient & typeof CLASS) | { readonly audienceId: string };

const noOne = (channel: Channel): CliError =>
  usageError(`Say for whom: either --user or --${channel === 'push' ? 'token' : 'to'}.`);

/** Either kind of recipient. Throws CliError usage for both or neither. */
const recipientOf = <Recipient>(
  channel: Channel,
  { user, audience }: BodyFlags,
  address: string | undefined,
  to: (address: string) => Recipient,
): For<Recipient | { readonly userIds: readonly [string] }> => {
  if (audience !== undefined) return { audienceId: audience };
  if (user !== undefined && address === undefined) return { userIds: [user], ...CLASS };
  if (user === undefined && address !== undefined) return { ...to(address), ...CLASS };
  throw noOne(channel);
};

/** The body of a send. Throws CliError usage unless there is one kind of recipient. */
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
