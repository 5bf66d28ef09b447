import type { Globals } from '../globals.ts';
import { base64url, bytesOf } from './encoding.ts';

// WebAuthn options and responses as JSON. Browsers gained their own conversions in 2024 and 2025 only.

type Json = Readonly<Record<string, unknown>>;
type Descriptor = { readonly id: string };
/** What the browser has beyond the types of the DOM. */
export type WithPasskeys = Globals & {
  readonly PublicKeyCredential?: {
    isConditionalMediationAvailable?(): Promise<boolean>;
    signalUnknownCredential?(options: { readonly rpId: string; readonly credentialId: string }): Promise<void>;
  };
};

const BINARY = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

const decoded = (options: Json): Json => {
  const all = { ...options, challenge: bytesOf(String(options['challenge'])) } as Record<string, unknown>;
  // Safe: the options of WebAuthn have these types.
  const user = options['user'] as Descriptor | undefined;
  if (user) all['user'] = { ...user, id: bytesOf(user.id) };
  for (const name of ['allowCredentials', 'excludeCredentials']) {
    // Safe: as above.
    const list = options[name] as readonly Descriptor[] | undefined;
    if (list) all[name] = list.map((credential) => ({ ...credential, id: bytesOf(credential.id) }));
  }
  return all;
};

const encoded = (credential: Credential | null): Json & { readonly id: string } => {
  if (!credential) throw new DOMException('No passkey.', 'NotAllowedError');
  // Safe: a request with `publicKey` yields a credential of this type, whose response has some of the names.
  const { id, type, response, authenticatorAttachment } = credential as PublicKeyCredential;
  const parts = response as unknown as Record<string, ArrayBuffer | null | undefined>;
  const attestation = response as Partial<AuthenticatorAttestationResponse>;
  const binary = BINARY.flatMap((name) => {
    const value = parts[name];
    return value ? [[name, base64url(value)] as const] : [];
  });
  return {
    id,
    rawId: id,
    type,
    authenticatorAttachment,
    // Safe: as above.
    clientExtensionResults: (credential as PublicKeyCredential).getClientExtensionResults(),
    response: { ...Object.fromEntries(binary), transports: attestation.getTransports?.() },
  };
};

export const makeWebAuthn = (g: WithPasskeys) => {
  let pending: AbortController | undefined;
  /** A browser accepts one request at a time, and autofill waits until a page leaves: a new request ends it. */
  const next = (): AbortSignal => {
    pending?.abort();
    pending = new AbortController();
    return pending.signal;
  };
  const credentials = (): CredentialsContainer => {
    if (!g.navigator?.credentials || !g.PublicKeyCredential) throw new TypeError('No passkeys in this browser.');
    return g.navigator.credentials;
  };
  return {
    isAutofillAvailable: async (): Promise<boolean> =>
      (await g.PublicKeyCredential?.isConditionalMediationAvailable?.()) ?? false,
    abort: (): void => pending?.abort(),
    get: async (options: Json, isAutofill = false) => {
      // Safe: decoded options are what browsers accept; the types of the DOM name each member.
      const publicKey = decoded(options) as unknown as PublicKeyCredentialRequestOptions;
      const mediation = isAutofill ? { mediation: 'conditional' as const } : {};
      return encoded(await credentials().get({ publicKey, signal: next(), ...mediation }));
    },
    create: async (options: Json) => {
      // Safe: as above.
      const publicKey = decoded(options) as unknown as PublicKeyCredentialCreationOptions;
      return encoded(await credentials().create({ publicKey, signal: next() }));
    },
    /** Tells password managers to forget a deleted passkey. */
    forget: async (rpId: string, credentialId: string): Promise<void> =>
      g.PublicKeyCredential?.signalUnknownCredential?.({ rpId, credentialId }).catch(() => {}),
  };
};
