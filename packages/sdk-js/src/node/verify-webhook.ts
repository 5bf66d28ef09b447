import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from '../generated/wire.ts';

export type { WebhookEvent } from '../generated/wire.ts';

/** `headers`: missing or not of their form. `time`: too old, or too far ahead. `signature`: none fits. `body`: no JSON. */
export type WebhookReason = 'headers' | 'time' | 'signature' | 'body';
/** As they come from `fetch`, from `node:http` or from a framework; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
export type WebhookOptions = {
  /** How far the sender's clock and this one may be apart; 300 unless told otherwise. */
  readonly toleranceSeconds?: number;
};

/** A delivery that is not to be believed. */
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
/** Where Standard Webhooks keeps the parts, and where it did under its older name. */
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

/** Looks at every pair, so that the time it takes does not tell which one fits. */
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
 * Believes a delivery that was signed with one of these secrets a short time ago, and answers what it tells. Understands
 * the header of the service as well as those of Standard Webhooks.
 *
 * @param rawBody as it came, byte by byte; a parsed and encoded body is another one
 * @param secrets `whsec_...`, one or more: both while one replaces the other
 * @throws WebhookError for what is not to be believed; TypeError for a secret that is none, or for no secret
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
  // Written so that a tolerance that is no number refuses.
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
