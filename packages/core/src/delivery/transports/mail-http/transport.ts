import { compact } from '../../../foundation/compact.ts';
// Mail through a provider's HTTP API. What the providers differ in is a MailApi; what they share is here: one mail to one
// recipient per request, over the guarded client, with the limits of every transport.

import type { Clock } from '../../../foundation/clock.ts';
import { boundedCalls } from '../deadline-calls.ts';
import type { NetOptions } from '../outbound/guarded-agent.ts';
import { guardedRequests } from '../outbound/guarded-agent-request.ts';
import type { EmailMessage, EmailTransport, SendOutcome, SettingsProblem } from '../port.ts';
import { isSafe, needsUtf8, UNSAFE_MAIL } from '../smtp/mail.ts';
import type { MailApi, MailRequest } from './api.ts';
import { answerOf, answerOutcome, silenceOutcome } from './outcome.ts';

/** Milliseconds of one mail in total. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** Concurrent requests. Chosen: an answer takes about 100 ms, as for SMS, so this is 300 mails a second. */
export const MAILS_IN_FLIGHT = 32;

/** Options of the operator; a tenant's settings never set these. */
export type MailHttpOptions = NetOptions & {
  readonly clock: Clock;
  /** Replaces the provider's own origin. */
  readonly endpoint?: string | undefined;
  readonly limitMs?: number | undefined;
};

/** Defines one mail API over its settings. */
export type MailProvider<S> = {
  /** Pure; throws nothing. */
  check(settings: S): readonly SettingsProblem[];
  /** Called with valid settings only. */
  api(settings: S): MailApi;
};

const misconfigured: SendOutcome = {
  result: 'credential',
  code: 'settings_invalid',
  message: 'The settings of the provider are incomplete or malformed.',
};
const noUtf8: SendOutcome = {
  result: 'failed',
  code: 'smtputf8_unsupported',
  message: 'An address has letters beyond ASCII before its at sign, and the provider takes none of those.',
};

/**
 * The transport of one account. Construction does no I/O.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const mailHttpTransport = <S>(
  { check, api: apiOf }: MailProvider<S>,
  settings: S,
  { clock, endpoint, limitMs = LIMIT_MS, ...net }: MailHttpOptions,
): EmailTransport<S> => {
  const own = check(settings).length === 0 ? apiOf(settings) : null;
  const calls = boundedCalls({ maxInFlight: MAILS_IN_FLIGHT, limitMs });
  const http = guardedRequests({ ...net, connections: MAILS_IN_FLIGHT });

  const ask = (api: MailApi, { method, path, headers, body }: MailRequest, signal: AbortSignal) => {
    const url = new URL(`${endpoint ?? api.origin}${path}`);
    const all = { accept: 'application/json', ...headers };
    return http.request({ url, method, headers: all, answer: 'read', ...compact({ body }) }, signal);
  };
  const originOf = (api: MailApi): string => endpoint ?? api.origin;

  const deliver = async (message: EmailMessage, signal: AbortSignal): Promise<SendOutcome> => {
    if (own === null) return misconfigured;
    if (!isSafe(message)) return UNSAFE_MAIL;
    if (needsUtf8(message)) return noUtf8;
    const result = await ask(own, await own.send(message, clock.now(), originOf(own)), signal);
    if (result.kind === 'none') return silenceOutcome(own, result);
    return answerOutcome(own, answerOf(result), clock.now());
  };

  const probed = async (tried: S, signal: AbortSignal): Promise<SendOutcome> => {
    if (check(tried).length > 0) return misconfigured;
    const api = apiOf(tried);
    const result = await ask(api, api.probe(clock.now(), originOf(api)), signal);
    if (result.kind === 'none') return silenceOutcome(api, result);
    const answer = answerOf(result);
    if (api.isKnown?.(answer)) return { result: 'accepted', providerId: null };
    const outcome = answerOutcome(api, answer, clock.now());
    return outcome.result === 'accepted' ? { result: 'accepted', providerId: null } : outcome;
  };

  return {
    name: own?.name ?? 'email',
    maxInFlight: MAILS_IN_FLIGHT,
    check,
    probe: (tried) => calls.run(new AbortController().signal, (signal) => probed(tried, signal)),
    send: (message, { signal }) => calls.run(signal, (limited) => deliver(message, limited)),
    close: async () => {
      await calls.drain();
      await http.close();
    },
  };
};
