import type { Clock } from '../../../foundation/clock.ts';
import type { ApnsEnvironment } from '../../../foundation/device-platform.ts';
import type { Log } from '../../../foundation/log.ts';
import { withDeadline } from '../deadline.ts';
import { boundedCalls } from '../deadline-calls.ts';
import { jsonObject, waitOf, wordOf } from '../http2/answer.ts';
import { type Http2Result, type Http2Session, http2Session } from '../http2/session.ts';
import type { Http2Answer } from '../http2/stream.ts';
import type { PushMessage, PushTransport, SendOutcome } from '../port.ts';
import { APNS_MAX_BYTES, apnsHeaders, apnsPayload } from './payload.ts';
import { type ApnsSettings, checkApns } from './settings.ts';
import { memorySharedToken, type ProviderToken, providerTokens, type SharedProviderToken } from './token.ts';

/** Source of this whole table: transports, APNs, Outcomes. */
const DEAD_FROM = 410;
const DEAD = new Set(['Unregistered', 'ExpiredToken']);
const CREDENTIAL = new Set([
  'ExpiredProviderToken',
  'InvalidProviderToken',
  'MissingProviderToken',
  'UnrelatedKeyIdInToken',
  'BadEnvironmentKeyIdInToken',
  'Forbidden',
]);
/** The topic comes from the settings, so every message would be refused. */
const WRONG_TOPIC = new Set(['BadTopic', 'TopicDisallowed']);
const ID = /^[\w-]{1,100}$/;

/** Apple's reason; null if the answer names none. */
const apnsReason = ({ body }: Http2Answer): string | null => wordOf(jsonObject(body)['reason']);

const since = ({ body }: Http2Answer): { readonly deadSince?: Date } => {
  const ms = jsonObject(body)['timestamp'];
  const date = new Date(typeof ms === 'number' && ms > 0 ? ms : Number.NaN);
  return Number.isNaN(date.getTime()) ? {} : { deadSince: date };
};

const accepted = ({ headers }: Http2Answer): SendOutcome => {
  const id = headers['apns-id'];
  return { result: 'accepted', providerId: typeof id === 'string' && ID.test(id) ? id : null };
};

/** The outcome of an APNs answer. Throws nothing, whatever the answer holds. */
const apnsOutcome = (answer: Http2Answer, clock: Clock): SendOutcome => {
  const { status } = answer;
  if (status === 200) return accepted(answer);
  const reason = apnsReason(answer);
  const code = reason ?? `http_${status}`;
  const message = `APNs answered ${status}${reason === null ? '' : ` ${reason}`}.`;
  if (status === 429 || status >= 500) {
    const processed = status === 429 || status === 503 ? 'no' : 'unknown';
    return { result: 'retry', code, message, processed, ...waitOf(answer, clock) };
  }
  if (status === DEAD_FROM && DEAD.has(code)) {
    return { result: 'failed', code, message, address: 'dead', ...since(answer) };
  }
  if (status === 400 && code === 'BadDeviceToken') return { result: 'failed', code, message, address: 'dead' };
  if (status === 403 && (CREDENTIAL.has(code) || code.startsWith('BadCertificate'))) {
    return { result: 'credential', code, message };
  }
  if (WRONG_TOPIC.has(code)) return { result: 'credential', code, message };
  return { result: 'failed', code, message };
};

export type { ApnsSettings } from './settings.ts';
export type { SharedProviderToken } from './token.ts';

/** Source: transports, APNs, Wire. */
const ENDPOINTS: Readonly<Record<ApnsEnvironment, string>> = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
};
/** Source: reliability, P6. */
const MAX_IN_FLIGHT = 900;
/** Milliseconds of one call in total. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** Characters that are safe in a path. Source: transports, Rules for every transport (5). */
const TOKEN = /^(?:[0-9a-fA-F]{2}){32,100}$/;

/** Options of the operator; a tenant's settings set none of them. */
export type ApnsOptions = {
  readonly clock: Clock;
  readonly random: () => number;
  /** Hosts in place of Apple's, such as a relay. */
  readonly endpoints?: Readonly<Record<ApnsEnvironment, string>> | undefined;
  /** Certificate authorities to trust for the endpoints instead of the default ones. PEM. */
  readonly ca?: string | undefined;
  /** Shared by all workers of this credential; absent: only this process uses it. */
  readonly sharedToken?: SharedProviderToken | undefined;
  readonly log?: Log | undefined;
  readonly limitMs?: number | undefined;
};

