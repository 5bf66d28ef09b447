import type { KeyObject } from 'node:crypto';

import { createPublicKey } from 'node:crypto';

/** What a secret that is no password stands in. */
export const POSTMARK_HEADER = 'x-webhook-secret';

/** A public key as the settings of SendGrid show it: base64 of its SPKI. Null for what is none. Throws nothing. */
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

/** The bytes of base64, strictly: null for anything that it would be written otherwise than. Throws nothing. */
export const base64Bytes = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null;
};
