import type { Sender } from '../../listed.ts';
import type { ReadyMessage } from '../message.ts';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Who a text message is from, as its send says, else as its provider's settings do; null: the provider chooses, or its
 * channel tells senders not apart. Pure.
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
  const own = text(send.content['from']) ?? text(send.content['messagingServiceId']);
  return own ?? connection?.inbound?.senders[0] ?? null;
};
