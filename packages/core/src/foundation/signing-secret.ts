import { randomBytes as systemRandomBytes } from 'node:crypto';

/** By this prefix libraries of Standard Webhooks know a secret, and log scrubbers find it. */
const PREFIX = 'whsec_';
/** Source: transports, Outbound webhooks (the base64 of 32 random bytes). */
const KEY_BYTES = 32;

/** A new secret that signs what is posted to others: `whsec_` and the base64 of 32 random bytes. Throws nothing. */
export const newSigningSecret = (randomBytes: (size: number) => Uint8Array = systemRandomBytes): string =>
  PREFIX + Buffer.from(randomBytes(KEY_BYTES)).toString('base64');

/** The bytes that sign. Throws TypeError for what is no such secret, without naming it. */
export const signingKeyOf = (secret: string): Uint8Array => {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (!secret.startsWith(PREFIX) || key.length !== KEY_BYTES) throw new TypeError('This is no signing secret.');
  return key;
};
