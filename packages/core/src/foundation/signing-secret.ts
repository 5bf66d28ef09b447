import { randomBytes as systemRandomBytes } from 'node:crypto';

/** The prefix by which libraries of Standard Webhooks recognise a secret and log scrubbers find it. */
const PREFIX = 'whsec_';
/** Source: transports, Outbound webhooks (the base64 of 32 random bytes). */
const KEY_BYTES = 32;

/** A new secret for signing outbound webhooks: `whsec_` and the base64 of 32 random bytes. Throws nothing. */
export const newSigningSecret = (randomBytes: (size: number) => Uint8Array = systemRandomBytes): string =>
  PREFIX + Buffer.from(randomBytes(KEY_BYTES)).toString('base64');

/** The key bytes of a signing secret. Throws TypeError for any other text, without quoting it. */
export const signingKeyOf = (secret: string): Uint8Array => {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (!secret.startsWith(PREFIX) || key.length !== KEY_BYTES) throw new TypeError('This is no signing secret.');
  return key;
};
