import type { Sender } from '../../listed.ts';
import type { ReadyMessage } from '../message.ts';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * The sender of a text message: that of its send, else that of the provider settings. Null: the provider chooses, or
 * the channel does not distinguish senders. Pure.
 */
export const senderOf = ({
  row,
  send,
  connection,
}: Pick<ReadyMessage, 'send'> & {
  readonly row: Pick<ReadyMessage['row'], 'channel'>;
  readonly connection?: ReadyMessage['connection'];
}): Sender => {
  if (row.channel !== 'sms' || !send) return null;
  const sender = text(send.content['from']) ?? text(send.content['messagingServiceId']);
  return sender ?? connection?.inbound?.senders[0] ?? null;
};
