import { createPrivateKey } from 'node:crypto';

/** Source: RFC 8301, 3.2. */
const LEAST_BITS = 1_024;

/** What mail from a domain is signed with. */
export type DkimKey = {
  readonly domainName: string;
  readonly keySelector: string;
  /** RSA, as PEM. The library sends unsigned what another kind of key should sign. */
  readonly privateKey: string;
};

/** The key of whom a mail is from; null: it goes unsigned. */
export type DkimOf = (address: string) => Promise<DkimKey | null>;

/**
 * Headers that a signature covers, those of unsubscribing too, which the library would leave out.
 * Source: transports, Email, Traps; RFC 8058, 4.
 */
export const SIGNED_HEADERS =
  'from:sender:reply-to:subject:date:message-id:to:cc:mime-version:content-type:content-transfer-encoding:list-unsubscribe:list-unsubscribe-post';

/** True for a key that mail can be signed with: RSA, and not too short for receivers. Throws nothing. */
export const isUsable = ({ privateKey }: DkimKey): boolean => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(privateKey);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_BITS;
  } catch {
    return false;
  }
};
