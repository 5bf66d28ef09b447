// Self-signed X.509 certificates, because Node creates none.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

const SHA256_WITH_RSA = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
const time = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`));

export type TestCertificate = { readonly pem: string; readonly privateKey: string };

/** A key with a certificate that is valid from 2020 until `validTo`. */
export const selfSigned = ({
  validTo = new Date('2040-01-01T00:00:00Z'),
  bits = 2_048,
}: {
  readonly validTo?: Date;
  readonly bits?: number;
} = {}): TestCertificate => {
  const { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject } = generateKeyPairSync('rsa', {
    modulusLength: bits,
  });
  const commonName = der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('idp')));
  const name = der(0x30, der(0x31, commonName));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    SHA256_WITH_RSA,
    name,
    der(0x30, time(new Date('2020-01-01T00:00:00Z')), time(validTo)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = der(0x30, body, SHA256_WITH_RSA, signature).toString('base64');
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
