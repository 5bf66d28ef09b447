// Registration of passkeys and sign-in with them, without database: the caller stores challenges and credentials, and
// deletes a challenge in the commit that reads it.

import { randomBytes as systemRandomBytes } from 'node:crypto';
import { z } from 'zod';
import { constantTimeEqual } from '../../foundation/hash.ts';
import { type AuthenticatorDataFault, readAuthenticatorData } from './authenticator-data.ts';
import { base64url, bytesOfBase64url } from './bytes.ts';
import { type ClientDataFault, readClientData } from './client-data.ts';
import { attestedDataOf, isSignedBy, registeredKeyOf } from './library.ts';
import {
  ALGORITHMS,
  descriptorsOf,
  type PasskeyAlgorithm,
  type PasskeyCreationOptions,
  type PasskeyReference,
  type PasskeyRequestOptions,
  TRANSPORTS,
} from './options.ts';
import type { RelyingParty } from './relying-party.ts';

/** Life of a challenge, and the browser's time limit. Source: WebAuthn Level 3, section 15.1 (5 minutes). */
export const PASSKEY_CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;
const USER_HANDLE_BYTES = 32;
/** Longest user handle, as other systems make them. Source: WebAuthn Level 3, section 5.4.3. */
export const MAX_USER_HANDLE_BYTES = 64;
/** Longest credential id in bytes. Source: WebAuthn Level 3, section 4. */
export const MAX_CREDENTIAL_ID_BYTES = 1_023;
/** Longest base64url text of a response. Chosen: half of the body cap of 64 KB. */
const MAX_CHARACTERS = 32_768;

/** A challenge as it is stored. */
export type PasskeyChallenge = {
  /** 32 random bytes as base64url. */
  readonly value: string;
  readonly expiresAt: Date;
};

/** Why a passkey was refused, for the audit only: the answer to the caller is the same for all. */
export type PasskeyFault =
  | ClientDataFault
  | AuthenticatorDataFault
  | 'challenge_unknown'
  | 'challenge_expired'
  | 'algorithm'
  | 'unknown_credential'
  | 'signature'
  | 'user_handle'
  | 'counter';

export type PasskeyRefusal = { readonly ok: false; readonly reason: 'passkey_invalid'; readonly detail: PasskeyFault };

/** A credential to store. */
export type NewPasskey = PasskeyReference & {
  /** COSE key. */
  readonly publicKey: Uint8Array;
  readonly algorithm: PasskeyAlgorithm;
  readonly counter: number;
  /** Model of the authenticator as a UUID; all zeros when it does not say. */
  readonly aaguid: string;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
};

/** A stored credential with the handle of its user. `isBackupEligible` is null when unknown, as after an import. */
export type StoredPasskey = Pick<NewPasskey, 'id' | 'publicKey' | 'counter'> & {
  readonly userHandle: Uint8Array;
  readonly isBackupEligible: boolean | null;
};

/** Values to store after a sign-in. */
export type PasskeyUse = Pick<NewPasskey, 'counter' | 'isBackupEligible' | 'isBackedUp'>;

type RandomBytes = (size: number) => Uint8Array;
type Verification = {
  readonly party: RelyingParty;
  /** Null when it does not exist or was used before. */
  readonly challenge: PasskeyChallenge | null;
  /** What the browser returned, unchecked. */
  readonly response: unknown;
  readonly now: Date;
};

const refused = (detail: PasskeyFault): PasskeyRefusal => ({ ok: false, reason: 'passkey_invalid', detail });

/** A handle for a new user: 32 random bytes that say nothing about the account. */
export const newUserHandle = (random: RandomBytes = systemRandomBytes): Uint8Array => random(USER_HANDLE_BYTES);

const newChallenge = (now: Date, random: RandomBytes): PasskeyChallenge => ({
  value: base64url(random(CHALLENGE_BYTES)),
  expiresAt: new Date(now.getTime() + PASSKEY_CHALLENGE_MS),
});

/**
 * Options for a new passkey.
 *
 * @param credentials the user's passkeys, so that an authenticator does not make a second one
 * @throws RangeError when the user handle is empty or has more than 64 bytes
 */
export const registrationOptions = ({
  party,
  user,
  credentials,
  now,
  random = systemRandomBytes,
}: {
  readonly party: RelyingParty;
  readonly user: { readonly handle: Uint8Array; readonly name: string; readonly displayName: string };
  readonly credentials: readonly PasskeyReference[];
  readonly now: Date;
  readonly random?: RandomBytes;
}): { readonly challenge: PasskeyChallenge; readonly publicKey: PasskeyCreationOptions } => {
  if (user.handle.length === 0 || user.handle.length > MAX_USER_HANDLE_BYTES)
    throw new RangeError('A user handle must have 1 to 64 bytes.');
  const challenge = newChallenge(now, random);
  const publicKey: PasskeyCreationOptions = {
    rp: { id: party.rpId, name: party.rpName },
    user: { id: base64url(user.handle), name: user.name, displayName: user.displayName },
    challenge: challenge.value,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: PASSKEY_CHALLENGE_MS,
    excludeCredentials: descriptorsOf(credentials),
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'required' },
    attestation: 'none',
  };
  return { challenge, publicKey };
};

/**
 * Options for a sign-in.
 *
 * @param credentials passkeys of a user who is known from the first factor; none for a sign-in by passkey, so that the
 * answer says nothing about any account
 */
