// Vectors of WebAuthn Level 3, section 16 "Test Vectors": 16.2 (ES256 without attestation), 16.4 (`crossOrigin` true),
// 16.5 (`topOrigin`) and 16.11 (Ed25519 with packed attestation). Domain and origin are fixed by section 16.1.

import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { describe, expect, it } from 'vitest';
import { base64url } from './bytes.ts';
import { verifyRegistration, verifySignIn } from './ceremony.ts';
import { readClientData } from './client-data.ts';
import { attestedDataOf } from './library.ts';
import type { RelyingParty } from './relying-party.ts';

const NOW = new Date('2026-11-29T00:00:00Z');
const party: RelyingParty = {
  ...{ rpId: 'example.org', rpName: 'Example', origins: ['https://example.org'], allowCrossOrigin: true },
};
const refusal = (detail: string) => ({ ok: false, reason: 'passkey_invalid', detail });

const encoded = (hex: string): string => base64url(Buffer.from(hex, 'hex'));
const RP_ID_HASH = 'bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5';
// The member that the specification adds to test that unknown members are accepted.
const extraData = (suffix: string): string =>
  `clientDataJSON may be extended with additional fields in the future, such as this: ${suffix}`;

type Vector = {
  readonly id: string;
  readonly algorithm: number;
  readonly registration: { readonly challenge: string; readonly attestationObject: string; readonly more: object };
  readonly signIn: {
    readonly challenge: string;
    readonly flags: string;
    readonly signature: string;
    readonly more: object;
  };
};

