import type { SendMailOptions } from 'nodemailer';
import type { EmailMessage, Mailbox } from '../port.ts';
import { isAddress, isLine } from './settings.ts';

const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
const MESSAGE_ID = 'message-id';

// nodemailer parses addresses that are strings; objects it takes as they are.
const boxOf = ({ email, name }: Mailbox): { address: string; name: string } => ({ address: email, name: name ?? '' });
const bare = (address: string): { address: string; name: string } => ({ address, name: '' });

/** False for a mail in which something could end a line or an address and begin another. */
export const isSafe = ({
  envelope,
  from,
  to,
  cc,
  replyTo,
  subject,
  headers,
  attachments,
  messageId,
}: EmailMessage): boolean => {
  const boxes = [from, to, ...cc, ...(replyTo ? [replyTo] : [])];
  const names = attachments.flatMap(({ filename, contentType, cid }) => [filename, contentType, cid ?? '']);
  return (
    [envelope.from, envelope.to, ...boxes.map(({ email }) => email)].every(isAddress) &&
    [subject, messageId, ...boxes.map(({ name }) => name ?? ''), ...Object.values(headers), ...names].every(isLine) &&
    Object.keys(headers).every((name) => HEADER_NAME.test(name))
  );
};

/**
 * The mail as nodemailer takes it: one recipient in an explicit envelope, no address as a string, and the Message-ID of
 * the message row, so that it is the same in every attempt.
 */
export const mailOf = (message: EmailMessage, now: Date): SendMailOptions => {
  const headers = Object.entries(message.headers);
  const given = headers.find(([name]) => name.toLowerCase() === MESSAGE_ID)?.[1];
  const domain = message.from.email.slice(message.from.email.lastIndexOf('@') + 1);
  return {
    envelope: { from: bare(message.envelope.from), to: bare(message.envelope.to) },
    from: boxOf(message.from),
    to: boxOf(message.to),
    ...(message.cc.length > 0 ? { cc: message.cc.map(boxOf) } : {}),
    ...(message.replyTo ? { replyTo: boxOf(message.replyTo) } : {}),
    subject: message.subject,
    ...(message.text === null ? {} : { text: message.text }),
    ...(message.html === null ? {} : { html: message.html }),
    messageId: given ?? `<${message.messageId}@${domain}>`,
    headers: Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== MESSAGE_ID)),
    attachments: message.attachments.map(({ filename, contentType, content, cid }) => ({
      filename,
      contentType,
      content,
      encoding: 'base64',
      contentDisposition: cid === null ? 'attachment' : 'inline',
      ...(cid === null ? {} : { cid }),
    })),
    date: now,
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};
