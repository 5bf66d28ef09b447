import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from '../generated/wire.ts';

export type { WebhookEvent } from '../generated/wire.ts';

/**
 * `headers`: missing or malformed. `time`: too old, or too far in the future. `signature`: none matches. `body`: no
 * JSON.
 */
export type WebhookReason = 'headers' | 'time' | 'signature' | 'body';
/** Headers from `fetch`, from `node:http` or from a framework; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
export type WebhookOptions = {
  /** Maximum difference between the sender's clock and this one. Default: 300. */
  readonly toleranceSeconds?: number;
};

/** A delivery that failed verification. */
export class WebhookError extends Error {
  declare readonly reason: WebhookReason;

  constructor(reason: WebhookReason, message: string) {
    super(message);
    Object.assign(this, { name: 'WebhookError', reason });
  }
}

type Delivery = {
  readonly id: string;
  readonly seconds: string;
  readonly encoding: 'hex' | 'base64';
  readonly signatures: readonly string[];
};

/** Source: interface, Outbound webhooks; the public verifiers allow the same. */
const TOLERANCE_SECONDS = 300;
const SECRET = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/;
/** Header prefixes of Standard Webhooks, current and former. */
const SPELLINGS = ['webhook', 'svix'];

const keyOf = (secret: string): Buffer => {
  const key = Buffer.from(SECRET.exec(secret)?.[1] ?? '', 'base64');
  if (key.length === 0) throw new TypeError('A secret is whsec_ and the base64 of its key.');
  return key;
};

const readHeader = (headers: WebhookHeaders): ((name: string) => string | null) => {
  if (headers instanceof Headers) return (name) => headers.get(name);
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const byName = new Map(entries);
  return (name) => {
    const value = byName.get(name);
    return (typeof value === 'string' ? value : value?.[0]) ?? null;
  };
};

/** `t=...,id=...,v1=...[,v1=...]` with signatures in hexadecimal digits. */
const ownDelivery = (header: string): Delivery => {
  const parts = header.split(',').map((part) => {
    const [name = '', ...rest] = part.trim().split('=');
    return [name, rest.join('=')] as const;
  });
  const all = (headerName: string): string[] => parts.flatMap(([name, value]) => (name === headerName ? [value] : []));
  return { id: all('id')[0] ?? '', seconds: all('t')[0] ?? '', encoding: 'hex', signatures: all('v1') };
};

const deliveryOf = (read: (name: string) => string | null): Delivery => {
  const own = read('x-service-signature');
  if (own !== null) return ownDelivery(own);
  const prefix = SPELLINGS.find((one) => read(`${one}-signature`) !== null);
  const signatures = (read(`${prefix}-signature`) ?? '').split(' ').flatMap((one) => {
    const [version, signature = ''] = one.split(',');
    return version === 'v1' ? [signature] : [];
  });
  return { id: read(`${prefix}-id`) ?? '', seconds: read(`${prefix}-timestamp`) ?? '', encoding: 'base64', signatures };
};

/** Compares every pair, so that the duration does not reveal which one matches. */
const fits = (expected: readonly string[], signatures: readonly string[]): boolean =>
  expected
    .flatMap((one) => {
      const bytes = Buffer.from(one);
      return signatures.map((text) => {
        const other = Buffer.from(text);
        return bytes.length === other.length && timingSafeEqual(bytes, other);
      });
    })
    .includes(true);

/**
 * Verifies a delivery that was signed recently with one of these secrets, and returns its event. Supports the header of
 * the service and those of Standard Webhooks.
 *
 * @param rawBody the body as received, byte by byte; a parsed and encoded body differs
 * @param secrets `whsec_...`, one or more: both during a rotation
 * @throws WebhookError if verification fails; TypeError for an invalid secret, or for none
 */
export const verifyWebhook = (
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: WebhookOptions = {},
): WebhookEvent => {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(keyOf);
  if (keys.length === 0) throw new TypeError('There is no secret to verify with.');
  const { id, seconds, encoding, signatures } = deliveryOf(readHeader(headers));
  if (id === '' || !/^\d{1,15}$/.test(seconds) || signatures.length === 0)
    throw new WebhookError('headers', 'The headers of a signed delivery are missing or incomplete.');
  const ageSeconds = Math.floor(Date.now() / 1_000) - Number(seconds);
  // Written so that a tolerance of NaN rejects.
  if (!(Math.abs(ageSeconds) <= toleranceSeconds))
    throw new WebhookError('time', `The delivery was signed ${ageSeconds} s ago by the clock of this machine.`);
  const expected = keys.map((key) =>
    createHmac('sha256', key).update(`${id}.${seconds}.`).update(rawBody).digest(encoding),
  );
  if (!fits(expected, signatures)) throw new WebhookError('signature', 'No signature fits any of the secrets.');
  try {
    return JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody));
  } catch {
    throw new WebhookError('body', 'The signed body is no JSON.');
  }
};
