import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Ceremony,
  FLAGS,
  type SoftAlgorithm,
  softAuthenticator,
} from '../../../test/support/identity/soft-authenticator.ts';
import {
  credentialIdOf,
  newUserHandle,
  PASSKEY_CHALLENGE_MS,
  type PasskeyChallenge,
  registrationOptions,
  type StoredPasskey,
  signInOptions,
  verifyRegistration,
  verifySignIn,
} from './ceremony.ts';
import type { RelyingParty } from './relying-party.ts';

const NOW = new Date('2026-11-29T00:00:00Z');
const ORIGIN = 'https://example.org';
const party: RelyingParty = { rpId: 'example.org', rpName: 'Example', origins: [ORIGIN], allowCrossOrigin: false };
const handle = newUserHandle();
const user = { handle, name: 'ada@example.org', displayName: 'Ada' };
const refusal = (detail: string) => ({ ok: false, reason: 'passkey_invalid', detail });

type Change = Partial<Ceremony> & { readonly party?: RelyingParty; readonly now?: Date };
type Device = ReturnType<typeof softAuthenticator>;

const register = (device: Device, change: Change = {}, attestation: Parameters<Device['register']>[1] = {}) => {
  const { challenge } = registrationOptions({ party, user, credentials: [], now: NOW });
  const ceremony = { challenge: challenge.value, origin: ORIGIN, rpId: party.rpId, ...change };
  const response = device.register(ceremony, attestation);
  return verifyRegistration({ party: change.party ?? party, challenge, response, now: change.now ?? NOW });
};

const stored = async (device: Device, change: Change = {}): Promise<StoredPasskey> => {
  const result = await register(device, change);
  if (!result.ok) throw new Error(result.detail);
  return { ...result.passkey, userHandle: handle };
};

type SignIn = Change & {
  readonly credential: StoredPasskey | null;
  readonly userHandle?: Uint8Array | null;
  readonly needsUserHandle?: boolean;
  readonly storedChallenge?: PasskeyChallenge | null;
  readonly alter?: (response: ReturnType<Device['signIn']>['response']) => object;
};
const signIn = (device: Device, { alter, storedChallenge, userHandle = handle, ...change }: SignIn) => {
  const { challenge } = signInOptions({ party, now: NOW });
  const ceremony = { challenge: challenge.value, origin: ORIGIN, rpId: party.rpId, ...change };
  const response = device.signIn(ceremony, userHandle);
  return verifySignIn({
    party: change.party ?? party,
    challenge: storedChallenge === undefined ? challenge : storedChallenge,
    response: { ...response, response: { ...response.response, ...alter?.(response.response) } },
    now: change.now ?? NOW,
    credential: change.credential,
    ...(change.needsUserHandle === undefined ? {} : { needsUserHandle: change.needsUserHandle }),
  });
};

/** Runs both ceremonies with the same change. */
const both = async (change: Change) => {
  const device = softAuthenticator();
  const credential = await stored(device);
  return [await register(device, change), await signIn(device, { ...change, credential })];
};
const twice = (detail: string) => [refusal(detail), refusal(detail)];

describe('passkey options', () => {
  it('a registration asks for a discoverable, verified credential of three algorithms and names existing ones', () => {
    const credentials = [{ id: 'AAAA', transports: ['internal' as const] }];
    const { challenge, publicKey } = registrationOptions({ party, user, credentials, now: NOW });
    expect(publicKey).toEqual({
      rp: { id: 'example.org', name: 'Example' },
      user: { id: Buffer.from(handle).toString('base64url'), name: 'ada@example.org', displayName: 'Ada' },
      challenge: challenge.value,
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      excludeCredentials: [{ id: 'AAAA', type: 'public-key', transports: ['internal'] }],
      authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'required' },
      attestation: 'none',
    });
    expect(challenge.expiresAt.getTime() - NOW.getTime()).toBe(PASSKEY_CHALLENGE_MS);
  });

  it('E5: options of a sign-in differ by the challenge of 32 random bytes alone', () => {
    const random = (size: number) => Buffer.alloc(size, 7);
    const { publicKey } = signInOptions({ party, now: NOW, random });
    const challenge = Buffer.alloc(32, 7).toString('base64url');
    expect(publicKey).toEqual({
      ...{ rpId: 'example.org', challenge, timeout: 300_000, allowCredentials: [], userVerification: 'required' },
    });
  });

  it('a user handle has 32 bytes, and one of another system 1 to 64', () => {
    expect(newUserHandle()).toHaveLength(32);
    const optionsOf = (size: number) =>
      registrationOptions({ party, user: { ...user, handle: new Uint8Array(size) }, credentials: [], now: NOW });
    for (const size of [1, 64]) expect(optionsOf(size).publicKey.user.id).not.toBe('');
    for (const size of [0, 65]) expect(() => optionsOf(size)).toThrow(RangeError);
  });
});

