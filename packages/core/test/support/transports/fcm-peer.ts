import { generateKeyPairSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';
import type { FcmSettings } from '../../../src/delivery/transports/fcm/settings.ts';
import { type Clock, systemClock } from '../../../src/foundation/clock.ts';
import { type TokenEndpoint, tokenEndpoint } from './fcm-token-endpoint.ts';
import { type Http2Oddity, playEarly, playLate } from './http2-oddities.ts';
import { type Http2Peer, http2Peer, type PeerRequest } from './http2-peer.ts';

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';
const MAX_BYTES = 4_096;
const RESERVED = /^(?:(?:from|message_type)$|google\.|gcm\.notification\.)/;

type Answer = {
  readonly status: number;
  readonly word: string;
  readonly message?: string;
  readonly errorCode?: string;
  readonly field?: string;
  readonly retryAfter?: string;
};

/** FCM responses that a registration token can request. Source: transports, FCM, Outcomes. */
const ANSWERS = {
  unregistered: { status: 404, word: 'NOT_FOUND', errorCode: 'UNREGISTERED' },
  'not-found': { status: 404, word: 'NOT_FOUND' },
  'bad-token': {
    status: 400,
    word: 'INVALID_ARGUMENT',
    errorCode: 'INVALID_ARGUMENT',
    message: 'The registration token is not a valid FCM registration token',
  },
  'bad-token-field': {
    status: 400,
    word: 'INVALID_ARGUMENT',
    errorCode: 'INVALID_ARGUMENT',
    field: 'message.token',
  },
  'bad-field': {
    status: 400,
    word: 'INVALID_ARGUMENT',
    errorCode: 'INVALID_ARGUMENT',
    field: 'message.android.ttl',
    message: 'Invalid value; the registration token is not a valid excuse',
  },
  'bad-argument': { status: 400, word: 'INVALID_ARGUMENT', errorCode: 'INVALID_ARGUMENT', message: 'Message too big' },
  'bad-json': { status: 400, word: 'INVALID_ARGUMENT', message: 'registration token is not a valid FCM token' },
  'sender-mismatch': { status: 403, word: 'PERMISSION_DENIED', errorCode: 'SENDER_ID_MISMATCH' },
  quota: { status: 429, word: 'RESOURCE_EXHAUSTED', errorCode: 'QUOTA_EXCEEDED' },
  'quota-wait': { status: 429, word: 'RESOURCE_EXHAUSTED', errorCode: 'QUOTA_EXCEEDED', retryAfter: '7' },
  unavailable: { status: 503, word: 'UNAVAILABLE', errorCode: 'UNAVAILABLE' },
  'unavailable-wait': { status: 503, word: 'UNAVAILABLE', errorCode: 'UNAVAILABLE', retryAfter: '30' },
  internal: { status: 500, word: 'INTERNAL', errorCode: 'INTERNAL' },
  'third-party': { status: 401, word: 'UNAUTHENTICATED', errorCode: 'THIRD_PARTY_AUTH_ERROR' },
  unauthenticated: { status: 401, word: 'UNAUTHENTICATED' },
  forbidden: { status: 403, word: 'PERMISSION_DENIED' },
  'new-400': { status: 418, word: 'SOMETHING_NEW', errorCode: 'SOMETHING_NEW' },
  'new-500': { status: 502, word: 'SOMETHING_NEW', errorCode: 'SOMETHING_NEW' },
} as const satisfies Readonly<Record<string, Answer>>;

type FcmAnswer = keyof typeof ANSWERS;
export type FcmBehaviour = 'ok' | 'wait-date' | FcmAnswer | Http2Oddity;

/** A registration token with this behavior; different names give different tokens. */
export const fcmToken = (behaviour: FcmBehaviour, name = ''): string => `play=${behaviour}:${name}`;
const behaviourOf = (token: unknown): string => /^play=([\w-]+):/.exec(`${token}`)?.[1] ?? 'ok';

/** The parts of a message that the stand-in reads; once accepted, those without `?` exist. */
export type FcmWire = {
  readonly token: string;
  readonly data: Readonly<Record<string, string>>;
  readonly notification?: { readonly title?: string; readonly body?: string; readonly image?: string };
  readonly android?: { readonly ttl?: string; readonly notification?: { readonly tag?: string } };
};

/** A message that the stand-in accepted. */
export type FcmArrival = {
  readonly message: FcmWire;
  readonly headers: IncomingHttpHeaders;
  readonly connection: string;
  readonly email: string;
};

export type FcmPeer = Http2Peer & {
  readonly tokens: TokenEndpoint;
  /** Settings of a new service account that this stand-in accepts from now on. */
  settings(name: string): FcmSettings;
  /** Deletes the service account of these settings, and expires every access token. */
  withdraw(settings: Pick<FcmSettings, 'serviceAccount'>): void;
  arrived(): readonly FcmArrival[];
  /** Completely read requests, accepted or not. */
  requests(): number;
};

const keyPairs: string[] = [];
/** An RSA key; created once per index, because creating one takes long. */
export const rsaKey = (place: number): string => {
  keyPairs[place] ??= generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  return keyPairs[place];
};

const bodyOf = ({ status, word, message = 'Refused', errorCode, field }: Answer): string =>
  JSON.stringify({
    error: {
      code: status,
      message,
      status: word,
      details: [
        ...(errorCode ? [{ '@type': FCM_ERROR, errorCode }] : []),
        ...(field ? [{ '@type': BAD_REQUEST, fieldViolations: [{ field, description: 'no' }] }] : []),
      ],
    },
  });

const fault = (message: Partial<FcmWire> | undefined): string | null => {
  if (typeof message?.token !== 'string') return 'message.token';
  if (Buffer.byteLength(JSON.stringify(message)) > MAX_BYTES) return 'message';
  const data = Object.entries(message.data ?? {});
  if (data.length === 0) return 'message.data';
  if (data.some(([key, value]) => typeof value !== 'string' || RESERVED.test(key))) return 'message.data';
  return /^\d{1,7}s$/.test(message.android?.ttl ?? '0s') ? null : 'message.android.ttl';
};

export type FcmPeerOptions = {
  readonly clock?: Clock;
  /** Whether the token endpoint uses TLS, with the certificate of the test authority. */
  readonly isSecure?: boolean;
  /** Minimum duration of an accepted message, in milliseconds; called for each. */
  readonly takesMs?: () => number;
};

/** A stand-in for FCM and its token endpoint. It accepts 100 requests at once, as FCM does. */
export const fcmPeer = async (options: FcmPeerOptions = {}): Promise<FcmPeer> => {
  const { clock = systemClock, isSecure = false, takesMs = () => 0 } = options;
  const keys = new Map<string, string>();
  const projects = new Map<string, string>();
  const arrived: FcmArrival[] = [];
  let requests = 0;
  const tokens = await tokenEndpoint(keys, clock, isSecure);

  const say = ({ answer }: PeerRequest, what: Answer): void => {
    const wait = what.retryAfter === undefined ? {} : { 'retry-after': what.retryAfter };
    answer(what.status, bodyOf(what), wait);
  };

  const refusalOf = (headers: IncomingHttpHeaders, email: string | null, message?: FcmWire): Answer | null => {
    if (email === null) return ANSWERS.unauthenticated;
    if (headers[':path'] !== `/v1/projects/${projects.get(email)}/messages:send`) return ANSWERS.forbidden;
    const field = fault(message);
    return field ? { ...ANSWERS['bad-field'], field } : null;
  };

  const respond = (request: PeerRequest): void => {
    const { headers, body, connection, stream, reset, answer } = request;
    const { message }: { readonly message: FcmWire } = JSON.parse(body);
    const behaviour = behaviourOf(message?.token);
    // The behavior is in the body, so what should happen before it is read happens right after.
    if (playEarly(behaviour === 'reset-midway' ? 'reset-early' : behaviour, stream, reset)) return;
    const email = tokens.ownerOf(`${headers.authorization}`.replace(/^Bearer /, ''));
    const refusal = refusalOf(headers, email, message);
    const retryAfter = new Date(clock.now().getTime() + 30_000).toUTCString();
    if (refusal || email === null) say(request, refusal ?? ANSWERS.unauthenticated);
    else if (behaviour === 'wait-date') say(request, { ...ANSWERS.unavailable, retryAfter });
    // Proof of the cast: the name is one of the keys of ANSWERS.
    else if (behaviour in ANSWERS) say(request, ANSWERS[behaviour as FcmAnswer]);
    else if (!playLate(behaviour, request)) {
      arrived.push({ message, headers, connection, email });
      const name = `projects/${projects.get(email)}/messages/0:${arrived.length}`;
      const done = (): void => answer(200, JSON.stringify({ name }));
      const ms = takesMs();
      if (ms > 0) setTimeout(done, ms);
      else done();
    }
  };

  const peer = await http2Peer({
    maxConcurrentStreams: 100,
    request: (request) => {
      requests += 1;
      try {
        respond(request);
      } catch {
        say(request, ANSWERS['bad-json']);
      }
    },
  });

  return {
    ...peer,
    tokens,
    settings: (name) => {
      const email = `${name}@example.iam.gserviceaccount.com`;
      const key = rsaKey(keys.size);
      keys.set(email, key);
      projects.set(email, `project-${name}`);
      return {
        serviceAccount: {
          project_id: `project-${name}`,
          client_email: email,
          private_key: key,
          token_uri: tokens.uri,
        },
      };
    },
    withdraw: ({ serviceAccount }) => {
      keys.delete(serviceAccount.client_email);
      tokens.expireTokens();
    },
    arrived: () => arrived,
    requests: () => requests,
    stop: async () => {
      await Promise.all([peer.stop(), tokens.stop()]);
    },
  };
};
