import { domainToASCII } from 'node:url';
import type { EmailMessage, Mailbox } from '../port.ts';
import { quoted } from '../smtp/encoded.ts';

const MESSAGE_ID = 'message-id';

/** An address with an ASCII domain, which the APIs require. */
export const asciiAddress = (email: string): string => {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, at)}@${domainToASCII(email.slice(at + 1)) || email.slice(at + 1)}`;
};

/** `"Name" <address>` with the name as a quoted string. Source: RFC 5322, 3.2.4. */
export const mailboxText = ({ email, name }: Mailbox): string =>
  name === null || name === '' ? asciiAddress(email) : `${quoted(name)} <${asciiAddress(email)}>`;

/**
 * The recipient for APIs that have one list for envelope and header. One mail has one recipient, so a copy shows its
 * own address there and no Cc.
 */
export const recipientOf = ({ envelope, to }: EmailMessage): Mailbox =>
  envelope.to === to.email ? to : { email: envelope.to, name: null };

/** Headers of a mail without its Message-ID, which is returned apart. */
export const headersOf = (
  message: EmailMessage,
): { readonly messageId: string; readonly others: readonly (readonly [string, string])[] } => {
  const all = Object.entries(message.headers);
  const messageIdHeader = all.find(([name]) => name.toLowerCase() === MESSAGE_ID)?.[1];
  const domain = message.from.email.slice(message.from.email.lastIndexOf('@') + 1);
  return {
    messageId: messageIdHeader ?? `<${message.messageId}@${domain}>`,
    others: all.filter(([name]) => name.toLowerCase() !== MESSAGE_ID),
  };
};
