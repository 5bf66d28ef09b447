import type { Clock } from '../../../foundation/clock.ts';
import { isTimeout, withLimit } from '../deadline.ts';
import { boundedCalls } from '../deadline-calls.ts';
import { guardOf, type NetOptions } from '../outbound/guarded-agent.ts';
import type { EmailMessage, EmailTransport, SendOutcome } from '../port.ts';
import type { RelayOptions } from './connection.ts';
import { type DkimOf, isUsable } from './dkim.ts';
import { smtpLogin, supportsUtf8 } from './login.ts';
import { isSafe, mailOf, needsUtf8, signedBy, UNSAFE_MAIL } from './mail.ts';
import { smtpOutcome } from './outcome.ts';
import { SMTP_CONNECTIONS, SmtpFailure, type SmtpPool, smtpPool } from './pool.ts';
import {
  CLEAR_TEXT_RULE,
  checkSmtp,
  isAllowedRelay,
  relayGuard,
  type SmtpRules,
  type SmtpSettings,
} from './settings.ts';

/** Milliseconds of one mail in total. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 25_000;
/** Milliseconds for which the server's SMTPUTF8 support is cached. Chosen. */
const UTF8_KNOWN_MS = 3_600_000;

/** Options of the operator; a tenant's settings never set these. */
export type SmtpOptions = NetOptions &
  SmtpRules & {
    readonly clock: Clock;
    readonly limitMs?: number | undefined;
    /** DKIM key, for relays that do not sign; default none. */
    readonly dkimOf?: DkimOf | undefined;
  };

const outcomes = {
  refusedRelay: {
    result: 'credential',
    code: 'blocked_address',
    message: 'The host or the port of the server is not one that may be used.',
  },
  noUtf8: {
    result: 'failed',
    code: 'smtputf8_unsupported',
    message: 'An address has letters beyond ASCII before its at sign, and the server takes none of those.',
  },
  unusableKey: {
    result: 'failed',
    code: 'dkim_key_unusable',
    message: 'The key that signs mail of this domain is not RSA of at least 1,024 bits.',
  },
  accepted: { result: 'accepted', providerId: null },
} as const satisfies Record<string, SendOutcome>;

const timeout = {
  result: 'retry',
  code: 'timeout',
  message: 'No answer within the time of a call.',
  processed: 'no',
} as const satisfies SendOutcome;

const left = (signal: AbortSignal, isSent: boolean): SendOutcome => ({
  ...timeout,
  code: isTimeout(signal.reason) ? 'timeout' : 'aborted',
  processed: isSent ? 'unknown' : 'no',
});

/**
 * Mail through one relay: a pool of 5 connections, TLS unless the settings say `tls: "none"`, one recipient per mail.
 * The settings must be checked.
 *
 * An address that the server does not know is `bounced`; an address refused for another reason stays valid. A mail with
 * a non-ASCII address is not offered to a server without SMTPUTF8. A relay that refuses the login, has no trusted TLS,
 * or resolves to a private address is `credential`.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const smtpTransport = (settings: SmtpSettings, options: SmtpOptions): EmailTransport<SmtpSettings> => {
  const { clock, ca, limitMs = LIMIT_MS, dkimOf = async () => null } = options;
  const own = guardOf(options);
  const relayOf = (relaySettings: SmtpSettings): RelayOptions => ({
    guard: relayGuard(relaySettings, options, own),
    ca,
  });
  const relay = relayOf(settings);
  const outcomeOf = ({ tls }: SmtpSettings, error: unknown, isSent: boolean, attempt = 1): SendOutcome => {
    const outcome = smtpOutcome(error, isSent, attempt);
    return tls === 'none' && outcome.result === 'credential' && outcome.code === 'blocked_address'
      ? { ...outcome, message: CLEAR_TEXT_RULE }
      : outcome;
  };
  const calls = boundedCalls({ maxInFlight: SMTP_CONNECTIONS, limitMs });
  let loading: Promise<SmtpPool> | undefined;
  let utf8: { readonly isSupported: boolean; readonly untilMs: number } | undefined;

  /** Null if the server supports non-ASCII addresses; else the outcome of a mail with one. */
  const refusedUtf8 = async (signal: AbortSignal): Promise<SendOutcome | null> => {
    const nowMs = clock.now().getTime();
    try {
      if (utf8 === undefined || utf8.untilMs <= nowMs)
        utf8 = { isSupported: await supportsUtf8(settings, relay, signal), untilMs: nowMs + UTF8_KNOWN_MS };
      return utf8.isSupported ? null : outcomes.noUtf8;
    } catch (error) {
      return signal.aborted ? left(signal, false) : outcomeOf(settings, error, false);
    }
  };

  const deliver = async (message: EmailMessage, attempt: number, signal: AbortSignal): Promise<SendOutcome> => {
    if (!isSafe(message)) return UNSAFE_MAIL;
    if (!isAllowedRelay(settings, options)) return outcomes.refusedRelay;
    const refused = needsUtf8(message) ? await refusedUtf8(signal) : null;
    if (refused) return refused;
    loading ??= smtpPool(settings, relay);
    const pool = await loading;
    const key = await dkimOf(message.from.email);
    if (key !== null && !isUsable(key)) return outcomes.unusableKey;
    try {
      return { result: 'accepted', providerId: await pool.send(signedBy(key, mailOf(message, clock.now())), signal) };
    } catch (error) {
      if (!(error instanceof SmtpFailure)) throw error;
      return signal.aborted ? left(signal, error.isSent) : outcomeOf(settings, error.cause, error.isSent, attempt);
    }
  };

  const probe = async (probed: SmtpSettings): Promise<SendOutcome> => {
    if (!isAllowedRelay(probed, options)) return outcomes.refusedRelay;
    try {
      await withLimit(new AbortController().signal, limitMs, (limited) => smtpLogin(probed, relayOf(probed), limited));
      return outcomes.accepted;
    } catch (error) {
      return isTimeout(error) ? timeout : outcomeOf(probed, error, false);
    }
  };

  return {
    name: 'smtp',
    maxInFlight: SMTP_CONNECTIONS,
    check: (checked) => checkSmtp(checked, options, own),
    probe,
    send: (message, { signal, attempt }) => calls.run(signal, (limited) => deliver(message, attempt, limited)),
    close: async () => {
      await calls.drain();
      (await loading)?.close();
    },
  };
};
