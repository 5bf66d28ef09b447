import type { Clock } from '../../../foundation/clock.ts';
import type { Log } from '../../../foundation/log.ts';
import { withDeadline } from '../deadline.ts';
import { boundedCalls } from '../deadline-calls.ts';
import { type Http2Result, http2Session } from '../http2/session.ts';
import type { NetOptions } from '../outbound/guarded-agent.ts';
import type { PushTransport, SendOutcome } from '../port.ts';
import { type Access, accessTokens } from './access-token.ts';
import { fcmOutcome, isAccessRefused } from './outcome.ts';
import { FCM_MAX_BYTES, fcmMessage, reservedDataKey } from './payload.ts';
import { checkFcm, type FcmSettings, GOOGLE_TOKEN_URIS } from './settings.ts';

export type { FcmSettings } from './settings.ts';

/** Source: transports, FCM, Wire. */
const ENDPOINT = 'https://fcm.googleapis.com';
/** Source: reliability, P6. */
const MAX_IN_FLIGHT = 900;
/** Milliseconds of one call in total. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;

/** Options of the operator; a tenant's settings set none of them. */
export type FcmOptions = {
  readonly clock: Clock;
  readonly random: () => number;
  /** Replaces Google's host, for example by a relay. */
  readonly endpoint?: string | undefined;
  /** Certificate authorities to trust for the endpoint instead of the default ones. PEM. */
  readonly ca?: string | undefined;
  /** Allowed token URIs; absent: only Google's. */
  readonly tokenUris?: readonly string[] | undefined;
  /** Network rules and trust for the host of a token URI. */
  readonly net?: NetOptions | undefined;
  readonly log?: Log | undefined;
  readonly limitMs?: number | undefined;
};

const tooLarge: SendOutcome = {
  result: 'failed',
  code: 'payload_too_large',
  message: `The message is more than ${FCM_MAX_BYTES} bytes of JSON.`,
};
const reserved: SendOutcome = {
  result: 'failed',
  code: 'reserved_data_key',
  message: 'The data has a key that FCM keeps for itself: from, message_type, or one of google. or gcm.notification.',
};
const late: Access = {
  kind: 'none',
  outcome: {
    result: 'retry',
    code: 'timeout',
    message: 'No access token within the time of a call.',
    processed: 'no',
  },
};

/**
 * Push to Android through the HTTP v1 API. Construction does no I/O.
 *
 * @throws TypeError when the endpoint is an invalid URL
 */
export const fcmTransport = (settings: FcmSettings, options: FcmOptions): PushTransport<FcmSettings> => {
  const { clock, random, ca, log, tokenUris = GOOGLE_TOKEN_URIS, net = {}, limitMs = LIMIT_MS } = options;
  const { endpoint = ENDPOINT } = options;
  const { serviceAccount, criticalChannelId } = settings;
  const calls = boundedCalls({ maxInFlight: MAX_IN_FLIGHT, limitMs });
  const session = http2Session({ origin: endpoint, ca, maxInFlight: MAX_IN_FLIGHT, warmUp: false, random, log });
  const tokens = accessTokens(serviceAccount, { clock, random, net, log });
  const path = `/v1/projects/${serviceAccount.project_id}/messages:send`;
  // Checks the tenant's values first: the project becomes part of a path, and the URI is connected to.
  const fault = checkFcm(settings, tokenUris)[0];

  const waited = async (signal: AbortSignal, ask: () => Promise<Access>): Promise<Access> => {
    try {
      return await withDeadline(signal, ask);
    } catch {
      return late;
    }
  };

  const outcomeOf = (result: Http2Result): SendOutcome => {
    if (result.kind === 'none') return result.outcome;
    const outcome = fcmOutcome(result.answer, clock);
    if (outcome.result === 'failed' && outcome.address === undefined) {
      log?.info({ code: outcome.code, status: result.answer.status }, 'FCM refused a message');
    }
    return outcome;
  };

  const deliver = async (body: string, signal: AbortSignal): Promise<SendOutcome> => {
    const post = (token: string): Promise<Http2Result> =>
      session.request(
        { path, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body },
        signal,
      );
    const held = tokens.held();
    const access: Access = held === null ? await waited(signal, tokens.current) : { kind: 'token', token: held };
    if (access.kind === 'none') return access.outcome;
    const first = await post(access.token);
    if (first.kind === 'none' || !isAccessRefused(first.answer)) return outcomeOf(first);
    const fresh = await waited(signal, () => tokens.renew(access.token));
    return fresh.kind === 'none' ? fresh.outcome : outcomeOf(await post(fresh.token));
  };

  return {
    name: 'fcm',
    maxInFlight: MAX_IN_FLIGHT,
    currentCapacity: session.currentCapacity,
    check: (candidate) => checkFcm(candidate, tokenUris),
    send: async (message, { signal }) => {
      if (fault) return { result: 'credential', code: 'invalid_settings', message: fault.message };
      if (reservedDataKey(message.data) !== null) return reserved;
      const json = fcmMessage(message, criticalChannelId);
      if (Buffer.byteLength(json) > FCM_MAX_BYTES) return tooLarge;
      return calls.run(signal, (limited) => deliver(`{"message":${json}}`, limited));
    },
    close: async () => {
      await calls.drain();
      await Promise.all([session.close(), tokens.close()]);
    },
  };
};
