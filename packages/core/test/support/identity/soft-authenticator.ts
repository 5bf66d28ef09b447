// An authenticator in software: makes credentials, signs in with them, and can break each rule. CBOR is written by hand, so
// that tests do not depend on the library that they test.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type SoftAlgorithm = 'ES256' | 'Ed25519' | 'RS256';

const byte = (...values: readonly number[]): Buffer => Buffer.from(values);

// A CBOR head: major type and length or value.
const head = (major: number, value: number): Buffer => {
  const type = major << 5;
  if (value < 24) return byte(type | value);
  return value < 256 ? byte(type | 24, value) : byte(type | 25, value >> 8, value & 0xff);
};
const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (...entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);

/** CBOR of an attestation object. `statement` is CBOR of a map; an empty one by default. */
export const attestationObject = (authenticatorData: Uint8Array, format = 'none', statement = map()): Buffer =>
  map([text('fmt'), text(format)], [text('attStmt'), statement], [text('authData'), bytes(authenticatorData)]);

const fromJwk = (value: string | undefined): Buffer => Buffer.from(value ?? '', 'base64url');

type Key = { readonly cose: Buffer; sign(data: Uint8Array): Buffer };

const ALGORITHMS: Readonly<Record<SoftAlgorithm, () => Key>> = {
  ES256: () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const cose = map(
      [integer(1), integer(2)],
      [integer(3), integer(-7)],
      [integer(-1), integer(1)],
      [integer(-2), bytes(fromJwk(x))],
      [integer(-3), bytes(fromJwk(y))],
    );
    return { cose, sign: (data) => sign('sha256', data, privateKey) };
  },
  Ed25519: () => {
    const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ed25519');
    const { x } = publicKey.export({ format: 'jwk' });
    const cose = map(
      [integer(1), integer(1)],
      [integer(3), integer(-8)],
      [integer(-1), integer(6)],
      [integer(-2), bytes(fromJwk(x))],
    );
    return { cose, sign: (data) => sign(null, data, privateKey) };
  },
  RS256: () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const { n, e } = publicKey.export({ format: 'jwk' });
    const cose = map(
      [integer(1), integer(3)],
      [integer(3), integer(-257)],
      [integer(-1), bytes(fromJwk(n))],
      [integer(-2), bytes(fromJwk(e))],
    );
    return { cose, sign: (data) => sign('sha256', data, privateKey) };
  },
};

/** Flags of authenticator data. */
export const FLAGS = { UP: 0x01, RFU1: 0x02, UV: 0x04, BE: 0x08, BS: 0x10, RFU2: 0x20, AT: 0x40, ED: 0x80 } as const;

/** What a ceremony reports. Undefined members of `clientData` are left out. */
export type Ceremony = {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly type?: string;
  readonly clientData?: Readonly<Record<string, unknown>>;
};

const base64url = (value: Uint8Array): string => Buffer.from(value).toString('base64url');
const sha256 = (value: Uint8Array | string): Buffer => createHash('sha256').update(value).digest();

const clientDataOf = ({ challenge, origin, clientData, type }: Ceremony, usual: string): Buffer =>
  Buffer.from(JSON.stringify({ type: type ?? usual, challenge, origin, crossOrigin: false, ...clientData }));

const authenticatorDataOf = ({ rpId, flags = FLAGS.UP | FLAGS.UV, counter = 0 }: Ceremony, more = 0): Buffer => {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(rpId), byte(flags | more), count]);
};

/** A device with one credential. */
export const softAuthenticator = (algorithm: SoftAlgorithm = 'ES256') => {
  const key = ALGORITHMS[algorithm]();
  const id = randomBytes(32);
  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} };
  return {
    id: credential.id,
    cose: key.cose,
    /** The answer to `navigator.credentials.create`. `cose` replaces the public key, `format` the attestation format. */
    register(ceremony: Ceremony, { cose = key.cose, format = 'none', statement = map() } = {}) {
      const authenticatorData = Buffer.concat([
        authenticatorDataOf(ceremony, FLAGS.AT),
        Buffer.alloc(16),
        byte(0, id.length),
        id,
        cose,
      ]);
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientDataOf(ceremony, 'webauthn.create')),
          attestationObject: base64url(attestationObject(authenticatorData, format, statement)),
          transports: ['internal', 'hybrid'],
        },
      };
    },
    /** The answer to `navigator.credentials.get`. */
    signIn(ceremony: Ceremony, userHandle: Uint8Array | null) {
      const clientData = clientDataOf(ceremony, 'webauthn.get');
      const authenticatorData = authenticatorDataOf(ceremony);
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData),
          authenticatorData: base64url(authenticatorData),
          signature: base64url(key.sign(Buffer.concat([authenticatorData, sha256(clientData)]))),
          userHandle: userHandle && base64url(userHandle),
        },
      };
    },
  };
};
