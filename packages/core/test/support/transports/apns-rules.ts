import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';

/** Seconds that a provider token lasts. Source: Apple, Establishing a token-based connection. */
const LIFE_SECONDS = 3_600;
const MAX_BYTES = 4_096;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An error response of APNs. */
export type Refusal = { readonly status: number; readonly reason: string };
/** A key that the stand-in accepts. `key`: PEM of the public or private key. */
export type KnownKey = {
  readonly keyId: string;
  readonly teamId: string;
  readonly key: string;
  readonly topic: string;
};

const refusal = (status: number, reason: string): Refusal => ({ status, reason });

const part = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8'));
  } catch {
    return {};
  }
};

/** Validates provider tokens as Apple does: signature once per distinct token, age at every use. */
export const tokenValidator = (known: () => readonly KnownKey[], nowSeconds: () => number) => {
  const expired = new Set<string>();
  const seen = new Map<string, { readonly key: KnownKey; readonly iat: number } | null>();
  const publicKeys = new Map<string, KeyObject>();

  const publicKey = ({ key }: KnownKey): KeyObject => {
    const made = publicKeys.get(key) ?? createPublicKey(key);
    publicKeys.set(key, made);
    return made;
  };
  const opened = (jwt: string) => {
    const [head, claims, signature, ...more] = jwt.split('.');
    const { alg, kid } = part(head);
    const { iss, iat } = part(claims);
    const key = known().find(({ keyId, teamId }) => keyId === kid && teamId === iss);
    if (!key || alg !== 'ES256' || more.length > 0 || typeof iat !== 'number') return null;
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: publicKey(key), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature ?? '', 'base64url'),
    );
    return isSigned ? { key, iat } : null;
  };

  return {
    /** Number of distinct tokens seen. */
    distinct: (): number => seen.size,
    /** Every token seen so far counts as expired from now on. */
    expireAll: (): void => {
      for (const jwt of seen.keys()) expired.add(jwt);
    },
    validate: (headers: IncomingHttpHeaders): KnownKey | Refusal => {
      const { authorization } = headers;
      if (!authorization?.startsWith('bearer ')) return refusal(403, 'MissingProviderToken');
      const jwt = authorization.slice('bearer '.length);
      const found = seen.has(jwt) ? seen.get(jwt) : opened(jwt);
      seen.set(jwt, found ?? null);
      if (!found || found.iat > nowSeconds() + LIFE_SECONDS) return refusal(403, 'InvalidProviderToken');
      if (expired.has(jwt) || nowSeconds() - found.iat > LIFE_SECONDS) return refusal(403, 'ExpiredProviderToken');
      return found.key;
    },
  };
};

const text = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '');

/** What is wrong with a request besides its authorization; null if APNs would accept it. */
export const requestFault = (headers: IncomingHttpHeaders, body: string, topic: string): Refusal | null => {
  const path = text(headers[':path']);
  const [id, type, priority] = [headers['apns-id'], headers['apns-push-type'], headers['apns-priority']].map(text);
  if (headers[':method'] !== 'POST') return refusal(405, 'MethodNotAllowed');
  if (!/^\/3\/device\/[^/]*$/.test(path)) return refusal(404, 'BadPath');
  if (!/^\/3\/device\/(?:[0-9a-f]{2}){32,100}$/i.test(path)) return refusal(400, 'BadDeviceToken');
  if (text(headers['apns-topic']) === '') return refusal(400, 'MissingTopic');
  if (headers['apns-topic'] !== topic) return refusal(400, 'TopicDisallowed');
  if (!UUID.test(id ?? '')) return refusal(400, 'BadMessageId');
  if (type !== 'alert' && type !== 'background') return refusal(400, 'InvalidPushType');
  if (!/^(?:1|5|10)$/.test(priority ?? '') || (type === 'background' && priority !== '5')) {
    return refusal(400, 'BadPriority');
  }
  if (!/^\d{1,10}$/.test(text(headers['apns-expiration']))) return refusal(400, 'BadExpirationDate');
  if (Buffer.byteLength(text(headers['apns-collapse-id'])) > 64) return refusal(400, 'BadCollapseId');
  if (Buffer.byteLength(body) > MAX_BYTES) return refusal(413, 'PayloadTooLarge');
  try {
    const payload: unknown = JSON.parse(body);
    const isFull = typeof payload === 'object' && payload !== null && 'aps' in payload;
    return isFull ? null : refusal(400, 'PayloadEmpty');
  } catch {
    return refusal(400, 'PayloadEmpty');
  }
};
