import { createPrivateKey } from 'node:crypto';

/** Source: RFC 8301, 3.2. */
const LEAST_BITS = 1_024;

/** The DKIM key of a domain. */
export type DkimKey = {
  readonly domainName: string;
  readonly keySelector: string;
  /** RSA, as PEM. The library sends mail unsigned with any other kind of key. */
  readonly privateKey: string;
};

/** The key for a sender's address; null: the mail is sent unsigned. */
export type DkimOf = (address: string) => Promise<DkimKey | null>;

/**
 * Signed headers, including the unsubscribe headers, which the library would leave out. Source: transports, Email,
 * Traps; RFC 8058, 4.
 */
export const SIGNED_HEADERS =
  'from:sender:reply-to:subject:date:message-id:to:cc:mime-version:content-type:content-transfer-encoding:list-unsubscribe:list-unsubscribe-post';

/** True for a key that can sign mail: RSA, and long enough for receivers. Throws nothing. */
export const isUsable = ({ privateKey }: DkimKey): boolean => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(privateKey);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_BITS;
  } catch {
    return false;
  }
};
