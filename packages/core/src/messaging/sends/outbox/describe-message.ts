import type { Attachment, MessageOf } from '../../../delivery/transports/port.ts';
import type { OutboxContent } from '../../../delivery/transports/sandbox/api.ts';

/** A message for any transport. */
export type AnyMessage = MessageOf[keyof MessageOf];

/** The address of a message. Throws nothing. */
export const addressOf = (message: AnyMessage): string => {
  if ('token' in message) return message.token;
  return 'envelope' in message ? message.envelope.to : message.to;
};

/** Shows the size of an attachment instead of its content, which would be stored once per recipient. */
const shownFile = ({ content, ...file }: Attachment): Record<string, unknown> => ({
  ...file,
  bytes: Buffer.byteLength(content, 'base64'),
});

/** The message as a transport gets it, in the form that is shown and stored; its ids have their own fields. */
export const describeMessage = (message: AnyMessage): OutboxContent => {
  const { messageId: _message, sendId: _send, ...parts } = message;
  const rest = 'attachments' in parts ? { ...parts, attachments: parts.attachments.map(shownFile) } : parts;
  // Safe: the fields of that channel's message, files as sizes, without the handover time.
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => !(value instanceof Date))) as OutboxContent;
};
