import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** Source: RFC 8301, 3.2. */
const MODULUS_BITS = 2_048;
const generate = promisify(generateKeyPair);

export type DkimKeyPair = {
  /** PEM, PKCS 8. */
  readonly privateKey: string;
  /** Base64 of the SubjectPublicKeyInfo, as a record holds it. Source: RFC 6376, 3.6.1. */
  readonly publicKey: string;
};

/** Makes a key for signing mail. RSA: receivers need not know any other, and a library sends unsigned what it cannot use. */
export const newDkimKey = async (): Promise<DkimKeyPair> => {
  const { privateKey, publicKey } = await generate('rsa', {
    modulusLength: MODULUS_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  return { privateKey, publicKey: publicKey.toString('base64') };
};