export const signInOptions = ({
  party,
  credentials = [],
  now,
  random = systemRandomBytes,
}: {
  readonly party: RelyingParty;
  readonly credentials?: readonly PasskeyReference[];
  readonly now: Date;
  readonly random?: RandomBytes;
}): { readonly challenge: PasskeyChallenge; readonly publicKey: PasskeyRequestOptions } => {
  const challenge = newChallenge(now, random);
  const publicKey: PasskeyRequestOptions = {
    rpId: party.rpId,
    challenge: challenge.value,
    timeout: PASSKEY_CHALLENGE_MS,
    allowCredentials: descriptorsOf(credentials),
    userVerification: 'required',
  };
  return { challenge, publicKey };
};

const text = z.string().min(1).max(MAX_CHARACTERS);
const bytes = text.transform((value, context) => {
  const decoded = bytesOfBase64url(value);
  if (decoded) return decoded;
  context.addIssue({ code: 'custom', message: 'must be base64url' });
  return z.NEVER;
});
const credential = {
  id: bytes.refine((id) => id.length <= MAX_CREDENTIAL_ID_BYTES).transform(base64url),
  rawId: text.optional(),
  type: z.literal('public-key'),
};
const isSameId = ({ id, rawId }: { id: string; rawId?: string | undefined }) => rawId === undefined || rawId === id;
const registrationResponse = z
  .object({
    ...credential,
    response: z.object({ clientDataJSON: text, attestationObject: bytes, transports: z.array(z.string()).catch([]) }),
  })
  .refine(isSameId);
const signInResponse = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: text,
      authenticatorData: bytes,
      signature: bytes,
      userHandle: bytes.nullish(),
    }),
  })
  .refine(isSameId);

/** The id that a sign-in response names, for the look-up of the credential. Null when malformed. Throws nothing. */
export const credentialIdOf = (response: unknown): string | null => signInResponse.safeParse(response).data?.id ?? null;

const checkClientData = (
  { party, challenge, now }: Verification,
  type: 'webauthn.create' | 'webauthn.get',
  clientDataJSON: string,
): PasskeyRefusal | { readonly ok: true; readonly challenge: string; readonly topOrigin: string | undefined } => {
  if (challenge === null) return refused('challenge_unknown');
  if (now.getTime() >= challenge.expiresAt.getTime()) return refused('challenge_expired');
  const read = readClientData({ clientDataJSON, type, challenge: challenge.value, party });
  return read.ok ? { ok: true, challenge: challenge.value, topOrigin: read.topOrigin } : refused(read.detail);
};

/** Checks the answer to `registrationOptions`. Attestation is ignored. Throws only when the library cannot be loaded. */
export const verifyRegistration = async (
  input: Verification,
): Promise<{ readonly ok: true; readonly passkey: NewPasskey } | PasskeyRefusal> => {
  const { success, data } = registrationResponse.safeParse(input.response);
  if (!success) return refused('malformed');
  const { clientDataJSON, attestationObject, transports } = data.response;
  const client = checkClientData(input, 'webauthn.create', clientDataJSON);
  if (!client.ok) return client;
  const attested = await attestedDataOf(attestationObject);
  if (!attested || attested.id !== data.id) return refused('malformed');
  const { id, algorithm, authenticatorData } = attested;
  const { party } = input;
  const read = readAuthenticatorData(authenticatorData, party.rpId);
  if (!read.ok) return refused(read.detail);
  if (algorithm === null) return refused('algorithm');
  const key = await registeredKeyOf({ ...client, party, id, clientDataJSON, authenticatorData });
  if (!key) return refused('malformed');
  const { counter, isBackupEligible, isBackedUp } = read;
  return {
    ok: true,
    passkey: {
      ...{ id, ...key, algorithm, counter, isBackupEligible, isBackedUp },
      transports: TRANSPORTS.filter((transport) => transports.includes(transport)),
    },
  };
};

/**
 * Checks the answer to `signInOptions`. All checks before the signature depend on the request alone. An unknown credential
 * costs a signature check too, so that time does not tell which credentials exist. Throws only when the library cannot be
 * loaded.
 *
 * @param credential the stored credential with the id that the response names (`credentialIdOf`); null when unknown
 * @param needsUserHandle false after a first factor, where the account is known; a user handle must fit even so
 */
export const verifySignIn = async ({
  credential: stored,
  needsUserHandle = true,
  ...input
}: Verification & { readonly credential: StoredPasskey | null; readonly needsUserHandle?: boolean }): Promise<
  { readonly ok: true; readonly use: PasskeyUse } | PasskeyRefusal
> => {
  const { success, data } = signInResponse.safeParse(input.response);
  if (!success) return refused('malformed');
  const { clientDataJSON, authenticatorData, signature, userHandle } = data.response;
  const client = checkClientData(input, 'webauthn.get', clientDataJSON);
  if (!client.ok) return client;
  const { party } = input;
  const read = readAuthenticatorData(authenticatorData, party.rpId);
  if (!read.ok) return refused(read.detail);
  if (!userHandle && needsUserHandle) return refused('user_handle');
  const known = stored?.id === data.id ? stored : null;
  const accepted = { ...client, party, id: data.id, clientDataJSON, authenticatorData };
  const isSigned = await isSignedBy(known?.publicKey ?? null, accepted, signature);
  if (!known) return refused('unknown_credential');
  if (!isSigned) return refused('signature');
  if (userHandle && !constantTimeEqual(userHandle, known.userHandle)) return refused('user_handle');
  const { counter, isBackupEligible, isBackedUp } = read;
  if (known.isBackupEligible !== null && known.isBackupEligible !== isBackupEligible) return refused('backup_state');
  if (known.counter > 0 && counter <= known.counter) return refused('counter');
  return { ok: true, use: { counter, isBackupEligible, isBackedUp } };
};
