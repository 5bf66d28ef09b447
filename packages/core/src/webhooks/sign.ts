import { hmacSha256 } from '../primitives/hash.ts';
import { signingKeyOf } from '../primitives/signing-secret.ts';

/** What one attempt says, whoever it is posted to. */
export type Signed = {
  /** The same in every attempt; holds neither `.` nor `,`. */
  readonly id: string;
  /** The moment of the attempt: receivers refuse what is older than five minutes. */
  readonly at: Date;
  /** As it is posted, byte by byte. */
  readonly body: Uint8Array;
  /** `whsec_...`, at least one, the newest first: while a secret is being replaced the older one signs along. */
  readonly secrets: readonly string[];
};

/**
 * The headers of one attempt, with the same signatures in two spellings: ours, and that of Standard Webhooks. Both are
 * HMAC-SHA-256 over `id.t.body`.
 *
 * @throws TypeError for a secret that is none
 * Source: transports, Outbound webhooks, Signature.
 */
export const signedHeaders = ({ id, at, body, secrets }: Signed): Readonly<Record<string, string>> => {
  const seconds = Math.floor(at.getTime() / 1_000);
  const content = Buffer.concat([Buffer.from(`${id}.${seconds}.`), body]);
  const signatures = secrets.map((secret) => Buffer.from(hmacSha256(signingKeyOf(secret), content)));
  return {
    'content-type': 'application/json',
    'x-service-signature': [
      `t=${seconds}`,
      `id=${id}`,
      ...signatures.map((signature) => `v1=${signature.toString('hex')}`),
    ].join(','),
    'webhook-id': id,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': signatures.map((signature) => `v1,${signature.toString('base64')}`).join(' '),
  };
};