const NAMES = ['none.ES256', 'none.ES256.crossOrigin', 'none.ES256.topOrigin', 'packed.EdDSA'] as const;
const VECTORS: Readonly<Record<(typeof NAMES)[number], Vector>> = {
  'none.ES256': {
    id: 'f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4',
    algorithm: -7,
    registration: {
      challenge: '00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130',
      attestationObject: `a363666d74646e6f6e656761747453746d74a068617574684461746158a4${RP_ID_HASH}59000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220`,
      more: { crossOrigin: false, extraData: extraData('BkQeDjdcDBrXBiAwJTLE5Q') },
    },
    signIn: {
      challenge: '39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408',
      flags: '19',
      signature:
        '3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87',
      more: { crossOrigin: false },
    },
  },
  'none.ES256.crossOrigin': {
    id: '6e1050c0d2ca2f07c755cb2c66a74c64fa43065c18f938354d9915db2bd5ce57',
    algorithm: -7,
    registration: {
      challenge: '3be5aacd03537142472340ab5969f240f1d87716e20b6807ac230655fa4b3b49',
      attestationObject: `a363666d74646e6f6e656761747453746d74a068617574684461746158a4${RP_ID_HASH}4500000000883f4f6014f19c09d87aa38123be48d000206e1050c0d2ca2f07c755cb2c66a74c64fa43065c18f938354d9915db2bd5ce57a501020326200121582022200a473f90b11078851550d03b4e44a2279f8c4eca27b3153dedfe03e4e97d225820cbd0be95e746ad6f5a8191be11756e4c0420e72f65b466d39bc56b8b123a9c6e`,
      more: { crossOrigin: true, extraData: extraData('zZquEtDR9DWqpW5tBWTFug') },
    },
    signIn: {
      challenge: '876aa517ba83fdee65fcffdbca4c84eeae5d54f8041a1fc85c991e5bbb273137',
      flags: '05',
      signature:
        '3046022100eb12fcf23b12764c0f122e22371fab92e283879fd798f38ee1841c951b6e40e7022100c76237ff9db77b3c56f30837cda6a09acfa2e915544e609c0733b1184036d1cf',
      more: { crossOrigin: true, extraData: extraData('92pcTVD0Aby-q4dtmj6efg') },
    },
  },
  'none.ES256.topOrigin': {
    id: 'b8ad59b996047ab18e2ceb57206c362da57458793481f4a8ebf101c7ca7cc0f1',
    algorithm: -7,
    registration: {
      challenge: '4e1f4c6198699e33c14f192153f49d7e0e8e3577d5ac416c5f3adc92a41f27e5',
      attestationObject: `a363666d74646e6f6e656761747453746d74a068617574684461746158a4${RP_ID_HASH}410000000097586fd09799a76401c200455099ef2a0020b8ad59b996047ab18e2ceb57206c362da57458793481f4a8ebf101c7ca7cc0f1a5010203262001215820a1c47c1d82da4ebe82cd72207102b380670701993bc35398ae2e5726427fe01d22582086c1080d82987028c7f54ecb1b01185de243b359294a0ed210cd47480f0adc88`,
      more: { crossOrigin: true, topOrigin: 'https://example.com' },
    },
    signIn: {
      challenge: 'd54a5c8ca4b62a8e3bb321e3b2bc73856f85a10150db2939ac195739eb1ea066',
      flags: '05',
      signature:
        '3045022100b5a70c81780d5fcc9a4f2ae9caae99058f8accaf58b91fb59329646c28ac6ffc022012e101c165db3c8e9957f0c54dd6ca9b56bc3bd2f280bd2faa6c1d02c6e5c171',
      more: {
        crossOrigin: true,
        topOrigin: 'https://example.com',
        extraData: extraData('UiFoJMVRQHDAFWFi4vxUpQ'),
      },
    },
  },
  'packed.EdDSA': {
    id: 'ce9f840ed96599580cd140fbc7bb3230633f50f61041aff73308ae71caa8a2bd',
    algorithm: -8,
    registration: {
      challenge: 'a8abf9dabdc6b0df63466b39bda9e8a34a34e185337a59f1c579990676d3b3bd',
      attestationObject: `a363666d74667061636b65646761747453746d74a363616c67266373696758483046022100d83f60bd80269537583218858aefb03ac57d45fa06e42feaae332d187f62da9f022100a02bd3cb6f7e1d283c93bad1f3f4b5a4c0494463da7fdbf256949116754d1f17637835638159022730820223308201c8a003020102021100b2cfc9ea33c8643b0e1a760463eaf164300a06082a8648ce3d0403023062311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331253023060355040b0c1c41757468656e74696361746f72204174746573746174696f6e204341310b30090603550406130241413020170d3234303130313030303030305a180f33303234303130313030303030305a305f311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e310b30090603550406130241413059301306072a8648ce3d020106082a8648ce3d03010703420004dd2b7a564b73b8c0b81c4c62e521925c4d1198ec9f583dbf1eebe364b65cd9c29a9bdf346aaa81fb6b9507e5249a52fdaf8e39e26b0b7dc45992a7e233b70f70a360305e300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e041604140ae27546bc7eccb1b4b597bd354f0c0b1f1f8f8e301f0603551d2304183016801445aff715b0dd786741fee996ebc16547a3931b1e300a06082a8648ce3d0403020349003046022100a0d434ecb5fc3bfd7da5f41904517ad2836249f561bd834ba7a438a8ab7a4ce8022100fac845bb7a02513b58e9f319654dbe49b0f02b95835bac568c71f8a18cdde9ab6861757468446174615881${RP_ID_HASH}4100000000d5aa33581e8ca478e20fe713f5d32ff20020ce9f840ed96599580cd140fbc7bb3230633f50f61041aff73308ae71caa8a2bda401010327200621582044e06ddd331c36a8dc667bab52bcae63486c916aa5e339e6acebaa84934bf832`,
      more: { crossOrigin: false, extraData: extraData('B_DT5g7ZD_-9OTLYX5IvEQ') },
    },
    signIn: {
      challenge: '895957e01c633a698348a2d8a31a54b7db27e8c1c43b2080d79ae2190267bfd2',
      flags: '01',
      signature:
        'f5c59c7e46c34f6f8cc197101ddf9934fa2595f68eb1913a637e8419eb9ba4cfdfc48f85393bc0d40b011f0d6fecb097d6607525713223a0dc0d453993dae00b',
      more: { crossOrigin: false },
    },
  },
};

const clientData = (type: string, hex: string, more: object): string =>
  base64url(Buffer.from(JSON.stringify({ type, challenge: encoded(hex), origin: 'https://example.org', ...more })));

/** A vector as a browser sends it. The signature covers each byte of the client data, so the JSON is the specification's. */
const responsesOf = ({ id, registration, signIn }: Vector) => {
  const credential = {
    ...{ id: encoded(id), rawId: encoded(id), type: 'public-key' as const, clientExtensionResults: {} },
  };
  return {
    registration: {
      ...credential,
      response: {
        clientDataJSON: clientData('webauthn.create', registration.challenge, registration.more),
        attestationObject: encoded(registration.attestationObject),
      },
    },
    signIn: {
      ...credential,
      response: {
        clientDataJSON: clientData('webauthn.get', signIn.challenge, signIn.more),
        authenticatorData: encoded(`${RP_ID_HASH}${signIn.flags}00000000`),
        signature: encoded(signIn.signature),
      },
    },
  };
};

