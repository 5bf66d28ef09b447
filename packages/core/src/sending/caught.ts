import type { MessageOf } from './channel.ts';

/** What any transport is given. */
export type AnyMessage = MessageOf[keyof MessageOf];

/** Where a message goes to. Throws nothing. */
export const addressOf = (message: AnyMessage): string => {
  if ('token' in message) return message.token;
  return 'envelope' in message ? message.envelope.to : message.to;
};

/** Parts of a message as a transport gets them, as they are shown and stored; its ids have fields of their own. */
export const contentOf = (message: AnyMessage): Record<string, unknown> => {
  const { messageId: _message, sendId: _send, ...rest } = message;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => !(value instanceof Date)));
};
