import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addPasskey, type Device, passkeySignIn, SITE, signInWith } from '../../test/support/identity/passkey.ts';
import { appOf, challengeOf } from '../../test/support/identity/phone.ts';
import { FLAGS, type SoftAlgorithm, softAuthenticator } from '../../test/support/identity/soft-authenticator.ts';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import { type AuthWorld, EMAIL, MINUTE, openAuth, PASSWORD, refused } from '../../test/support/identity/world.ts';

const INVALID = refused('passkey_invalid');
const VERIFIED = FLAGS.UP | FLAGS.UV;

describe('passkeys', () => {
  let world: AuthWorld;
  let token: string;
  let laptop: Device;
  beforeEach(async () => {
    world = await openAuth();
    await world.register();
    token = (await world.signIn()).accessToken;
    laptop = await addPasskey(world, world.scope, token);
  });
  afterEach(() => world.close());

  const bearerOf = (accessToken = token) => world.auth.authenticate(world.scope, accessToken);
  const signIn = (ceremony: Parameters<typeof signInWith>[3] = {}) => signInWith(world, world.scope, laptop, ceremony);
  const actions = async (): Promise<readonly string[]> =>
    (await world.auth.audit(world.scope)).data.map(({ action }) => action);

  it('a sign-in with a passkey counts as two factors, and its event names it', async () => {
    const tokens = await signIn();
    const { session, account } = await bearerOf(tokens.accessToken);
    expect(session).toMatchObject({ aal: 'aal2', amr: ['hwk', 'user', 'mfa'] });
    expect(account.lastSignInAt).toEqual(world.clock.now());
    const { data } = await world.beckon.profiles.events(world.scope, tokens.user.userId, { limit: 10 });
    const [event] = data.filter(({ eventType }) => eventType === 'user.signed_in');
    expect(event?.properties).toMatchObject({ method: 'passkey', mfa: true });
  });

  it.each([
    ['P1 user verification is off', { flags: FLAGS.UP }],
    ['P2 user presence is off', { flags: FLAGS.UV }],
    ['P3 the type is that of a registration', { type: 'webauthn.create' }],
    ['P4 the rpId is another', { rpId: 'evil.test' }],
    ['P5 the origin is a subdomain', { origin: 'https://app.beckon.test' }],
    ['P8 the challenge is another', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['P14 the page is a frame of another origin', { clientData: { crossOrigin: true } }],
  ])('%s: the passkey is refused', async (_, ceremony) => {
    await expect(signIn(ceremony)).rejects.toMatchObject(INVALID);
    await signIn();
  });

  it('P6 a challenge expires after 5 minutes', async () => {
    const { challengeId, publicKey } = await world.auth.requestPasskeySignIn(world.scope);
    const response = laptop.device.signIn({ ...SITE, challenge: publicKey.challenge }, laptop.handle);
    world.clock.advance(5 * MINUTE);
    await expect(world.auth.signInWithPasskey(world.scope, { challengeId, response })).rejects.toMatchObject(INVALID);
  });

  it('P7 the key of another authenticator is refused, and one that nobody registered', async () => {
    const stranger = softAuthenticator();
    const { challengeId, publicKey } = await world.auth.requestPasskeySignIn(world.scope);
    const forged = {
      ...stranger.signIn({ ...SITE, challenge: publicKey.challenge }, laptop.handle),
      ...{ id: laptop.device.id, rawId: laptop.device.id },
    };
    const input = { challengeId, response: forged };
    await expect(world.auth.signInWithPasskey(world.scope, input)).rejects.toMatchObject(INVALID);
    const unknown = { device: stranger, handle: laptop.handle };
    await expect(signInWith(world, world.scope, unknown)).rejects.toMatchObject(INVALID);
  });

  it('P9 a challenge works once, also when the first use was wrong, and of parallel uses one takes effect', async () => {
    const { challengeId, publicKey } = await world.auth.requestPasskeySignIn(world.scope);
    const response = laptop.device.signIn({ ...SITE, challenge: publicKey.challenge }, laptop.handle);
    const use = () => world.auth.signInWithPasskey(world.scope, { challengeId, response });
    const all = await Promise.allSettled(Array.from({ length: 5 }, use));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(use()).rejects.toMatchObject(INVALID);

    const next = await world.auth.requestPasskeySignIn(world.scope);
    const ceremony = { ...SITE, challenge: next.publicKey.challenge };
    const send = (flags: number) =>
      world.auth.signInWithPasskey(world.scope, {
        challengeId: next.challengeId,
        response: laptop.device.signIn({ ...ceremony, flags }, laptop.handle),
      });
    await expect(send(FLAGS.UP)).rejects.toMatchObject(INVALID);
    await expect(send(VERIFIED)).rejects.toMatchObject(INVALID);
  });

  it('P10 the handle of another user is refused, and a missing one', async () => {
    const handles = [Buffer.alloc(32, 7), null];
    for (const handle of handles) {
      const { challengeId, publicKey } = await world.auth.requestPasskeySignIn(world.scope);
      const response = laptop.device.signIn({ ...SITE, challenge: publicKey.challenge }, handle);
      await expect(world.auth.signInWithPasskey(world.scope, { challengeId, response })).rejects.toMatchObject(INVALID);
    }
  });

  it('P11 a counter that does not grow is refused and audited; an authenticator without a counter is accepted', async () => {
    await signIn({ counter: 0 });
    await signIn({ counter: 5 });
    await expect(signIn({ counter: 5 })).rejects.toMatchObject(INVALID);
    await expect(signIn({ counter: 0 })).rejects.toMatchObject(INVALID);
    const { data } = await world.auth.audit(world.scope, { action: 'passkey.refuse' });
    expect(data.map(({ detail }) => detail['fault'])).toEqual(['counter', 'counter']);
    await signIn({ counter: 6 });
  });

  it('P11 of parallel assertions with one counter in two processes, one signs in', async () => {
    await signIn({ counter: 4 });
    const processes = [world.beckon, await world.start()];
    const calls = await Promise.all(
      [0, 1, 2, 3, 4, 5].map(async (place) => {
        const beckon = processes[place % 2] ?? world.beckon;
        const scope = await world.scopeIn(beckon);
        const body = await passkeySignIn(beckon, scope, laptop, { counter: 5 });
        return () => beckon.auth.signInWithPasskey(scope, body);
      }),
    );
    const all = await Promise.allSettled(calls.map((call) => call()));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { data } = await world.auth.audit(world.scope, { action: 'passkey.refuse' });
    expect(data.map(({ detail }) => detail['fault'])).toEqual(Array(5).fill('counter'));
  });

  it('P12 rpId and origins are those of settings or of publicUrl', async () => {
    const origins = ['https://app.beckon.test'];
    await world.auth.updateSettings(world.scope, { passkey: { rpId: 'app.beckon.test', origins } });
    const { publicKey } = await world.auth.requestPasskeySignIn(world.scope);
    expect(publicKey.rpId).toBe('app.beckon.test');
    await expect(signIn(SITE)).rejects.toMatchObject(INVALID);
  });

  it.each(['ES256', 'Ed25519', 'RS256'] satisfies SoftAlgorithm[])(
    'P13 a passkey of %s signs in',
    async (algorithm) => {
      const device = await addPasskey(world, world.scope, token, { algorithm });
      expect(await signInWith(world, world.scope, device)).toMatchObject({ user: { email: EMAIL } });
    },
  );

  it('E5 options of a sign-in differ by their challenge only, and name no passkeys', async () => {
    const [a, b] = [
      await world.auth.requestPasskeySignIn(world.scope),
      await world.auth.requestPasskeySignIn(world.scope),
    ];
    expect(a.publicKey).toEqual({ ...b.publicKey, challenge: a.publicKey.challenge });
    expect(a.publicKey).toMatchObject({ allowCredentials: [], userVerification: 'required', rpId: 'beckon.test' });
    expect(a.publicKey.challenge).not.toBe(b.publicKey.challenge);
  });

  it('E5 an unknown passkey takes the same statements as a known one with a wrong signature', async () => {
    const work = async (device: Device['device'], id: string) => {
      const { challengeId, publicKey } = await world.auth.requestPasskeySignIn(world.scope);
      const response = { ...device.signIn({ ...SITE, challenge: publicKey.challenge }, laptop.handle), id, rawId: id };
      return world.workOf(() => world.auth.signInWithPasskey(world.scope, { challengeId, response }));
    };
    const stranger = softAuthenticator();
    const [unknown, known] = [await work(stranger, stranger.id), await work(stranger, laptop.device.id)];
    expect(unknown.answer).toEqual(known.answer);
    // The refusal of a known passkey is audited.
    expect(known.statements.filter((id) => id !== 'auth.insert_audit')).toEqual(unknown.statements);
  });

  it('a registration excludes the passkeys of the user, keeps the handle, and is notified and audited', async () => {
    const { publicKey } = await world.auth.requestPasskey(world.scope, await bearerOf());
    expect(publicKey.excludeCredentials.map(({ id }) => id)).toEqual([laptop.device.id]);
    expect(Buffer.from(publicKey.user.id, 'base64url')).toEqual(laptop.handle);
    expect((await world.lastEmail()).subject).toBe('A passkey was added');
    expect(await actions()).toContain('passkey.add');
  });

  it('one credential is registered once, and a user has at most 20', async () => {
    const bearer = await bearerOf();
    const again = await world.auth.requestPasskey(world.scope, bearer);
    const response = laptop.device.register({ ...SITE, challenge: again.publicKey.challenge });
    await expect(
      world.auth.addPasskey(world.scope, bearer, { challengeId: again.challengeId, response }),
    ).rejects.toMatchObject(refused('credential_exists'));
    // Parallel registrations count each other.
    for (let count = 1; count < 19; count += 1) await addPasskey(world, world.scope, token);
    const last = await Promise.allSettled([1, 2, 3].map(() => addPasskey(world, world.scope, token)));
    expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(world.auth.requestPasskey(world.scope, bearer)).rejects.toMatchObject(refused('too_many'));
    expect((await world.auth.listPasskeys(world.scope, bearer)).data).toHaveLength(20);
  });

  it('the backed-up state is kept up to date', async () => {
    const phone = await addPasskey(world, world.scope, token, { flags: VERIFIED | FLAGS.BE });
    expect(phone.passkey.backedUp).toBe(false);
    const tokens = await signInWith(world, world.scope, phone, { flags: VERIFIED | FLAGS.BE | FLAGS.BS });
    const { data } = await world.auth.listPasskeys(world.scope, await bearerOf(tokens.accessToken));
    expect(data.find(({ id }) => id === phone.passkey.id)).toMatchObject({
      ...{ backedUp: true, lastUsedAt: world.clock.now() },
    });
    expect((await bearerOf(tokens.accessToken)).session.amr).toEqual(['swk', 'user', 'mfa']);
  });

  it('passkeys are renamed and removed by their user alone', async () => {
    const { id } = laptop.passkey;
    await world.register(world.scope, 'ben@example.com');
    const other = await bearerOf((await world.signIn(world.scope, 'ben@example.com')).accessToken);
    await expect(world.auth.deletePasskey(world.scope, other, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const bearer = await bearerOf();
    expect(await world.auth.updatePasskey(world.scope, bearer, id, { name: 'Phone' })).toMatchObject({ name: 'Phone' });
    expect((await world.users.passkeys(world.scope, bearer.account.id)).data).toHaveLength(1);
    const removed = await world.auth.deletePasskey(world.scope, bearer, id);
    expect(removed).toEqual({ rpId: SITE.rpId, credentialId: laptop.device.id });
    await expect(signIn()).rejects.toMatchObject(INVALID);
  });

  it('a passkey confirms the identity, and raises the session to two factors', async () => {
    world.clock.advance(11 * MINUTE);
    const bearer = await bearerOf();
    const { challengeId, publicKey } = await world.auth.requestPasskeyReauthentication(world.scope, bearer);
    expect(publicKey.allowCredentials.map(({ id }) => id)).toEqual([laptop.device.id]);
    const response = laptop.device.signIn({ ...SITE, challenge: publicKey.challenge }, null);
    const passkey = { challengeId, response };
    const tokens = await world.auth.reauthenticate(world.scope, bearer, { passkey });
    expect(tokens.sessionId).toBe(bearer.session.id);
    const { session } = await world.auth.authenticate(world.scope, tokens.accessToken, { fresh: true });
    expect(session).toMatchObject({ aal: 'aal2', amr: ['pwd', 'hwk', 'user', 'mfa'] });
    await expect(world.auth.reauthenticate(world.scope, bearer, { passkey })).rejects.toMatchObject(INVALID);
  });

  it('a passkey is a second factor; a wrong one takes a slot and is no wrong code', async () => {
    await appOf(world);
    const challenge = await challengeOf(world);
    expect(challenge.factors.map(({ type }) => type)).toEqual(['totp', 'passkey', 'recovery']);
    const { token: secret } = challenge;
    const attempt = async (flags: number) => {
      const { publicKey } = await world.auth.requestMfaPasskey(world.scope, challenge.id, { token: secret });
      const passkey = laptop.device.signIn({ ...SITE, challenge: publicKey.challenge, flags }, null);
      return world.auth.verifyMfa(world.scope, challenge.id, { token: secret, passkey });
    };
    const forged = { token: 'mfc_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' };
    await expect(world.auth.requestMfaPasskey(world.scope, challenge.id, forged)).rejects.toMatchObject(
      refused('challenge_expired'),
    );
    await expect(attempt(FLAGS.UP)).rejects.toMatchObject({ details: { reason: 'passkey_invalid', attemptsLeft: 4 } });
    const tokens = await attempt(VERIFIED);
    expect((await bearerOf(tokens.accessToken)).session.aal).toBe('aal2');
    expect(await world.users.factors(world.scope, tokens.user.id)).toMatchObject({ wrongCodes: 0 });
  });

  it('the last way to sign in cannot be removed', async () => {
    await world.auth.updateSettings(world.scope, { anonymous: { enabled: true } });
    const { accessToken } = await tokensOf(world.auth.signInAsGuest(world.scope));
    const [one, two] = [
      await addPasskey(world, world.scope, accessToken),
      await addPasskey(world, world.scope, accessToken),
    ];
    const bearer = await bearerOf(accessToken);
    // Parallel removals count each other.
    const all = await Promise.allSettled(
      [one, two].map(({ passkey }) => world.auth.deletePasskey(world.scope, bearer, passkey.id)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(all.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused('last_method') });
  });

  it('W6 an erasure leaves no passkey, no handle and no challenge of the user', async () => {
    await world.register(world.scope, 'ben@example.com');
    await addPasskey(world, world.scope, (await world.signIn(world.scope, 'ben@example.com')).accessToken);
    const bearer = await bearerOf();
    await world.auth.requestPasskeyReauthentication(world.scope, bearer);
    await world.users.delete(world.scope, bearer.account.id);
    await world.beckon.worker.drain();
    const { authPasskeys, authPasskeyHandles, authOneTime } = world.database.tables;
    const { db } = world.database.storage;
    expect(await db.select().from(authPasskeys)).toHaveLength(1);
    expect(await db.select().from(authPasskeyHandles)).toHaveLength(1);
    expect(JSON.stringify(await db.select().from(authOneTime))).not.toContain(bearer.account.id);
  });

  it('a passkey of one environment is unknown to another', async () => {
    const other = await world.project();
    await expect(signInWith(world, other, laptop)).rejects.toMatchObject(INVALID);
    const { challengeId, publicKey } = await world.auth.requestPasskeySignIn(world.scope);
    const response = laptop.device.signIn({ ...SITE, challenge: publicKey.challenge }, laptop.handle);
    await expect(world.auth.signInWithPasskey(other, { challengeId, response })).rejects.toMatchObject(INVALID);
    await world.auth.signInWithPasskey(world.scope, { challengeId, response });
  });

  it('the first proof of a mailbox removes the passkeys of an unproven account', async () => {
    await world.auth.updateSettings(world.scope, { signup: { autoSignIn: true } });
    const victim = 'victim@example.com';
    const signedUp = await world.auth.signUp(world.scope, { email: victim, password: PASSWORD });
    if (!('accessToken' in signedUp)) throw new Error('the sign-up did not sign in');
    // The email of the sign-up.
    await world.lastEmail();
    const attacker = await addPasskey(world, world.scope, signedUp.accessToken);
    await world.auth.updateSettings(world.scope, { signup: { requireVerifiedEmail: false } });
    await signInWith(world, world.scope, attacker);
    world.clock.advance(2 * MINUTE);
    await world.auth.forgotPassword(world.scope, { email: victim });
    const { token: reset } = await world.lastEmail();
    await world.auth.resetPassword(world.scope, { token: reset, password: 'another good passphrase' });
    await expect(signInWith(world, world.scope, attacker)).rejects.toMatchObject(INVALID);
  });
});
