// Calls of @simplewebauthn/server: CBOR, keys and signatures. It repeats the checks of client-data.ts and
// authenticator-data.ts, as a second line of defence. It loads with the first call, because it needs 28 MB of memory.

import { base64url } from './bytes.ts';
import { ALGORITHMS, type PasskeyAlgorithm } from './options.ts';
import type { RelyingParty } from './relying-party.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const loadLibrary = async () => {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  return { server, helpers };
};

/** A part of a ceremony that client-data.ts has accepted. */
export type Accepted = {
  readonly party: RelyingParty;
  readonly challenge: string;
  readonly topOrigin: string | undefined;
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: Bytes;
};

const isAlgorithm = (value: unknown): value is PasskeyAlgorithm => ALGORITHMS.some((algorithm) => algorithm === value);

/** COSE labels of a key: key type, algorithm, curve. Source: RFC 9052, section 7; RFC 9053, section 7. */
const KTY = 1;
const ALG = 3;
const CRV = -1;
/** Key type and curve of each algorithm. The library accepts ES256 with other curves. Source: WebAuthn Level 3, 5.8.5. */
const SHAPES = { [-7]: [2, 1], [-8]: [1, 6], [-257]: [3, null] } as const;
/** Longest COSE key. Chosen: RSA with 8,192 bits fits, so that no stored key makes sign-in slow. */
const MAX_KEY_BYTES = 1_100;

// A key without curve has bytes of the modulus at its label.
const algorithmOf = (key: Bytes, decoded: ReadonlyMap<number, unknown>): PasskeyAlgorithm | null => {
  const algorithm = decoded.get(ALG);
  if (key.length > MAX_KEY_BYTES || !isAlgorithm(algorithm)) return null;
  const [type, curve] = SHAPES[algorithm];
  return decoded.get(KTY) === type && (curve === null || decoded.get(CRV) === curve) ? algorithm : null;
};

/**
 * The authenticator data of an attestation object, with the id and the algorithm of its credential. The algorithm is null
 * when it is not allowed. Null when malformed.
 */
export const attestedDataOf = async (
  attestationObject: Bytes,
): Promise<{
  readonly authenticatorData: Bytes;
  readonly id: string;
  readonly algorithm: PasskeyAlgorithm | null;
} | null> => {
  const { helpers } = await loadLibrary();
  try {
    const authenticatorData = new Uint8Array(helpers.decodeAttestationObject(attestationObject).get('authData'));
    const { credentialID, credentialPublicKey } = helpers.parseAuthenticatorData(authenticatorData);
    if (!credentialID || !credentialPublicKey) return null;
    const decoded: unknown = helpers.decodeCredentialPublicKey(credentialPublicKey);
    const algorithm = decoded instanceof Map ? algorithmOf(credentialPublicKey, decoded) : null;
    return { authenticatorData, id: base64url(credentialID), algorithm };
  } catch {
    return null;
  }
};

// CBOR of {"fmt": "none", "attStmt": {}, "authData": bytes}.
const withoutStatement = (authenticatorData: Bytes): Bytes => {
  const length = Buffer.alloc(3, 0x59);
  length.writeUInt16BE(authenticatorData.length, 1);
  const start = Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex');
  return new Uint8Array(Buffer.concat([start, length, authenticatorData]));
};

/**
 * Key and model of a registered credential; null when the library refuses it. The attestation statement is replaced by
 * none: options ask for none, nothing trusts it, and the library fetches revocation lists from URLs in certificates.
 */
export const registeredKeyOf = async ({
  party,
  challenge,
  id,
  clientDataJSON,
  authenticatorData,
}: Accepted): Promise<{ readonly publicKey: Bytes; readonly aaguid: string } | null> => {
  const { server } = await loadLibrary();
  try {
    const { verified, registrationInfo } = await server.verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject: base64url(withoutStatement(authenticatorData)) },
      },
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.rpId,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!verified || !registrationInfo) return null;
    return { publicKey: registrationInfo.credential.publicKey, aaguid: registrationInfo.aaguid };
  } catch {
    return null;
  }
};

/** COSE key of ES256 whose point is the generator of P-256. Checked where no credential exists. Source: SP 800-186. */
const ABSENT_KEY = Buffer.from(
  'a50102032620012158206b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
    '2258204fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  'hex',
);

/** Whether a key signed the response. Without a key the same work is done, and the answer means nothing. */
export const isSignedBy = async (
  publicKey: Uint8Array | null,
  { party, challenge, topOrigin, id, clientDataJSON, authenticatorData }: Accepted,
  signature: Bytes,
): Promise<boolean> => {
  const { server } = await loadLibrary();
  try {
    const { verified } = await server.verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON,
          authenticatorData: base64url(authenticatorData),
          signature: base64url(signature),
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.rpId,
      ...(topOrigin === undefined ? {} : { expectedTopOrigin: topOrigin }),
      // The counter is compared afterwards: the library does so before the signature, which would blame the wrong fault.
      credential: { id, publicKey: new Uint8Array(publicKey ?? ABSENT_KEY), counter: 0 },
    });
    // False for a signature of another key; other faults throw.
    return verified;
  } catch {
    return false;
  }
};
