// How the flags of `send test` become the body that the channel takes. What the values mean is checked by core.

import type { Channel } from '@beckon/core';
import { InvalidArgumentError } from 'commander';
import { usageError } from '../exit-codes.ts';

/** The flags of all three channels; each command has those of its own. */
export type BodyFlags = {
  readonly to?: string;
  readonly user?: string;
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

const recipientOf = (channel: Channel, { to, user, token }: BodyFlags): Readonly<Record<string, unknown>> => {
  const address = channel === 'push' ? token : to;
  if ((address === undefined) === (user === undefined))
    throw usageError(`Say for whom: either --user or --${channel === 'push' ? 'token' : 'to'}.`);
  if (user !== undefined) return { userIds: [user] };
  return channel === 'push' ? { tokens: [address] } : { to: address };
};

const contentOf = (channel: Channel, { title, subject, body, data }: BodyFlags): Readonly<Record<string, unknown>> => {
  switch (channel) {
    case 'push':
      return { title, body, ...(data === undefined ? {} : { data }) };
    case 'email':
      return { subject, text: body };
    case 'sms':
      return { body };
    default:
      return channel satisfies never;
  }
};

/**
 * The body of a send. It is transactional: what someone asks for by hand is no advertising.
 *
 * @throws CliError usage unless there is one kind of recipient
 */
export const bodyOf = (channel: Channel, flags: BodyFlags): Readonly<Record<string, unknown>> => ({
  ...recipientOf(channel, flags),
  ...contentOf(channel, flags),
  class: 'transactional',
});
