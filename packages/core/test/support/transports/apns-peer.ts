import { createHash, generateKeyPairSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';
import type { ApnsSettings } from '../../../src/delivery/transports/apns/settings.ts';
import { type Clock, systemClock } from '../../../src/foundation/clock.ts';
import type { ApnsEnvironment } from '../../../src/foundation/device-platform.ts';
import { type KnownKey, requestFault, tokenValidator } from './apns-rules.ts';
import { HTTP2_ODDITIES, type Http2Oddity, playEarly, playLate } from './http2-oddities.ts';
import { type Http2Peer, http2Peer, type PeerRequest } from './http2-peer.ts';

/** APNs responses that a device token can request, and their statuses. Source: transports, APNs, Outcomes. */
const REASONS = {
  BadDeviceToken: 400,
  DeviceTokenNotForTopic: 400,
  BadTopic: 400,
  MissingTopic: 400,
  TopicDisallowed: 400,
  InvalidPushType: 400,
  BadCollapseId: 400,
  BadExpirationDate: 400,
  BadPriority: 400,
  BadMessageId: 400,
  PayloadEmpty: 400,
  DuplicateHeaders: 400,
  MissingDeviceToken: 400,
  BadPath: 404,
  MethodNotAllowed: 405,
  PayloadTooLarge: 413,
  Unregistered: 410,
  ExpiredToken: 410,
  ExpiredProviderToken: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadEnvironmentKeyIdInToken: 403,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  Forbidden: 403,
  TooManyRequests: 429,
  TooManyProviderTokenUpdates: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
  SomethingNew400: 400,
  SomethingNew502: 502,
} as const;
export type ApnsReason = keyof typeof REASONS;
// Proof of the cast: the keys of that very object.
export const APNS_REASONS = Object.keys(REASONS) as readonly ApnsReason[];

const SPECIAL = ['ok', 'slow', 'wait-seconds', 'wait-date', 'sandbox-only'] as const;
/** What a device token can request: a reason of APNs, a network fault, or one of `SPECIAL`. */
export type ApnsBehaviour = ApnsReason | Http2Oddity | (typeof SPECIAL)[number];
const ALL: readonly ApnsBehaviour[] = [...SPECIAL, ...HTTP2_ODDITIES, ...APNS_REASONS];
const MARK = 'beef';

/** A device token with this behavior; different names give different tokens. */
export const apnsToken = (behaviour: ApnsBehaviour, name = ''): string => {
  const at = ALL.indexOf(behaviour).toString(16).padStart(2, '0');
  return `${MARK}${at}${createHash('sha256').update(name).digest('hex').slice(6)}`;
};

const tokenOf = (headers: IncomingHttpHeaders): string => /\/([^/]*)$/.exec(headers[':path'] ?? '')?.[1] ?? '';
const behaviourOf = (headers: IncomingHttpHeaders): ApnsBehaviour => {
  const token = tokenOf(headers);
  return (token.startsWith(MARK) ? ALL[Number.parseInt(token.slice(4, 6), 16)] : undefined) ?? 'ok';
};

/** A message that the stand-in accepted. */
export type ApnsArrival = {
  readonly headers: IncomingHttpHeaders;
  readonly payload: string;
  readonly connection: string;
  readonly keyId: string;
};

/**
 * The result of a message that would be accepted, by its apns-id, its device token and the key of its credentials: null
 * accepts it, `hold` leaves it unanswered until `letGo`.
 */
export type ApnsScript = (message: {
  readonly id: string;
  readonly token: string;
  readonly keyId: string;
}) => { readonly reason: ApnsReason; readonly retryAfter?: string } | 'hold' | null;

export type ApnsPeerOptions = {
  readonly environment?: ApnsEnvironment;
  readonly maxConcurrentStreams?: number;
  /** The clock for `iat` and `Retry-After`. */
  readonly clock?: Clock;
  /** Duration of `slow`, and minimum duration of every accepted message; milliseconds, called for each. */
  readonly slowMs?: () => number;
  readonly takesMs?: () => number;
};

export type ApnsPeer = Http2Peer & {
  /** Settings with a new key that this stand-in accepts from now on. */
  settings(changes?: Partial<ApnsSettings>): ApnsSettings;
  arrived(): readonly ApnsArrival[];
  /** Completely read requests, accepted or not, by apns-id. */
  readonly read: ReadonlyMap<string, number>;
  /**
   * Accepted messages without a response yet, by apns-id.
   *
   * @param answeredWithinMs also those with a response this short ago, which may not have arrived
   */
  unheard(answeredWithinMs?: number): ReadonlySet<string>;
  /** Called from now on before a message is accepted; null: none. */
  play(script: ApnsScript | null): void;
  /** Accepts everything that was left unanswered. */
  release(): void;
  /** Every provider token seen so far counts as expired from now on. */
  expireTokens(): void;
  /** Distinct provider tokens seen so far. */
  tokens(): number;
};

/** A P-256 key as Apple issues it. */
export const p8 = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A stand-in for one of the hosts of APNs. */
export const apnsPeer = async (options: ApnsPeerOptions = {}): Promise<ApnsPeer> => {
  const { environment = 'production', maxConcurrentStreams = 1_000, clock = systemClock } = options;
  const { slowMs = () => 50, takesMs = () => 0 } = options;
  const keys: KnownKey[] = [];
  const arrived: ApnsArrival[] = [];
  const read = new Map<string, number>();
  /** Accepted ones, with the time of the response; Infinity: none yet. */
  const answeredAt = new Map<string, number>();
  const held = new Set<() => void>();
  let script: ApnsScript = () => null;
  const validator = tokenValidator(
    () => keys,
    () => Math.floor(clock.now().getTime() / 1000),
  );

  const refuse = ({ answer }: PeerRequest, status: number, reason: string, headers = {}): void =>
    answer(
      status,
      JSON.stringify({ reason, ...(status === 410 ? { timestamp: clock.now().getTime() } : {}) }),
      headers,
    );

  const accept = (request: PeerRequest, key: KnownKey): void => {
    arrived.push({
      headers: request.headers,
      payload: request.body,
      connection: request.connection,
      keyId: key.keyId,
    });
    const id = `${request.headers['apns-id']}`;
    answeredAt.set(id, Number.POSITIVE_INFINITY);
    const done = (): void => {
      // Nobody waits for the response once the connection is gone.
      if (request.stream.destroyed) answeredAt.delete(id);
      else answeredAt.set(id, performance.now());
      request.answer(200, '', { 'apns-id': id });
    };
    const ms = takesMs();
    if (ms > 0) setTimeout(done, ms);
    else done();
  };

  const play = (behaviour: ApnsBehaviour, request: PeerRequest, key: KnownKey): void => {
    const wait = (retryAfter: string): void =>
      refuse(request, 503, 'ServiceUnavailable', { 'retry-after': retryAfter });
    if (behaviour === 'slow') setTimeout(() => accept(request, key), slowMs());
    else if (behaviour === 'wait-seconds') wait('30');
    else if (behaviour === 'wait-date') wait(new Date(clock.now().getTime() + 30_000).toUTCString());
    else if (behaviour === 'sandbox-only' && environment !== 'sandbox') refuse(request, 400, 'BadDeviceToken');
    else accept(request, key);
  };

  const peer = await http2Peer({
    maxConcurrentStreams,
    begin: (headers, stream, reset) => (playEarly(behaviourOf(headers), stream, reset) ? 'done' : 'read'),
    request: (request) => {
      const { headers, body } = request;
      const id = `${headers['apns-id']}`;
      read.set(id, (read.get(id) ?? 0) + 1);
      const key = validator.validate(headers);
      const fault = 'reason' in key ? key : requestFault(headers, body, key.topic);
      if (fault || 'reason' in key) {
        if (fault) refuse(request, fault.status, fault.reason);
        return;
      }
      const decision = script({ id, token: tokenOf(headers), keyId: key.keyId });
      if (decision === 'hold') {
        held.add(() => accept(request, key));
        return;
      }
      if (decision) {
        const wait = decision.retryAfter === undefined ? {} : { 'retry-after': decision.retryAfter };
        refuse(request, REASONS[decision.reason], decision.reason, wait);
        return;
      }
      const behaviour = behaviourOf(headers);
      const reason = APNS_REASONS.find((name) => name === behaviour);
      if (reason) refuse(request, REASONS[reason], reason);
      else if (!playLate(behaviour, request)) play(behaviour, request, key);
    },
  });

  return {
    ...peer,
    settings: (changes = {}) => {
      const settings: ApnsSettings = {
        keyId: `KEY${`${keys.length}`.padStart(7, '0')}`,
        teamId: 'TEAM000001',
        key: p8(),
        topic: 'com.example.app',
        environment,
        ...changes,
      };
      keys.push(settings);
      return settings;
    },
    arrived: () => arrived,
    read,
    unheard: (answeredWithinMs = 0) => {
      const since = performance.now() - answeredWithinMs;
      return new Set([...answeredAt].flatMap(([id, at]) => (at > since ? [id] : [])));
    },
    play: (next) => {
      script = next ?? (() => null);
    },
    release: () => {
      for (const take of held) take();
      held.clear();
    },
    expireTokens: validator.expireAll,
    tokens: validator.distinct,
  };
};
