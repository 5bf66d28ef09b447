import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { signingKeyOf } from '../foundation/signing-secret.ts';

/** The signed content of one attempt. */
type Content = {
  /** The same in every attempt. Contains neither `.` nor `,`. */
  readonly id: string;
  /** Time of the attempt. Receivers reject signatures older than five minutes. */
  readonly at: Date;
  /** The request body, byte for byte. */
  readonly body: Uint8Array;
};

export type Signed = Content & {
  /** `whsec_...`, at least one, newest first. During a rotation the previous secret also signs. */
  readonly secrets: readonly string[];
};

/** A secret as a key object, for repeated signing. Throws TypeError for a malformed secret. */
export const signingKey = (secret: string): KeyObject => createSecretKey(signingKeyOf(secret));

/** As `signedHeaders`, with keys made by `signingKey`. Throws nothing. */
export const signedBy = (keys: readonly KeyObject[], { id, at, body }: Content): Readonly<Record<string, string>> => {
  const seconds = Math.floor(at.getTime() / 1_000);
  const start = `${id}.${seconds}.`;
  const signatures = keys.map((key) => createHmac('sha256', key).update(start).update(body).digest());
  const hex = signatures.map((signature) => `,v1=${signature.toString('hex')}`);
  return {
    'content-type': 'application/json',
    'x-service-signature': `t=${seconds},id=${id}${hex.join('')}`,
    'webhook-id': id,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': signatures.map((signature) => `v1,${signature.toString('base64')}`).join(' '),
  };
};

/**
 * The headers of one attempt, with the same signatures in two formats: `X-Service-Signature` and Standard Webhooks. Both are
 * HMAC-SHA-256 over `id.t.body`.
 *
 * @throws TypeError for a malformed secret
 * Source: transports, Outbound webhooks, Signature.
 */
export const signedHeaders = ({ secrets, ...content }: Signed): Readonly<Record<string, string>> =>
  signedBy(secrets.map(signingKey), content);
