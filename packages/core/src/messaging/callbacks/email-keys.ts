import type { KeyObject } from 'node:crypto';

import { createPublicKey } from 'node:crypto';

/** Header of a Postmark secret that is no password. */
export const POSTMARK_HEADER = 'x-webhook-secret';

/** A public key as SendGrid shows it: base64 of its SPKI. Null if invalid. Throws nothing. */
export const sendgridKey = (text: string): KeyObject | null => {
  const der = base64Bytes(text.replaceAll(/\s/g, ''));
  if (der === null) return null;
  try {
    const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' ? key : null;
  } catch {
    return null;
  }
};

/** Decodes canonical base64; null for any other text. Throws nothing. */
export const base64Bytes = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null;
};
