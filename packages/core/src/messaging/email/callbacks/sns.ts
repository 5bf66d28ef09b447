// Verifies Amazon SNS messages, which carry SES events. Anyone with an AWS account can make SNS sign a message, so the
// topic must be the project's own. The certificate is trusted because of the address from which it was fetched.

import { verify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { base64Bytes } from '../../callbacks/email-keys.ts';
import type { Refusal } from '../../callbacks/reader.ts';
import { isFresh, isSameSecret } from './signing.ts';
import { type Fields, fieldsOf, momentOf, textOf } from './untrusted.ts';

/** Fetches the PEM certificates at an address. Throws if it cannot; the provider retries. */
export type FetchCertificate = (url: URL) => Promise<string>;

/**
 * Maximum age of a message. SNS retries for at most an hour by its default HTTP policies; a topic's own may be longer.
 * Chosen: a day.
 */
const WINDOW_MS = 24 * 3_600_000;
/** Cached certificates. Chosen: each region has one and changes it a few times a year. */
const MAX_CERTIFICATES = 32;
const CERTIFICATE_MS = 86_400_000;

/** Source: transports, Provider callbacks. */
const HOST = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;
/** Subject of SNS certificates. Source: docs.aws.amazon.com/sns, verifying signatures. */
const SUBJECT = /(?:^|\n)CN=sns(?:\.[a-z0-9-]+)?\.amazonaws\.com(?:\.cn)?(?:\n|$)/;

const NOTIFIED = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const;
const SUBSCRIBED = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const;
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: NOTIFIED,
  SubscriptionConfirmation: SUBSCRIBED,
  UnsubscribeConfirmation: SUBSCRIBED,
};
const DIGESTS: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' };

/** An https URL of SNS on the default port; null for any other. Throws nothing. */
export const snsUrl = (value: unknown): URL | null => {
  const text = textOf(value);
  // No SNS URL has these characters; a lenient parser could read another host after them.
  if (text === null || text.includes('#') || text.includes('\\') || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isTheirs = url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  return isTheirs && HOST.test(url.hostname) ? url : null;
};

/** The same for a certificate. Throws nothing. */
export const certificateUrl = (value: unknown): URL | null => {
  const url = snsUrl(value);
  return url?.pathname.endsWith('.pem') && url.search === '' ? url : null;
};

/** The signed text of a message; null if a part is missing. Throws nothing. */
export const signedText = (message: Fields): string | null => {
  const names = SIGNED[textOf(message['Type']) ?? ''];
  if (!names) return null;
  const parts: string[] = [];
  for (const name of names) {
    const value = message[name];
    if (name === 'Subject' && (value === undefined || value === null)) continue;
    if (typeof value !== 'string') return null;
    parts.push(`${name}\n${value}\n`);
  }
  return parts.join('');
};

/** The first certificate of a chain in which each is issued by the next; null: invalid chain, or not of SNS. */
const leafOf = (pem: string): X509Certificate | null => {
  try {
    const all = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    const chain = all.map((one) => new X509Certificate(one));
    const isLinked = chain.every((one, at) => {
      const issuer = chain[at + 1];
      return issuer === undefined || (one.checkIssued(issuer) && one.verify(issuer.publicKey));
    });
    const [leaf] = chain;
    return leaf !== undefined && isLinked && SUBJECT.test(leaf.subject) ? leaf : null;
  } catch {
    return null;
  }
};

const isValid = (leaf: X509Certificate, at: Date): boolean => at >= leaf.validFromDate && at <= leaf.validToDate;

/** Makes the verifier of SNS messages. */
export const snsVerifier = (fetchCertificate: FetchCertificate) => {
  const held = new LRUCache<string, { readonly leaf: X509Certificate | null; readonly since: number }>({
    max: MAX_CERTIFICATES,
  });
  const certificateAt = async (url: URL, now: Date): Promise<X509Certificate | null> => {
    const cached = held.get(url.href);
    if (cached && now.getTime() - cached.since < CERTIFICATE_MS) return cached.leaf;
    const leaf = leafOf(await fetchCertificate(url));
    // An invalid certificate is not cached: the address may have returned an error page.
    if (leaf !== null) held.set(url.href, { leaf, since: now.getTime() });
    return leaf;
  };

  return async (message: unknown, topics: readonly string[], now: Date): Promise<Refusal | null> => {
    const fields = fieldsOf(message);
    const { Signature: signature, SignatureVersion: version, TopicArn: topic } = fields;
    if (typeof signature !== 'string' || typeof topic !== 'string') return 'unsigned';
    const [digest, signed, url, signatureBytes] = [
      DIGESTS[String(version)],
      signedText(fields),
      certificateUrl(fields['SigningCertURL']),
      base64Bytes(signature),
    ];
    // Before any fetch, so that foreign topics cannot trigger requests.
    if (!topics.some((ownTopic) => isSameSecret(topic, ownTopic))) return 'bad_signature';
    if (digest === undefined || signed === null || url === null || signatureBytes === null) return 'bad_signature';
    const at = momentOf(fields['Timestamp']);
    if (!isFresh(at, now, WINDOW_MS)) return 'stale';
    const leaf = await certificateAt(url, now);
    if (leaf === null || !isValid(leaf, now)) return 'bad_signature';
    return verify(digest, Buffer.from(signed), leaf.publicKey, signatureBytes) ? null : 'bad_signature';
  };
};
