// Types of passkey ceremonies: what browsers receive (PublicKeyCredentialCreationOptionsJSON and its counterpart), and what
// an account stores. Source: WebAuthn Level 3, sections 5.4, 5.5 and 4 (credential record).

/** Passkeys of a user. Source: authentication design, Passkeys. */
export const MAX_PASSKEYS = 20;

/** Hints on how a browser reaches an authenticator. */
export const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'] as const;
export type PasskeyTransport = (typeof TRANSPORTS)[number];

/** COSE numbers in order of preference: ES256, Ed25519, RS256. */
export const ALGORITHMS = [-7, -8, -257] as const;
export type PasskeyAlgorithm = (typeof ALGORITHMS)[number];

/** A stored credential, as options name it. */
export type PasskeyReference = { readonly id: string; readonly transports: readonly PasskeyTransport[] };

type CredentialDescriptor = {
  readonly id: string;
  readonly type: 'public-key';
  readonly transports: readonly PasskeyTransport[];
};

/** Input of `navigator.credentials.create`. */
export type PasskeyCreationOptions = {
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: PasskeyAlgorithm }[];
  readonly timeout: number;
  readonly excludeCredentials: readonly CredentialDescriptor[];
  readonly authenticatorSelection: {
    readonly residentKey: 'preferred';
    readonly requireResidentKey: false;
    readonly userVerification: 'required';
  };
  readonly attestation: 'none';
};

/** Input of `navigator.credentials.get`. */
export type PasskeyRequestOptions = {
  readonly rpId: string;
  readonly challenge: string;
  readonly timeout: number;
  readonly allowCredentials: readonly CredentialDescriptor[];
  readonly userVerification: 'required';
};

/** What a browser needs to find credentials. */
export const descriptorsOf = (credentials: readonly PasskeyReference[]): readonly CredentialDescriptor[] =>
  credentials.map(({ id, transports }) => ({ id, type: 'public-key', transports }));
