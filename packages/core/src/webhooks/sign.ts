import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { signingKeyOf } from '../foundation/signing-secret.ts';

/** What one attempt says, whoever it is posted to. */
type Said = {
  /** The same in every attempt; holds neither `.` nor `,`. */
  readonly id: string;
  /** The moment of the attempt: receivers refuse what is older than five minutes. */
  readonly at: Date;
  /** As it is posted, byte by byte. */
  readonly body: Uint8Array;
};

export type Signed = Said & {
  /** `whsec_...`, at least one, the newest first: while a secret is being replaced the older one signs along. */
  readonly secrets: readonly string[];
};

/** A secret as it signs, for whoever signs many times. Throws TypeError for a secret that is none. */
export const signingKey = (secret: string): KeyObject => createSecretKey(signingKeyOf(secret));

/** As `signedHeaders`, with secrets that were made keys of before. Throws nothing. */
export const signedBy = (keys: readonly KeyObject[], { id, at, body }: Said): Readonly<Record<string, string>> => {
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
 * The headers of one attempt, with the same signatures in two spellings: ours, and that of Standard Webhooks. Both are
 * HMAC-SHA-256 over `id.t.body`.
 *
 * @throws TypeError for a secret that is none
 * Source: transports, Outbound webhooks, Signature.
 */
export const signedHeaders = ({ secrets, ...said }: Signed): Readonly<Record<string, string>> =>
  signedBy(secrets.map(signingKey), said);
