import type { SendMailOptions } from 'nodemailer';
import { isOneLine } from '../../../foundation/one-line.ts';
import type { Attachment, EmailMessage, Mailbox, SendOutcome } from '../port.ts';
import { type DkimKey, SIGNED_HEADERS } from './dkim.ts';
import { encodedWords, looksEncoded, quoted } from './encoded.ts';
import { isFileType } from './media-type.ts';
import { isAddress } from './settings.ts';

const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
const MESSAGE_ID = 'message-id';
/** A non-ASCII local part. A domain has an ASCII form, which the library writes instead. */
const BEYOND_ASCII = /[^\0-\x7f].*@/;

/** Outcomes of an unsafe mail. */
export const UNSAFE_MAIL = {
  result: 'failed',
  code: 'invalid_message',
  message: 'An address, a header or a file of the mail is not one that can be sent.',
} as const satisfies SendOutcome;

// nodemailer parses string addresses and takes objects unchanged.
const boxOf = ({ email, name }: Mailbox): { address: string; name: string } => ({ address: email, name: name ?? '' });
const bare = (address: string): { address: string; name: string } => ({ address, name: '' });

/**
 * False for a mail in which a value could end a line or an address and begin another, or with a part that cannot be
 * encoded. The sandbox checks it as well: what is refused in `prod` is refused in `test`.
 */
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
    [subject, messageId, ...boxes.map(({ name }) => name ?? ''), ...Object.values(headers), ...names].every(
      isOneLine,
    ) &&
    Object.keys(headers).every((name) => HEADER_NAME.test(name)) &&
    attachments.every(({ contentType }) => isFileType(contentType))
  );
};

/** True for a mail with a local part that requires SMTPUTF8. Source: RFC 6531. */
export const needsUtf8 = ({ envelope, from, to, cc, replyTo }: EmailMessage): boolean =>
  [envelope.from, envelope.to, ...[from, to, ...cc, ...(replyTo ? [replyTo] : [])].map(({ email }) => email)].some(
    (address) => BEYOND_ASCII.test(address),
  );

// nodemailer writes the name twice, and leaves the one beside the type unchanged if it is a valid encoded word. So the
// name is set in the disposition only, where it is encoded by RFC 2231.
const nameOf = (filename: string, disposition: string): { filename: string | false; contentDisposition: string } =>
  looksEncoded(filename)
    ? { filename: false, contentDisposition: `${disposition}; filename=${quoted(filename)}` }
    : { filename, contentDisposition: disposition };

const fileOf = ({
  filename,
  contentType,
  content,
  cid,
}: Attachment): NonNullable<SendMailOptions['attachments']>[0] => ({
  ...nameOf(filename, cid === null ? 'attachment' : 'inline'),
  contentType,
  content,
  encoding: 'base64',
  ...(cid === null ? {} : { cid }),
});

/** A word or blanks too long for a header line, because they contain no place to fold. Source: RFC 5322, 2.1.1. */
const UNFOLDABLE = /\S{900}|\s{900}/;

const subjectOf = (subject: string): string =>
  looksEncoded(subject) || UNFOLDABLE.test(subject) ? encodedWords(subject) : subject;

/**
 * The mail for nodemailer: one recipient in an explicit envelope, no string addresses, and the Message-ID of the
 * message row, so that it is the same in every attempt.
 */
export const mailOf = (message: EmailMessage, now: Date): SendMailOptions => {
  const headers = Object.entries(message.headers);
  const messageIdHeader = headers.find(([name]) => name.toLowerCase() === MESSAGE_ID)?.[1];
  const domain = message.from.email.slice(message.from.email.lastIndexOf('@') + 1);
  return {
    envelope: { from: bare(message.envelope.from), to: bare(message.envelope.to) },
    from: boxOf(message.from),
    to: boxOf(message.to),
    ...(message.cc.length > 0 ? { cc: message.cc.map(boxOf) } : {}),
    ...(message.replyTo ? { replyTo: boxOf(message.replyTo) } : {}),
    subject: subjectOf(message.subject),
    ...(message.text === null ? {} : { text: message.text }),
    ...(message.html === null ? {} : { html: message.html }),
    messageId: messageIdHeader ?? `<${message.messageId}@${domain}>`,
    headers: Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== MESSAGE_ID)),
    attachments: message.attachments.map(fileOf),
    date: now,
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};

/** The mail with its signing key; null: unsigned. */
export const signedBy = (key: DkimKey | null, mail: SendMailOptions): SendMailOptions =>
  key === null ? mail : { ...mail, dkim: { ...key, headerFieldNames: SIGNED_HEADERS } };
