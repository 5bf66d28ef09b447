import type { Clock } from '../../primitives/clock.ts';
import { isTimeout, withLimit } from '../deadline.ts';
import { boundedCalls } from '../deadline-calls.ts';
import { guardOf, type NetOptions } from '../outbound/guarded-agent.ts';
import type { EmailMessage, EmailTransport, SendOutcome } from '../port.ts';
import { smtpLogin } from './login.ts';
import { isSafe, mailOf } from './mail.ts';
import { smtpOutcome } from './outcome.ts';
import { SMTP_CONNECTIONS, SmtpFailure, type SmtpPool, smtpPool } from './pool.ts';
import { checkSmtp, isAllowedRelay, type SmtpRules, type SmtpSettings } from './settings.ts';

/** Milliseconds of one mail, all told. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 25_000;

/** The operator's word; a tenant's settings never set these. */
export type SmtpOptions = NetOptions &
  SmtpRules & {
    readonly clock: Clock;
    readonly limitMs?: number | undefined;
  };

const outcomes = {
  refusedRelay: {
    result: 'credential',
    code: 'blocked_address',
    message: 'The host or the port of the server is not one that may be used.',
  },
  unsafe: { result: 'failed', code: 'invalid_message', message: 'An address or a header of the mail is not one line.' },
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
 * Mail through one relay: a pool of 5 connections, TLS always, one recipient per mail. Settings are taken as checked.
 *
 * An address that the server does not know is `bounced`; one that it refuses for another reason is kept. A relay that
 * refuses the login, has no TLS that can be trusted, or leads to a private address is `credential`.
 *
 * @throws TypeError when an allowed network is none
 */
export const smtpTransport = (settings: SmtpSettings, options: SmtpOptions): EmailTransport<SmtpSettings> => {
  const { clock, ca, limitMs = LIMIT_MS } = options;
  const guard = guardOf(options);
  const calls = boundedCalls({ maxInFlight: SMTP_CONNECTIONS, limitMs });
  let loading: Promise<SmtpPool> | undefined;

  const deliver = async (message: EmailMessage, signal: AbortSignal): Promise<SendOutcome> => {
    if (!isSafe(message)) return outcomes.unsafe;
    if (!isAllowedRelay(settings, options)) return outcomes.refusedRelay;
    loading ??= smtpPool(settings, { guard, ca });
    const pool = await loading;
    try {
      return { result: 'accepted', providerId: await pool.send(mailOf(message, clock.now()), signal) };
    } catch (error) {
      if (!(error instanceof SmtpFailure)) throw error;
      return signal.aborted ? left(signal, error.isSent) : smtpOutcome(error.cause, error.isSent);
    }
  };

  const probe = async (probed: SmtpSettings): Promise<SendOutcome> => {
    if (!isAllowedRelay(probed, options)) return outcomes.refusedRelay;
    try {
      await withLimit(new AbortController().signal, limitMs, (limited) => smtpLogin(probed, { guard, ca }, limited));
      return outcomes.accepted;
    } catch (error) {
      return isTimeout(error) ? timeout : smtpOutcome(error, false);
    }
  };

  return {
    name: 'smtp',
    maxInFlight: SMTP_CONNECTIONS,
    check: (checked) => checkSmtp(checked, options, guard),
    probe,
    send: (message, { signal }) => calls.run(signal, (limited) => deliver(message, limited)),
    close: async () => {
      await calls.drain();
      (await loading)?.close();
    },
  };
};
