import type { Sender } from '../../listed.ts';
import type { ReadyMessage } from '../message.ts';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Who a text message is from, as its send says; null: its provider chooses, or its channel tells senders not apart. Pure. */
export const senderOf = ({
  row,
  send,
}: Pick<ReadyMessage, 'send'> & { readonly row: Pick<ReadyMessage['row'], 'channel'> }): Sender =>
  row.channel === 'sms' && send ? (text(send.content['from']) ?? text(send.content['messagingServiceId'])) : null;
