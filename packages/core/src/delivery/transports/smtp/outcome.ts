import { codeText, enhancedCodeIn, isDeadAddress, isOfSender } from '../mail-status.ts';
import type { SendOutcome } from '../port.ts';

const WORD = /^[A-Z][A-Z0-9_]{1,60}$/;
const CERTIFICATE = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_|INVALID_|EPROTO$)/;
const TLS = new Set(['ETLS', 'EREQUIRETLS']);
const LOGIN = new Set(['EAUTH', 'ENOAUTH']);
const DEFECTS = new Set(['EFILEACCESS', 'EURLACCESS', 'ECONFIG']);
/** Commands before the mail transaction. */
const OPENING = new Set(['CONN', 'EHLO', 'HELO', 'STARTTLS', 'RSET']);

/** Bad sequence of commands: the server did not evaluate this mail. */
const OUT_OF_SEQUENCE = 503;
/** The service is not available, after any command. Source: RFC 5321, 3.8 and 4.2.3. */
const CLOSING = 421;
const LOGIN_REPLIES = new Set([530, 534, 535, 538]);
const NO_SUCH_MAILBOX = new Set([550, 551, 553]);
/**
 * Wait after a temporary refusal of the recipient or the content, by attempt, in milliseconds. Servers with greylisting
 * accept the mail only after minutes: postgrey after 5, others after 15 or 30. Six attempts span 53 minutes. Source:
 * RFC 6647, 5; RFC 5321, 4.5.4.1.
 */
const REFUSED_FOR_NOW_MS: readonly number[] = [60_000, 120_000, 300_000, 900_000, 1_800_000];
const ABOUT_THIS_MAIL = new Set(['RCPT TO', 'DATA']);

const waitOf = (step: string, replyCode: number, attempt: number): { readonly retryAfterMs?: number } =>
  replyCode === CLOSING || replyCode === OUT_OF_SEQUENCE || !ABOUT_THIS_MAIL.has(step)
    ? {}
    : { retryAfterMs: REFUSED_FOR_NOW_MS[Math.min(attempt, REFUSED_FOR_NOW_MS.length) - 1] ?? 0 };

/** Refusals of this mail, or of any mail for now, after any command. */
const SIZE_AND_SPACE = new Set(['5.2.2', '5.2.3', '5.3.4', '552']);
const SIZE = 'The server does not take a mail of this size.';

const wordOf = (value: unknown): string | null => (typeof value === 'string' && WORD.test(value) ? value : null);

/** Fields read from an error of nodemailer, DNS, TLS or the network; `originalCode` is the system's. */
const FIELDS = ['code', 'originalCode', 'command', 'responseCode', 'response'] as const;

const fieldsOf = (error: unknown): Readonly<Partial<Record<(typeof FIELDS)[number], unknown>>> =>
  error instanceof Error ? Object.fromEntries(FIELDS.map((field) => [field, Reflect.get(error, field)])) : {};

const failed = (code: string, message: string): SendOutcome => ({ result: 'failed', code, message });
const credential = (code: string, message: string): SendOutcome => ({ result: 'credential', code, message });

const refusal = (command: string, replyCode: number, enhanced: string | null, text: string): SendOutcome => {
  const code = enhanced ?? String(replyCode);
  const isRecipient = command === 'RCPT TO';
  // Without an enhanced code a reply to RCPT TO is about the recipient. Source: RFC 5321, 4.3.2.
  const isDead = enhanced === null ? NO_SUCH_MAILBOX.has(replyCode) : isDeadAddress(enhanced, text);
  if (isRecipient && isDead)
    return { result: 'failed', code, message: 'The server does not know the recipient.', address: 'bounced' };
  if (SIZE_AND_SPACE.has(code)) return failed(code, codeText(code, text) ?? SIZE);
  if (command === 'MAIL FROM' || (isRecipient && enhanced !== null && isOfSender(enhanced, text)))
    return failed('sender_rejected', 'The server refused the sender.');
  return failed(code, isRecipient ? 'The server refused the recipient.' : 'The server refused the mail.');
};

/**
 * The outcome of a mail that was not accepted. A server's text is read for its codes and never repeated.
 *
 * @param isSent true if a byte of the mail itself was sent: without an answer its outcome is unknown
 * @param attempt the failed handover, from 1
 */
export const smtpOutcome = (error: unknown, isSent: boolean, attempt = 1): SendOutcome => {
  const { code, originalCode, command, responseCode, response } = fieldsOf(error);
  const name = wordOf(code) ?? '';
  const step = typeof command === 'string' ? command : '';
  const replyCode = typeof responseCode === 'number' ? responseCode : 0;
  const text = typeof response === 'string' ? response : '';
  const enhanced = enhancedCodeIn(text);

  if ((replyCode >= 400 && replyCode < 500) || replyCode === OUT_OF_SEQUENCE)
    return {
      result: 'retry',
      code: enhanced ?? String(replyCode),
      message: 'The server asks for another attempt.',
      processed: 'no',
      ...waitOf(step, replyCode, attempt),
      ...(replyCode === CLOSING ? { isDown: true } : {}),
    };
  if (name === 'ERR_SSRF_BLOCKED')
    return credential(
      'blocked_address',
      "The host leads to an address that may not be connected to: a server of one's own network is allowed by net.allowCidrs (outbound.allowCidrs).",
    );
  if (LOGIN.has(name) || step.startsWith('AUTH') || LOGIN_REPLIES.has(replyCode))
    return credential('auth_failed', 'The server refused user and password.');
  if (TLS.has(name) || [code, originalCode].some((word) => CERTIFICATE.test(wordOf(word) ?? '')))
    return credential('tls_failed', 'No connection with TLS that can be trusted.');
  if (replyCode >= 500 && OPENING.has(step)) return credential('server_refused', 'The server refused the connection.');
  if (replyCode >= 500) return refusal(step, replyCode, enhanced, text);
  if (DEFECTS.has(name) || step === 'API') return failed('invalid_message', 'The mail cannot be sent as it is.');
  return {
    result: 'retry',
    code: wordOf(originalCode) ?? (name || 'network'),
    message: 'The server gave no answer.',
    processed: isSent ? 'unknown' : 'no',
  };
};
