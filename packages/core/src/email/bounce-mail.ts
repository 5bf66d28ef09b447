// Reads the mails that mail servers write about mails: delivery status notifications (RFC 3464) and complaints in the
// abuse reporting format (RFC 5965). Of a mail only its headers and the machine-readable part are looked at; what people
// or servers say in words is not.

/** What a mail says of another; null: it is neither kind, or says nothing that matters. */
export type BounceMail =
  /** Not permanent: the address is right, and the mail was not taken all the same. */
  | {
      readonly kind: 'bounced';
      readonly isPermanent: boolean;
      readonly code: string;
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

/** A mailbox that is full and a refusal by policy say nothing of the address, as when a mail is sent. Source: transports. */
const isPermanent = (status: string): boolean => !/^5\.(?:2\.2|3\.4|7\.\d+)$/.test(status);

const STATUS = /^(5)\.\d{1,3}\.\d{1,3}/;

const statusOf = (part: string, recipients: readonly string[]): BounceMail | null => {
  for (const group of part.split(/\r?\n\r?\n/)) {
    const fields = fieldsIn(group);
    // A delay, and whatever may still pass, is no bounce.
    const status = STATUS.exec(first(fields, 'status'))?.[0];
    if (first(fields, 'action').toLowerCase() === 'failed' && status !== undefined)
      return { kind: 'bounced', isPermanent: isPermanent(status), code: status, recipients };
  }
  return null;
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
      const part = partOf(body, boundary, 'message/delivery-status');
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
    const id = RETURN_PATH.exec(address)?.[1];
    if (id !== undefined) return id.toLowerCase();
  }
  return null;
};

/** The return path of a message. Source: transports, Headers of every mail. */
export const returnPathOf = (messageId: string, bounceDomain: string): string => `b+${messageId}@${bounceDomain}`;