/** The key that a vector registers, read without the rule on user verification, which two of them do not meet. */
const keyOf = async (vector: Vector) => {
  const { registrationInfo } = await verifyRegistrationResponse({
    response: responsesOf(vector).registration,
    expectedChallenge: encoded(vector.registration.challenge),
    // The default looks for other algorithms, for which Node prints a warning.
    supportedAlgorithmIDs: [-7, -8],
    ...{ expectedOrigin: 'https://example.org', expectedRPID: 'example.org', requireUserVerification: false },
  });
  if (!registrationInfo) throw new Error('The vector does not register.');
  return registrationInfo.credential;
};

const challengeOf = (hex: string) => ({ value: encoded(hex), expiresAt: new Date(NOW.getTime() + 1) });
const register = (vector: Vector, change: Partial<RelyingParty> = {}) =>
  verifyRegistration({
    party: { ...party, ...change },
    challenge: challengeOf(vector.registration.challenge),
    response: responsesOf(vector).registration,
    now: NOW,
  });
const signIn = async (vector: Vector, change: Partial<RelyingParty> = {}) =>
  verifySignIn({
    party: { ...party, ...change },
    challenge: challengeOf(vector.signIn.challenge),
    response: responsesOf(vector).signIn,
    now: NOW,
    credential: { ...(await keyOf(vector)), counter: 0, userHandle: new Uint8Array(32), isBackupEligible: null },
    // The vectors hold no user handle.
    needsUserHandle: false,
  });

describe('vectors of WebAuthn Level 3, section 16', () => {
  it.each(Object.entries(VECTORS))('P15: %s: client data and attestation object are read', async (_, vector) => {
    for (const [type, response, hex] of [
      ['webauthn.create', responsesOf(vector).registration.response, vector.registration.challenge],
      ['webauthn.get', responsesOf(vector).signIn.response, vector.signIn.challenge],
    ] as const) {
      const { clientDataJSON } = response;
      expect(readClientData({ clientDataJSON, type, challenge: encoded(hex), party })).toMatchObject({ ok: true });
    }
    const object = new Uint8Array(Buffer.from(vector.registration.attestationObject, 'hex'));
    expect(await attestedDataOf(object)).toMatchObject({
      id: encoded(vector.id),
      algorithm: vector.algorithm,
    });
  });

  it.each(Object.entries(VECTORS))('P15: %s: the signature fits the registered key', async (_, vector) => {
    const { verified } = await verifyAuthenticationResponse({
      response: responsesOf(vector).signIn,
      expectedChallenge: encoded(vector.signIn.challenge),
      ...{ expectedOrigin: 'https://example.org', expectedRPID: 'example.org', requireUserVerification: false },
      expectedTopOrigin: 'https://example.com',
      credential: { ...(await keyOf(vector)), counter: 0 },
    });
    expect(verified).toBe(true);
  });

  it.each(['none.ES256', 'packed.EdDSA'] as const)(
    'P15: %s is refused for its missing user verification',
    async (name) => {
      expect(await register(VECTORS[name])).toEqual(refusal('user_verification'));
      expect(await signIn(VECTORS[name])).toEqual(refusal('user_verification'));
    },
  );

  it('P15: none.ES256.crossOrigin registers and signs in where settings allow frames of other origins', async () => {
    const vector = VECTORS['none.ES256.crossOrigin'];
    expect(await register(vector)).toMatchObject({
      passkey: { id: encoded(vector.id), algorithm: -7, aaguid: '883f4f60-14f1-9c09-d87a-a38123be48d0', counter: 0 },
    });
    expect(await signIn(vector)).toMatchObject({ ok: true });
    expect(await register(vector, { allowCrossOrigin: false })).toEqual(refusal('cross_origin'));
    expect(await signIn(vector, { allowCrossOrigin: false })).toEqual(refusal('cross_origin'));
  });

  it('P15: none.ES256.topOrigin signs in with the same setting; its registration lacks user verification', async () => {
    const vector = VECTORS['none.ES256.topOrigin'];
    expect(await register(vector)).toEqual(refusal('user_verification'));
    expect(await signIn(vector)).toMatchObject({ ok: true });
    expect(await signIn(vector, { allowCrossOrigin: false })).toEqual(refusal('cross_origin'));
  });
});
