// Reads the mails that mail servers write about mails: delivery status notifications (RFC 3464) and complaints in the
// abuse reporting format (RFC 5965). Only headers and the machine-readable part are read. What a server says in words is
// searched for its codes.

import { codeText, isDeadAddress, replyCodeIn, reportedCode } from '../../delivery/transports/mail-status.ts';
import { addressText } from '../../foundation/address-text.ts';

/** What a mail says of another; null: it is neither kind, or reports no failure. */
export type BounceMail =
  | {
      readonly kind: 'bounced';
      /** The address takes no mail: it is listed. */
      readonly isPermanent: boolean;
      /** Nobody got the mail, and nobody tries again. */
      readonly isFinal: boolean;
      readonly code: string;
      readonly message: string;
      readonly recipients: readonly string[];
    }
  | { readonly kind: 'complained'; readonly recipients: readonly string[] };

/** Lines of a header are joined; the first of a name counts, as servers put theirs on top. */
type Fields = ReadonlyMap<string, readonly string[]>;

/** Octets of a part that are looked at; ours: a status has a few hundred. */
const MAX_PART = 65_536;
/** Parts that are looked at; ours: a report has three. */
const MAX_PARTS = 10;

const fieldsIn = (text: string): Fields => {
  const fields = new Map<string, string[]>();
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = fields.get(name);
    // Added to and not copied: whoever writes the mail chooses how often a name stands there.
    if (known) known.push(value);
    else fields.set(name, [value]);
  }
  return fields;
};
const first = (fields: Fields, name: string): string => fields.get(name)?.[0] ?? '';

/** Head and body, which an empty line parts. */
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

/** The part of this type among those of a report; null: there is none. */
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

/** What a report says happened to the mail for one recipient. Source: RFC 3464, 2.3.3. */
type Failure = Pick<Extract<BounceMail, { kind: 'bounced' }>, 'isPermanent' | 'code' | 'message'>;

/** The mail went on, or may still: a delay is followed by another report if the mail fails in the end. */
const NOT_FAILED = new Set(['delayed', 'delivered', 'relayed', 'expanded']);
/** Class 5, the permanent failures. Source: RFC 3463, 3.1. */
const PERMANENT = /^\s*5\./;
const RETURNED = 'A mail server returned the mail.';

const failureOf = (fields: Fields): Failure => {
  const text = fields.get('diagnostic-code')?.join('\n') ?? '';
  const code = reportedCode(first(fields, 'status'), text);
  // A reply code alone lists nobody: by the time of a report it may have answered any command.
  if (code === null) return { isPermanent: false, code: replyCodeIn(text) ?? 'failed', message: RETURNED };
  return { isPermanent: isDeadAddress(code, text), code, message: codeText(code, text) ?? RETURNED };
};

/**
 * Each message goes to one recipient. A report about several is by a server that passed the mail on to them: the address
 * is listed only if all of them are unknown, and the message fails only if none of them got it.
 */
const statusOf = (part: string, recipients: readonly string[]): BounceMail | null => {
  const groups = part.split(/\r?\n[ \t]*\r?\n/).map(fieldsIn);
  const actionOf = (fields: Fields): string => /^[a-z]+/i.exec(first(fields, 'action'))?.[0].toLowerCase() ?? '';
  const failures = groups
    .filter((fields) => {
      const action = actionOf(fields);
      // Some servers leave the action out. A status of class 4 alone may be a delay.
      return action === 'failed' || (action === '' && PERMANENT.test(first(fields, 'status')));
    })
    .map(failureOf);
  const isFinal = !groups.some((fields) => NOT_FAILED.has(actionOf(fields)));
  const shown = failures.find(({ isPermanent }) => !isPermanent) ?? failures[0];
  if (shown === undefined) return null;
  return { kind: 'bounced', ...shown, isPermanent: isFinal && shown.isPermanent, isFinal, recipients };
};

/** Kinds of reports that are no complaint. Source: RFC 5965, 7.3; RFC 6591. */
const HARMLESS = new Set(['', 'not-spam', 'auth-failure', 'dmarc']);

/** Where servers say whom a mail came to, the nearest first. */
const DELIVERED = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to'];

/**
 * What a mail reports.
 *
 * @param mail as it came, headers first; octets
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
      // The second is for addresses beyond ASCII. Source: RFC 6533, 6.
      const part =
        partOf(body, boundary, 'message/delivery-status') ?? partOf(body, boundary, 'message/global-delivery-status');
      return part === null ? null : statusOf(part, recipients);
    }
    case 'feedback-report': {
      const part = partOf(body, boundary, 'message/feedback-report');
      if (part === null) return null;
      const report = fieldsIn(part);
      if (HARMLESS.has(first(report, 'feedback-type').toLowerCase())) return null;
      // Complaints come to one address for all: the return path of the mail that they are about is a field of theirs.
      return { kind: 'complained', recipients: [...recipients, ...(report.get('original-mail-from') ?? [])] };
    }
    default:
      return null;
  }
};

const RETURN_PATH = /(?:^|[<\s])b\+([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})@[^\s<>@]+/i;

/** The message whose return path is among these addresses; null: none is. Throws nothing. */
export const messageOfReturnPath = (addresses: readonly string[]): string | null => {
  for (const address of addresses) {
    const id = RETURN_PATH.exec(addressText(address))?.[1];
    if (id !== undefined) return id.toLowerCase();
  }
  return null;
};

/** The return path of a message. Source: transports, Headers of every mail. */
export const returnPathOf = (messageId: string, bounceDomain: string): string => `b+${messageId}@${bounceDomain}`;