describe('passkey ceremonies', () => {
  it('P1: a response without user verification is refused', async () => {
    expect(await both({ flags: FLAGS.UP })).toEqual(twice('user_verification'));
  });

  it('P2: a response without user presence is refused', async () => {
    expect(await both({ flags: FLAGS.UV })).toEqual(twice('user_presence'));
  });

  it.each(['webauthn.other', 'payment.get', ''])('P3: type "%s" is refused', async (type) => {
    expect(await both({ type })).toEqual(twice('type'));
  });

  it('P3: a registration cannot be used as a sign-in, nor a sign-in as a registration', async () => {
    const device = softAuthenticator();
    expect(await register(device, { type: 'webauthn.get' })).toEqual(refusal('type'));
    const credential = await stored(device);
    expect(await signIn(device, { credential, type: 'webauthn.create' })).toEqual(refusal('type'));
  });

  it.each(['evil.example', 'login.example.org', 'org', 'EXAMPLE.ORG'])('P4: rpId %s is refused', async (rpId) => {
    expect(await both({ rpId })).toEqual(twice('rp_id'));
  });

  it.each([
    'https://login.example.org',
    'https://example.org.evil.example',
    'http://example.org',
    'https://example.org:8443',
    'https://example.org/',
    'null',
  ])('P5: origin %s is refused unless settings name it', async (origin) => {
    expect(await both({ origin })).toEqual(twice('origin'));
    const results = await both({ origin, party: { ...party, origins: [ORIGIN, origin] } });
    expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('P6: a stale challenge is refused', async () => {
    const end = NOW.getTime() + PASSKEY_CHALLENGE_MS;
    expect(await both({ now: new Date(end) })).toEqual(twice('challenge_expired'));
    expect((await both({ now: new Date(end - 1) })).map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('P7: a signature of another key is refused', async () => {
    const [device, other] = [softAuthenticator(), softAuthenticator()];
    const credential = await stored(device);
    const swapped = { ...(await stored(other)), id: credential.id };
    expect(await signIn(device, { credential: swapped })).toEqual(refusal('signature'));
  });

  it.each(['AA', '', 'not DER at all'])('P7: signature "%s" is refused', async (signature) => {
    const device = softAuthenticator();
    const result = await signIn(device, { credential: await stored(device), alter: () => ({ signature }) });
    expect(result).toEqual(refusal(signature === 'AA' ? 'signature' : 'malformed'));
  });

  it('P7: a changed byte of client data or authenticator data is refused', async () => {
    const device = softAuthenticator();
    const credential = await stored(device);
    const withCounter = (data: string) => {
      const bytes = Buffer.from(data, 'base64url');
      bytes.writeUInt32BE(9, 33);
      return bytes.toString('base64url');
    };
    const withMember = (data: string) =>
      Buffer.from(Buffer.from(data, 'base64url').toString().replace(/\}$/, ',"a":1}')).toString('base64url');
    const changes = [
      ({ authenticatorData }: { authenticatorData: string }) => ({ authenticatorData: withCounter(authenticatorData) }),
      ({ clientDataJSON }: { clientDataJSON: string }) => ({ clientDataJSON: withMember(clientDataJSON) }),
    ] as const;
    for (const alter of changes) expect(await signIn(device, { credential, alter })).toEqual(refusal('signature'));
  });

  it('P7: an unknown credential is refused after a signature check', async () => {
    const device = softAuthenticator();
    expect(await signIn(device, { credential: null })).toEqual(refusal('unknown_credential'));
    // A row that the response does not name is no evidence.
    const other = await stored(softAuthenticator());
    expect(await signIn(device, { credential: other })).toEqual(refusal('unknown_credential'));
  });

  it('P8: the challenge of another ceremony is refused', async () => {
    const challenge = createHash('sha256').update('other').digest('base64url');
    expect(await both({ challenge })).toEqual(twice('challenge'));
  });

  it('P9: a response is refused once its challenge is deleted', async () => {
    const device = softAuthenticator();
    const credential = await stored(device);
    const spent = { storedChallenge: null, credential };
    expect(await signIn(device, spent)).toEqual(refusal('challenge_unknown'));
    const { challenge } = registrationOptions({ party, user, credentials: [], now: NOW });
    const response = device.register({ challenge: challenge.value, origin: ORIGIN, rpId: party.rpId });
    expect(await verifyRegistration({ party, challenge: null, response, now: NOW })).toEqual(
      refusal('challenge_unknown'),
    );
  });

  it('P10: the user handle of another user is refused', async () => {
    const device = softAuthenticator();
    const credential = await stored(device);
    for (const needsUserHandle of [true, false])
      expect(await signIn(device, { credential, needsUserHandle, userHandle: newUserHandle() })).toEqual(
        refusal('user_handle'),
      );
  });

  it('P10: a missing user handle is refused unless a first factor named the account', async () => {
    const device = softAuthenticator();
    const credential = await stored(device);
    expect(await signIn(device, { credential, userHandle: null })).toEqual(refusal('user_handle'));
    expect(await signIn(device, { credential, userHandle: null, needsUserHandle: false })).toMatchObject({ ok: true });
  });

  it.each([
    [5, 5, false],
    [5, 4, false],
    [5, 0, false],
    [5, 6, true],
    [0, 0, true],
    [0, 3, true],
  ])('P11: a counter of %i followed by %i: %s', async (before, after, isAccepted) => {
    const device = softAuthenticator();
    const credential = { ...(await stored(device)), counter: before };
    const result = await signIn(device, { credential, counter: after });
    expect(result).toEqual(
      isAccepted
        ? { ok: true, use: { counter: after, isBackupEligible: false, isBackedUp: false } }
        : refusal('counter'),
    );
  });

  it('P11: a forged response with a low counter is a wrong signature, not a cloned authenticator', async () => {
    const credential = { ...(await stored(softAuthenticator())), counter: 5 };
    const forger = softAuthenticator();
    const forged = { ...credential, id: forger.id };
    expect(await signIn(forger, { credential: forged, counter: 1 })).toEqual(refusal('signature'));
  });

  it('P12: a response for the domain and origin of another site is refused by settings', async () => {
    expect(await both({ origin: 'https://evil.example', rpId: 'evil.example' })).toEqual(twice('origin'));
    const { publicKey } = signInOptions({ party: { ...party, rpId: 'accounts.example' }, now: NOW });
    expect(publicKey.rpId).toBe('accounts.example');
  });

  it.each([
    ['ES256', -7],
    ['Ed25519', -8],
    ['RS256', -257],
  ] satisfies [SoftAlgorithm, number][])('P13: a passkey of %s registers and signs in', async (name, algorithm) => {
    const device = softAuthenticator(name);
    const result = await register(device, { counter: 2 });
    expect(result).toEqual({
      ok: true,
      passkey: {
        ...{ id: device.id, algorithm, counter: 2, isBackupEligible: false, isBackedUp: false },
        publicKey: new Uint8Array(device.cose),
        aaguid: '00000000-0000-0000-0000-000000000000',
        transports: ['hybrid', 'internal'],
      },
    });
    const credential = await stored(device);
    expect(await signIn(device, { credential })).toMatchObject({ ok: true });
    expect(credentialIdOf(device.signIn({ challenge: '', origin: ORIGIN, rpId: '' }, null))).toBe(device.id);
  });

  it('P13: other algorithms, curves and sizes are refused', async () => {
    const device = softAuthenticator();
    // ES384, and ES256 with the number of curve P-384.
    const es384 = Buffer.from(device.cose.toString('hex').replace('a50102032620', 'a5010203382220'), 'hex');
    const curve = Buffer.from(
      device.cose.toString('hex').replace('a501020326 2001'.replace(' ', ''), 'a5010203262002'),
      'hex',
    );
    const large = Buffer.concat([
      Buffer.from('a401030339010020590500', 'hex'),
      Buffer.alloc(0x500, 1),
      Buffer.from('2143010001', 'hex'),
    ]);
    for (const cose of [es384, curve, large]) {
      expect(cose.equals(device.cose)).toBe(false);
      expect(await register(device, {}, { cose })).toEqual(refusal('algorithm'));
    }
  });

  it.each([[{ crossOrigin: true }], [{ crossOrigin: true, topOrigin: 'https://frame.example' }]])(
    'P14: %o is refused unless settings allow it',
    async (clientData) => {
      expect(await both({ clientData })).toEqual(twice('cross_origin'));
      const results = await both({ clientData, party: { ...party, allowCrossOrigin: true } });
      expect(results.map(({ ok }) => ok)).toEqual([true, true]);
    },
  );

  it.each([
    [{ topOrigin: 'https://frame.example' }, 'cross_origin'],
    [{ crossOrigin: 'true' }, 'malformed'],
    [{ crossOrigin: null }, 'malformed'],
    [{ crossOrigin: true, topOrigin: 5 }, 'malformed'],
    [{ tokenBinding: { status: 'present', id: 'AA' } }, 'token_binding'],
    [{ tokenBinding: 'supported' }, 'token_binding'],
  ])('P14: %o is refused always', async (clientData, detail) => {
    const open = { ...party, allowCrossOrigin: true };
    const alone = detail === 'cross_origin' ? party : open;
    expect(await both({ clientData, party: alone })).toEqual(twice(detail));
    expect(await both({ clientData, party: open })).toEqual(twice(detail));
  });

  it('members that browsers add to client data are accepted', async () => {
    const clientData = { other_keys_can_be_added_here: 'x', extraData: {}, crossOrigin: undefined };
    expect((await both({ clientData })).map(({ ok }) => ok)).toEqual([true, true]);
  });

  it.each([['RFU1'], ['RFU2']] as const)('reserved bit %s of authenticator data is refused', async (name) => {
    expect(await both({ flags: FLAGS.UP | FLAGS.UV | FLAGS[name] })).toEqual(twice('reserved_bits'));
  });

  it('the backed-up state is reported, and may change where the authenticator allows backups', async () => {
    const device = softAuthenticator();
    const flags = FLAGS.UP | FLAGS.UV | FLAGS.BE;
    const credential = await stored(device, { flags });
    expect(credential).toMatchObject({ isBackupEligible: true, isBackedUp: false });
    expect(await signIn(device, { credential, flags: flags | FLAGS.BS })).toMatchObject({ use: { isBackedUp: true } });
    expect(await signIn(device, { credential })).toEqual(refusal('backup_state'));
    const imported = { ...credential, isBackupEligible: null };
    expect(await signIn(device, { credential: imported })).toMatchObject({ ok: true });
    expect(await both({ flags: FLAGS.UP | FLAGS.UV | FLAGS.BS })).toEqual(twice('backup_state'));
  });

  it('an attestation statement is ignored, whatever its format', async () => {
    const statement = Buffer.from('a163783563814100', 'hex');
    for (const format of ['packed', 'android-key', 'fido-u2f', 'unheard-of'])
      expect(await register(softAuthenticator(), {}, { format, statement })).toMatchObject({ ok: true });
  });

  it.each([
    [null],
    ['text'],
    [{}],
    [{ id: 'AAAA', type: 'public-key', response: {} }],
    [{ id: 'AAAA', type: 'public-key', response: { clientDataJSON: '!', attestationObject: 'AA' } }],
  ])('the malformed response %o is refused', async (response) => {
    const { challenge } = signInOptions({ party, now: NOW });
    expect(await verifyRegistration({ party, challenge, response, now: NOW })).toEqual(refusal('malformed'));
    expect(await verifySignIn({ party, challenge, response, now: NOW, credential: null })).toEqual(
      refusal('malformed'),
    );
    expect(credentialIdOf(response)).toBeNull();
  });

  it('a registration whose id is not that of its authenticator data is refused', async () => {
    const device = softAuthenticator();
    const { challenge } = registrationOptions({ party, user, credentials: [], now: NOW });
    const response = device.register({ challenge: challenge.value, origin: ORIGIN, rpId: party.rpId });
    for (const change of [{ id: 'AAAA', rawId: 'AAAA' }, { rawId: 'AAAA' }, { type: 'password' }])
      expect(await verifyRegistration({ party, challenge, response: { ...response, ...change }, now: NOW })).toEqual(
        refusal('malformed'),
      );
  });
});
