// Decides which refusals of a mail suppress the recipient's address. Refusals during SMTP, delivery status
// notifications and callbacks of providers all use it: an address suppressed by mistake gets no more mail.

/**
 * Codes about the recipient's address itself. All other codes concern the sender, a full mailbox, size, content, the
 * route, the protocol or a policy, or are unknown: none of them suppresses an address. Source: RFC 3463, 3.2 and 3.3
 * (5.1.5 calls the address valid); RFC 3886 (5.1.9); RFC 7505 (5.1.10, null MX).
 */
const DEAD_ADDRESS = new Set(['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.4', '5.1.6', '5.1.10', '5.2.1']);
const SENDER = new Set(['5.1.7', '5.1.8']);
/**
 * Does not say which address is wrong: Exchange uses it for senders (`554 5.1.0 Sender denied`), and gateways write it
 * before any refusal that they pass on (`5.1.0 - Unknown address error 550-'5.7.1 ...'`). The text decides.
 */
const SOME_ADDRESS = '5.1.0';
const MENTIONS_SENDER = /\bsender\b/i;

/** Only subjects 0 to 7 exist; versions and IP addresses look similar otherwise. Source: RFC 3463, 2 and 3. */
const CODE = String.raw`[45]\.[0-7]\.\d{1,3}`;
const AFTER_REPLY = new RegExp(String.raw`(?<![\d.])[45]\d\d[ -][^\w\s]{0,2}(${CODE})(?![\w.]*\d)`, 'g');
const ALONE = new RegExp(String.raw`(?:^|[\s(<#:;,'"[-])(${CODE})(?=$|[\s)>:;,'"\]-]|\.(?:\s|$))`, 'g');
/** A permanent failure of any kind. Exim writes it in every report. */
const ANY_FAILURE = '5.0.0';
const UNSPECIFIC = /^[45]\.0\.0$/;
const REPLY = /(?:^|[\s;:])([45]\d\d)(?=$|[\s-])/;

/**
 * Characters of a text that are searched. Chosen: several lines of a reply, each of 512 octets at most (RFC 5321,
 * 4.5.3.1.5).
 */
const MAX_TEXT = 4_096;

/** Every code in a text; codes right after a reply code come first. */
const codesIn = (text: string): readonly string[] => {
  const searched = text.slice(0, MAX_TEXT);
  return [AFTER_REPLY, ALONE].flatMap((form) => [...searched.matchAll(form)].flatMap(([, code]) => code ?? []));
};

/**
 * The enhanced status code in a server's text. A code right after a reply code is preferred, and `5.0.0` is the last
 * choice. Null: none found. Throws nothing.
 */
export const enhancedCodeIn = (text: string): string | null => {
  const codes = codesIn(text);
  return codes.find((code) => !UNSPECIFIC.test(code)) ?? codes[0] ?? null;
};

/** The three digits of an SMTP refusal in a server's text; null: none found. Throws nothing. */
export const replyCodeIn = (text: string): string | null => REPLY.exec(text.slice(0, MAX_TEXT))?.[1] ?? null;

/**
 * The enhanced status code of a report. Uses the diagnostic text if the status is missing or only `5.0.0`. Null:
 * neither has one. Throws nothing.
 */
export const reportedCode = (status: string, diagnostic: string): string | null => {
  const code = enhancedCodeIn(status);
  return code === null || code === ANY_FAILURE ? (enhancedCodeIn(diagnostic) ?? code) : code;
};

/** Like `reportedCode`, but null for codes that only report a failure. Throws nothing. */
export const specificCode = (status: string, diagnostic: string): string | null => {
  const code = reportedCode(status, diagnostic);
  return code === null || UNSPECIFIC.test(code) ? null : code;
};

/** True if the code, or its text, is about the sender. Throws nothing. */
export const isOfSender = (code: string, text: string): boolean =>
  SENDER.has(code) || (code === SOME_ADDRESS && MENTIONS_SENDER.test(text));

/**
 * True if the code proves that the recipient's address accepts no mail, so the address is suppressed.
 *
 * @param text the server's text with the code
 * Throws nothing. Source: contract 14, Bounces by mail.
 */
export const isDeadAddress = (code: string, text: string): boolean =>
  DEAD_ADDRESS.has(code) &&
  !isOfSender(code, text) &&
  (code !== SOME_ADDRESS || codesIn(text).every((one) => DEAD_ADDRESS.has(one) || UNSPECIFIC.test(one)));

const BY_CODE: ReadonlyMap<string, string> = new Map([
  ['5.2.2', 'The mailbox of the recipient is full.'],
  ['5.2.3', 'The server does not take a mail of this size.'],
  ['5.3.4', 'The server does not take a mail of this size.'],
  ['5.4.7', 'The mail could not be delivered in time.'],
]);
const BY_SUBJECT: ReadonlyMap<string, string> = new Map([
  ['5.4', 'The mail did not reach the server of the recipient.'],
  ['5.6', 'The server refused the content of the mail.'],
  ['5.7', 'The server refused the mail for its policy.'],
]);

/** Explains a code in one sentence about the mail; null if the code only reports a refusal. Throws nothing. */
export const codeText = (code: string, text: string): string | null => {
  if (isDeadAddress(code, text)) return 'The server does not know the recipient.';
  if (isOfSender(code, text)) return 'The server refused the sender.';
  if (code.startsWith('4.')) return 'The mail could not be delivered in time.';
  return BY_CODE.get(code) ?? BY_SUBJECT.get(code.slice(0, 3)) ?? null;
};
