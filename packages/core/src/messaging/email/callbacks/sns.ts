// Amazon SNS, over which Amazon SES tells of mails. Whoever has any AWS account can have SNS sign a message, so the topic
// has to be the project's own; and the certificate is believed because of where it was fetched from.

import { verify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { base64Bytes } from '../../callbacks/email-keys.ts';
import type { Refusal } from '../../callbacks/reader.ts';
import { isFresh, isSameSecret } from './signing.ts';
import { type Fields, fieldsOf, momentOf, textOf } from './untrusted.ts';

/** Answers the certificates at an address, as PEM. Throws where there is no answer: the provider comes again. */
export type FetchCertificate = (url: URL) => Promise<string>;

/** SNS posts again for an hour at most by its own policies for HTTP; a topic's own may be longer. Ours: a day. */
const WINDOW_MS = 24 * 3_600_000;
/** Certificates that are held; ours: each region has one, and changes it some times a year. */
const MAX_CERTIFICATES = 32;
const CERTIFICATE_MS = 86_400_000;

/** Source: transports, Provider callbacks. */
const HOST = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;
/** What SNS certificates are issued to. Source: docs.aws.amazon.com/sns, verifying signatures. */
const SUBJECT = /(?:^|\n)CN=sns(?:\.[a-z0-9-]+)?\.amazonaws\.com(?:\.cn)?(?:\n|$)/;

const NOTIFIED = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const;
const SUBSCRIBED = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const;
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: NOTIFIED,
  SubscriptionConfirmation: SUBSCRIBED,
  UnsubscribeConfirmation: SUBSCRIBED,
};
const DIGESTS: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' };

/** An address of SNS itself, on https and its port; null for any other. Throws nothing. */
export const snsUrl = (value: unknown): URL | null => {
  const text = textOf(value);
  // No URL of SNS has one, and what follows it would be another host to a careless reader.
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

/** What is signed of a message; null where a part is missing. Throws nothing. */
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

/** The first certificate of a chain, each of which has issued the one before; null: no such chain, or not of SNS. */
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

/** Checks messages of SNS. */
export const snsVerifier = (fetchCertificate: FetchCertificate) => {
  const held = new LRUCache<string, { readonly leaf: X509Certificate | null; readonly since: number }>({
    max: MAX_CERTIFICATES,
  });
  const certificateAt = async (url: URL, now: Date): Promise<X509Certificate | null> => {
    const known = held.get(url.href);
    if (known && now.getTime() - known.since < CERTIFICATE_MS) return known.leaf;
    const leaf = leafOf(await fetchCertificate(url));
    // What is none is asked for again: a page of an error may have stood there.
    if (leaf !== null) held.set(url.href, { leaf, since: now.getTime() });
    return leaf;
  };

  return async (message: unknown, topics: readonly string[], now: Date): Promise<Refusal | null> => {
    const fields = fieldsOf(message);
    const { Signature: signature, SignatureVersion: version, TopicArn: topic } = fields;
    if (typeof signature !== 'string' || typeof topic !== 'string') return 'unsigned';
    const [digest, signed, url, given] = [
      DIGESTS[String(version)],
      signedText(fields),
      certificateUrl(fields['SigningCertURL']),
      base64Bytes(signature),
    ];
    // Before anything is fetched: nobody makes us ask for certificates with a topic of their own.
    if (!topics.some((own) => isSameSecret(topic, own))) return 'bad_signature';
    if (digest === undefined || signed === null || url === null || given === null) return 'bad_signature';
    const at = momentOf(fields['Timestamp']);
    if (!isFresh(at, now, WINDOW_MS)) return 'stale';
    const leaf = await certificateAt(url, now);
    if (leaf === null || !isValid(leaf, now)) return 'bad_signature';
    return verify(digest, Buffer.from(signed), leaf.publicKey, given) ? null : 'bad_signature';
  };
};
