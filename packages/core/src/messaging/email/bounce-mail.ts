// Parses emails of mail servers about other emails: delivery status notifications (RFC 3464) and complaints in the
// Abuse Reporting Format (RFC 5965). Reads only headers and the machine-readable part. Free text of a server is only
// searched for status codes.

import { codeText, isDeadAddress, replyCodeIn, reportedCode } from '../../delivery/transports/mail-status.ts';
import { addressText } from '../../foundation/address-text.ts';

/** What such an email reports; null: neither kind, or no failure. */
export type BounceMail =
  | {
      readonly kind: 'bounced';
      /** The address accepts no email: it is listed. */
      readonly isPermanent: boolean;
      /** The email was not delivered and is not retried. */
      readonly isFinal: boolean;
      readonly code: string;
      readonly message: string;
      readonly recipients: readonly string[];
    }
  | { readonly kind: 'complained'; readonly recipients: readonly string[] };

/**
 * Folded header lines are joined. The first of several headers with one name counts, because servers add theirs at the
 * top.
 */
type Fields = ReadonlyMap<string, readonly string[]>;

/** Octets read of a part. Chosen: a status has a few hundred. */
const MAX_PART = 65_536;
/** Parts read. Chosen: a report has three. */
const MAX_PARTS = 10;

const fieldsIn = (text: string): Fields => {
  const fields = new Map<string, string[]>();
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = fields.get(name);
    // Appended in place: the sender chooses how often a name is repeated, so copying would be quadratic.
    if (known) known.push(value);
    else fields.set(name, [value]);
  }
  return fields;
};
const first = (fields: Fields, name: string): string => fields.get(name)?.[0] ?? '';

/** Header and body, separated by an empty line. */
const split = (text: string): { head: string; body: string } => {
  const end = /\r?\n\r?\n/.exec(text);
  return end
    ? { head: text.slice(0, end.index), body: text.slice(end.index + end[0].length) }
    : { head: text, body: '' };
};

const parameter = (type: string, name: string): string => {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]*))`, 'i').exec(type);
  return found?.[1] ?? found?.[2] ?? '';
};
const typeOf = (fields: Fields): string => (first(fields, 'content-type').split(';')[0] ?? '').trim().toLowerCase();

const decoded = (body: string, encoding: string): string => {
  if (/^base64$/i.test(encoding)) return Buffer.from(body, 'base64').toString('latin1');
  if (!/^quoted-printable$/i.test(encoding)) return body;
  return body
    .replace(/=\r?\n/g, '')
    .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
};

/** The part with this content type in a multipart report; null: none. */
const partOf = (body: string, boundary: string, type: string): string | null => {
  if (boundary === '') return null;
  const parts = `\n${body}`.split(`\n--${boundary}`).slice(1, MAX_PARTS + 1);
  for (const part of parts) {
    const { head, body: content } = split(part.replace(/^[ \t]*\r?\n/, ''));
    const fields = fieldsIn(head);
    if (typeOf(fields) === type)
      return decoded(content.slice(0, MAX_PART), first(fields, 'content-transfer-encoding').trim());
  }
  return null;
};

/** What a report says about one recipient. Source: RFC 3464, 2.3.3. */
type Failure = Pick<Extract<BounceMail, { kind: 'bounced' }>, 'isPermanent' | 'code' | 'message'>;

/**
 * Actions without a failure: the email was passed on, or is retried; a delay is followed by another report if the email
 * fails.
 */
const NOT_FAILED = new Set(['delayed', 'delivered', 'relayed', 'expanded']);
/** Class 5: permanent failures. Source: RFC 3463, 3.1. */
const PERMANENT = /^\s*5\./;
const RETURNED = 'A mail server returned the mail.';

const failureOf = (fields: Fields): Failure => {
  const text = fields.get('diagnostic-code')?.join('\n') ?? '';
  const code = reportedCode(first(fields, 'status'), text);
  // A reply code alone lists no address: in a report it may belong to any SMTP command.
  if (code === null) return { isPermanent: false, code: replyCodeIn(text) ?? 'failed', message: RETURNED };
  return { isPermanent: isDeadAddress(code, text), code, message: codeText(code, text) ?? RETURNED };
};

/**
 * A message has one recipient. A report about several recipients comes from a server that forwarded the email: the
 * address is suppressed only if all recipients are unknown, and the message fails only if no recipient got it.
 */
const statusOf = (part: string, recipients: readonly string[]): BounceMail | null => {
  const groups = part.split(/\r?\n[ \t]*\r?\n/).map(fieldsIn);
  const actionOf = (fields: Fields): string => /^[a-z]+/i.exec(first(fields, 'action'))?.[0].toLowerCase() ?? '';
  const failures = groups
    .filter((fields) => {
      const action = actionOf(fields);
      // Some servers omit the action. A status of class 4 alone may be a delay.
      return action === 'failed' || (action === '' && PERMANENT.test(first(fields, 'status')));
    })
    .map(failureOf);
  const isFinal = !groups.some((fields) => NOT_FAILED.has(actionOf(fields)));
  const shown = failures.find(({ isPermanent }) => !isPermanent) ?? failures[0];
  if (shown === undefined) return null;
  return { kind: 'bounced', ...shown, isPermanent: isFinal && shown.isPermanent, isFinal, recipients };
};

/** Feedback types that are no complaint. Source: RFC 5965, 7.3; RFC 6591. */
const HARMLESS = new Set(['', 'not-spam', 'auth-failure', 'dmarc']);

/** Headers with the address that the email was delivered to, most specific first. */
const DELIVERED = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to'];

/**
 * Parses an email.
 *
 * @param mail as received, headers first; octets
 * Throws nothing.
 */
export const readBounceMail = (mail: Uint8Array): BounceMail | null => {
  const { head, body } = split(Buffer.from(mail).toString('latin1'));
  const fields = fieldsIn(head);
  const type = first(fields, 'content-type');
  if (typeOf(fields) !== 'multipart/report') return null;
  const boundary = parameter(type, 'boundary');
  const recipients = DELIVERED.flatMap((name) => fields.get(name) ?? []);
  switch (parameter(type, 'report-type').toLowerCase()) {
    case 'delivery-status': {
      // The second type is for internationalised addresses. Source: RFC 6533, 6.
      const part =
        partOf(body, boundary, 'message/delivery-status') ?? partOf(body, boundary, 'message/global-delivery-status');
      return part === null ? null : statusOf(part, recipients);
    }
    case 'feedback-report': {
      const part = partOf(body, boundary, 'message/feedback-report');
      if (part === null) return null;
      const report = fieldsIn(part);
      if (HARMLESS.has(first(report, 'feedback-type').toLowerCase())) return null;
      // All complaints arrive at one address; the return path of the reported email is one of their fields.
      return { kind: 'complained', recipients: [...recipients, ...(report.get('original-mail-from') ?? [])] };
    }
    default:
      return null;
  }
};

const RETURN_PATH = /(?:^|[<\s])b\+([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})@[^\s<>@]+/i;

/** The message id in one of these return paths; null: none. Throws nothing. */
export const messageOfReturnPath = (addresses: readonly string[]): string | null => {
  for (const address of addresses) {
    const id = RETURN_PATH.exec(addressText(address))?.[1];
    if (id !== undefined) return id.toLowerCase();
  }
  return null;
};

/** The return path of a message. Source: transports, Headers of every mail. */
export const returnPathOf = (messageId: string, bounceDomain: string): string => `b+${messageId}@${bounceDomain}`;
