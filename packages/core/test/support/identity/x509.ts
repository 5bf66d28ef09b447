import { generateKeyPairSync } from 'node:crypto';
import { selfSignedCertificate } from '../../../src/identity/sso/saml/self-signed.ts';

export type TestCertificate = { readonly pem: string; readonly privateKey: string };

/** A key with a certificate that is valid from 2020 until `validTo`. */
export const selfSigned = ({
  validTo = new Date('2040-01-01T00:00:00Z'),
  bits = 2_048,
}: {
  readonly validTo?: Date;
  readonly bits?: number;
} = {}): TestCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const from = new Date('2020-01-01T00:00:00Z');
  return {
    pem: selfSignedCertificate({ privateKey, publicKey, commonName: 'idp', from, to: validTo }),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
