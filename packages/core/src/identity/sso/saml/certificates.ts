// Certificates of an identity provider come from its connection alone, never from a response.

import { X509Certificate } from 'node:crypto';

const MIN_RSA_BITS = 2_048;

const parse = (text: string): X509Certificate | null => {
  const base64 = text.replaceAll(/-----[^-]+-----|\s/g, '');
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
};

/** A certificate in PEM or in the base64 of metadata, as PEM; null unless it is X.509 with an RSA key of 2,048 bits. */
export const signingCertificate = (text: string): { readonly pem: string; readonly expiresAt: Date } | null => {
  const certificate = parse(text);
  if (certificate === null) return null;
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  // xml-crypto verifies RSA signatures alone.
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) return null;
  return { pem: certificate.toString(), expiresAt: new Date(certificate.validTo) };
};

/** The certificates that verify signatures now. During a rotation the old one and the new one both do. */
export const usableCertificates = (certificates: readonly string[], now: Date): readonly string[] =>
  certificates.flatMap((text) => {
    const certificate = signingCertificate(text);
    return certificate !== null && certificate.expiresAt > now ? [certificate.pem] : [];
  });
