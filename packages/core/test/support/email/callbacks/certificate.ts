// Makes X.509 certificates in DER (RFC 5280), because node:crypto can only read them.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, Math.floor(length / 0x100), length % 0x100];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const NULL = Buffer.of(0x05, 0);

/** sha256WithRSAEncryption. */
const RSA_SHA256 = sequence(oid('2a864886f70d01010b'), NULL);
const COMMON_NAME = oid('550403');

const named = (name: string): Buffer => sequence(tlv(0x31, sequence(COMMON_NAME, tlv(0x0c, Buffer.from(name)))));
const utc = (at: Date): Buffer => tlv(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));

export type Certified = { readonly pem: string; readonly privateKey: KeyObject };

/** A certificate for a name, with its key; self-signed unless another one signs it. */
export const certificateFor = (
  name: string,
  [from, to]: readonly [Date, Date],
  issuer?: { readonly name: string; readonly privateKey: KeyObject },
): Certified => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.of(1)),
    RSA_SHA256,
    named(issuer?.name ?? name),
    sequence(utc(from), utc(to)),
    named(name),
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey);
  const der = sequence(content, RSA_SHA256, tlv(0x03, Buffer.of(0), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return { pem: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'), privateKey };
};
