import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { SettingsProblem } from '../port.ts';

/** The used fields of a Google service account's JSON file; it may hold others. */
export type ServiceAccount = {
  readonly project_id: string;
  readonly client_email: string;
  /** PKCS #8, PEM. */
  readonly private_key: string;
  readonly token_uri: string;
};

/** A project's FCM settings. */
export type FcmSettings = {
  readonly serviceAccount: ServiceAccount;
  /** The Android channel of critical alerts; absent: the app's default channel. */
  readonly criticalChannelId?: string | undefined;
};

/** Allowed token URIs, unless the operator configures others. Source: transports, FCM, Access token. */
export const GOOGLE_TOKEN_URIS = ['https://oauth2.googleapis.com/token'] as const;

/**
 * Characters that are safe in a path; begins with a letter or digit. Source: transports, Rules for every transport (5).
 */
const PROJECT_ID = /^[a-z0-9][a-z0-9.:-]*$/;
const EMAIL = /^[\w.+-]+@[\w.-]+$/;
/** Source: RFC 7518, 3.3. */
const MIN_RSA_BITS = 2_048;

/** The key that signs assertions; null if it is not PEM or not RSA of at least 2,048 bits. Throws nothing. */
export const assertionKey = (pem: string): KeyObject | null => {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= MIN_RSA_BITS ? key : null;
  } catch {
    return null;
  }
};

/**
 * Problems of the settings; empty if valid. No network. Throws nothing.
 *
 * @param tokenUris allowed token URIs
 */
export const checkFcm = (
  { serviceAccount }: FcmSettings,
  tokenUris: readonly string[] = GOOGLE_TOKEN_URIS,
): readonly SettingsProblem[] => {
  const problems: SettingsProblem[] = [];
  const unless = (isRight: boolean, field: keyof ServiceAccount, message: string): void => {
    if (!isRight) problems.push({ field: `serviceAccount.${field}`, message });
  };
  unless(PROJECT_ID.test(serviceAccount.project_id), 'project_id', 'The project id is not one of Google Cloud.');
  unless(EMAIL.test(serviceAccount.client_email), 'client_email', 'The client email is not one of a service account.');
  unless(
    assertionKey(serviceAccount.private_key) !== null,
    'private_key',
    'The private key must be an RSA key of 2,048 bits or more in PEM.',
  );
  unless(
    tokenUris.includes(serviceAccount.token_uri),
    'token_uri',
    `The token URI must be ${tokenUris.join(' or ')}; service accounts of other services do not work here.`,
  );
  return problems;
};