const failed = (code: string, message: string): SendOutcome => ({ result: 'failed', code, message });
const invalidToken = failed('invalid_token', 'The device token is not hexadecimal of an APNs token.');
const tooLarge = failed('payload_too_large', `The payload is more than ${APNS_MAX_BYTES} bytes of JSON.`);
const badKey: SendOutcome = {
  result: 'credential',
  code: 'invalid_key',
  message: 'The key of the APNs settings cannot sign.',
};
const noSlot = {
  result: 'retry',
  code: 'token_unavailable',
  message: 'The shared provider token could not be read or renewed.',
  processed: 'no',
} as const satisfies SendOutcome;

const other = (environment: ApnsEnvironment): ApnsEnvironment =>
  environment === 'production' ? 'sandbox' : 'production';

/**
 * Push to iOS. A token that one of Apple's hosts calls bad is tried on the other once; an accepted outcome names the
 * environment that took it. Construction does no I/O.
 *
 * @throws TypeError when an endpoint is an invalid URL
 */
export const apnsTransport = (settings: ApnsSettings, options: ApnsOptions): PushTransport<ApnsSettings> => {
  const {
    clock,
    random,
    endpoints = ENDPOINTS,
    ca,
    sharedToken = memorySharedToken(),
    log,
    limitMs = LIMIT_MS,
  } = options;
  const calls = boundedCalls({ maxInFlight: MAX_IN_FLIGHT, limitMs });
  const tokens = providerTokens(settings, { clock, sharedToken });
  const sessionOf = (environment: ApnsEnvironment): Http2Session =>
    http2Session({ origin: endpoints[environment], ca, maxInFlight: MAX_IN_FLIGHT, warmUp: true, random, log });
  const sessions = { production: sessionOf('production'), sandbox: sessionOf('sandbox') };

  const judged = (result: Http2Result): SendOutcome => {
    if (result.kind === 'none') return result.outcome;
    const outcome = apnsOutcome(result.answer, clock);
    if (outcome.result === 'failed' && outcome.address === undefined) {
      log?.info({ code: outcome.code, status: result.answer.status }, 'APNs refused a message');
    }
    return outcome;
  };

  type Call = {
    readonly message: PushMessage;
    readonly body: string;
    readonly signal: AbortSignal;
  };
  const post = (environment: ApnsEnvironment, { message, body, signal }: Call, { jwt }: ProviderToken) =>
    sessions[environment].request(
      {
        path: `/3/device/${message.token}`,
        headers: { authorization: `bearer ${jwt}`, ...apnsHeaders(message, settings.topic) },
        body,
      },
      signal,
    );

  /** A token, null if the key cannot sign, or undefined if the shared token is not available in time. */
  const waited = async (call: Call, ask: () => Promise<ProviderToken | null>) => {
    try {
      return await withDeadline(call.signal, ask);
    } catch {
      log?.warn({ code: noSlot.code }, 'the shared provider token of APNs is not to be had');
      return undefined;
    }
  };

  const attempt = async (environment: ApnsEnvironment, call: Call): Promise<SendOutcome> => {
    const token = tokens.held() ?? (await waited(call, tokens.current));
    if (!token) return token === null ? badKey : noSlot;
    const first = await post(environment, call, token);
    const isExpired =
      first.kind === 'answered' && first.answer.status === 403 && apnsReason(first.answer) === 'ExpiredProviderToken';
    const fresh = isExpired ? await waited(call, () => tokens.renew(token.jwt)) : null;
    return judged(fresh ? await post(environment, call, fresh) : first);
  };

  const onEither = async (call: Call): Promise<SendOutcome> => {
    const environment = call.message.apnsEnvironment ?? settings.environment;
    const first = await attempt(environment, call);
    if (first.result === 'accepted') return { ...first, apnsEnvironment: environment };
    if (first.result !== 'failed' || first.code !== 'BadDeviceToken') return first;
    const second = await attempt(other(environment), call);
    if (second.result === 'accepted') return { ...second, apnsEnvironment: other(environment) };
    // A key may work for one environment only, so one bad token must not block the whole credential.
    return second.result === 'credential' ? first : second;
  };

  return {
    name: 'apns',
    maxInFlight: MAX_IN_FLIGHT,
    currentCapacity: sessions[settings.environment].currentCapacity,
    check: checkApns,
    send: async (message, { signal }) => {
      if (!TOKEN.test(message.token)) return invalidToken;
      const body = apnsPayload(message);
      if (Buffer.byteLength(body) > APNS_MAX_BYTES) return tooLarge;
      return calls.run(signal, (limited) => onEither({ message, body, signal: limited }));
    },
    close: async () => {
      await calls.drain();
      await Promise.all([sessions.production.close(), sessions.sandbox.close()]);
    },
  };
};
