// Self-signed X.509 certificates, because Node creates none. Identity providers read the key that encrypts assertions from one.

import { generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

const MODULUS_BITS = 3_072;
/** Years for which the certificate is valid. Chosen: nothing compares it but some identity providers, when they load it. */
const YEARS = 20;

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

const SHA256_WITH_RSA = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const time = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`));

/** A certificate in PEM for an RSA key, signed by the key itself. Source: RFC 5280, 4.1. */
export const selfSignedCertificate = ({
  privateKey,
  publicKey,
  commonName,
  from,
  to,
}: {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly commonName: string;
  readonly from: Date;
  readonly to: Date;
}): string => {
  const name = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    SHA256_WITH_RSA,
    name,
    der(0x30, time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = der(0x30, body, SHA256_WITH_RSA, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`;
};

/** A new key for encrypted assertions, with its certificate. */
export const newDecryptionKey = async (
  now: Date,
): Promise<{ readonly privateKey: string; readonly certificate: string }> => {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  const to = new Date(now);
  to.setUTCFullYear(to.getUTCFullYear() + YEARS);
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSignedCertificate({ privateKey, publicKey, commonName: 'Beckon', from: now, to }),
  };
};
