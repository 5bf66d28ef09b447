import type { Attachment, MessageOf } from '../../../delivery/transports/port.ts';
import type { SandboxContent } from '../../../delivery/transports/sandbox/api.ts';

/** What any transport is given. */
export type AnyMessage = MessageOf[keyof MessageOf];

/** Where a message goes to. Throws nothing. */
export const addressOf = (message: AnyMessage): string => {
  if ('token' in message) return message.token;
  return 'envelope' in message ? message.envelope.to : message.to;
};

/** Base64 as its size; what a file holds is nothing to look at, and would be kept once per recipient. */
const shownFile = ({ content, ...file }: Attachment): Record<string, unknown> => ({
  ...file,
  bytes: Buffer.byteLength(content, 'base64'),
});

/** Parts of a message as a transport gets them, as they are shown and stored; its ids have fields of their own. */
export const describeMessage = (message: AnyMessage): SandboxContent => {
  const { messageId: _message, sendId: _send, ...parts } = message;
  const rest = 'attachments' in parts ? { ...parts, attachments: parts.attachments.map(shownFile) } : parts;
  // Safe: the parts of that channel's message, its files as their sizes, without the moment of its hand-over.
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => !(value instanceof Date))) as SandboxContent;
};
