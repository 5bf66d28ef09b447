import { expect, it } from 'vitest';
import { addPasskey, newPasskey, passkeySignIn, siteOf } from '../../test/support/identity/passkey.ts';
import { openProd } from '../../test/support/identity/prod.ts';
import { FLAGS } from '../../test/support/identity/soft-authenticator.ts';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import { EMAIL, MINUTE, PAGE, PASSWORD, SECOND } from '../../test/support/identity/world.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import { bytesOfBase32 } from './mfa/base32.ts';
import { totpCode, totpStepAt } from './mfa/totp.ts';
import type { TokenSet } from './shapes/answers.generated.ts';

const SECOND_PASSWORD = 'another good passphrase';
const THIRD_PASSWORD = 'yet another passphrase';
const EVENTS = [
  ...['user.signed_up', 'user.signed_in', 'user.identified', 'user.session_expired', 'user.password_reset'],
  ...['email.sent', 'email.delivered'],
];

/** A code of six digits occurs by chance within longer numbers. */
const isIn = (secret: string, text: string): boolean =>
  /^\d{6}$/.test(secret) ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`).test(text) : text.includes(secret);

it('K8 no table, log line, event or webhook holds a token, code, link or password of any flow', async () => {
  const lines: string[] = [];
  const keep = (fields: object, text: string): void => {
    const plain = (_: string, value: unknown) =>
      value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value;
    lines.push(`${text} ${JSON.stringify(fields, plain)}`);
  };
  const { world, scope, last, relay } = await openProd({ log: { info: keep, warn: keep, error: keep } });
  const { auth, users, beckon, clock, database } = world;
  const endpoint = await beckon.webhooks.create(
    scope,
    unchecked({ url: 'https://shop.example/', events: EVENTS.slice(0, 5), isPulled: true }),
  );
  const secrets = new Map<string, string>();
  const add = (name: string, secret: string): void => {
    expect(`${name} ${secret.length}`).not.toBe(`${name} 0`);
    secrets.set(`${name} ${secrets.size}`, secret);
  };
  const addTokens = ({ accessToken, refreshToken, deviceToken = '' }: TokenSet): void => {
    add('access token', accessToken);
    add('refresh token', refreshToken);
    add('device token', deviceToken);
  };
  /** Everything that is stored or was written to the log. */
  const everything = async (): Promise<string> => {
    const tables = await Promise.all(
      Object.values(database.tables).map((table) => database.storage.db.select().from(unchecked(table))),
    );
    return [JSON.stringify(tables), ...lines].join('\n');
  };
  const check = async (): Promise<void> => {
    const text = await everything();
    expect([...secrets].filter(([, secret]) => isIn(secret, text)).map(([name]) => name)).toEqual([]);
  };
  /** Looks while the email waits, and after it was sent. */
  const emailed = async (name: string, hasCode = false, to?: string) => {
    const waiting = await everything();
    const email = await last(to);
    add(`${name} token`, email.token);
    if (hasCode) add(`${name} code`, email.code);
    const found = [email.token, ...(hasCode ? [email.code] : [])].filter((secret) => isIn(secret, waiting));
    expect(found).toEqual([]);
    await check();
    return email;
  };
  for (const password of [PASSWORD, SECOND_PASSWORD, THIRD_PASSWORD, 'a wrong password']) add('password', password);

  await auth.signUp(scope, { email: EMAIL, password: PASSWORD, name: 'Ann' });
  const first = await emailed('verify', true);
  await auth.verifyEmail(scope, { email: EMAIL, code: '000000' }).catch(() => undefined);
  clock.advance(MINUTE);
  await auth.requestVerification(scope, { email: EMAIL });
  const second = await emailed('verify again', true);
  await expect(auth.verifyEmail(scope, { token: first.token })).rejects.toThrow();
  await auth.verifyEmail(scope, { token: second.token, password: PASSWORD });

  const { id: directoryId } = await auth.createScimDirectory(scope, { name: 'Acme' });
  const { token: scimToken } = await auth.createScimToken(scope, { directoryId });
  add('SCIM token', scimToken);
  const caller = await auth.authenticateScim(scimToken);
  const member = { userName: 'member@directory.example', password: THIRD_PASSWORD };
  await auth.handleScim(caller.scope, { directoryId, endpoint: 'Users', operation: 'create', body: member });
  await expect(auth.authenticateScim(`${scimToken}x`)).rejects.toThrow();
  await check();

  const signedIn = await tokensOf(auth.signIn(scope, { email: EMAIL, password: PASSWORD }));
  addTokens(signedIn);
  await expect(auth.signIn(scope, { email: EMAIL, password: 'a wrong password' })).rejects.toThrow();
  const refreshed = await auth.refresh(scope, { refreshToken: signedIn.refreshToken });
  addTokens(refreshed);
  clock.advance(11 * SECOND);
  addTokens(await auth.refresh(scope, { refreshToken: refreshed.refreshToken }));
  await expect(auth.refresh(scope, { refreshToken: signedIn.refreshToken })).rejects.toThrow();

  clock.advance(MINUTE);
  await auth.forgotPassword(scope, { email: EMAIL });
  const reset = await emailed('reset');
  const afterReset = await tokensOf(auth.resetPassword(scope, { token: reset.token, password: SECOND_PASSWORD }));
  addTokens(afterReset);
  const bearer = await auth.authenticate(scope, afterReset.accessToken);
  addTokens(await auth.reauthenticate(scope, bearer, { password: SECOND_PASSWORD }));
  await auth.changePassword(scope, bearer, { currentPassword: SECOND_PASSWORD, newPassword: THIRD_PASSWORD });

  clock.advance(MINUTE);
  await auth.changeEmail(scope, bearer, { newEmail: 'ann@new.example' });
  const change = await emailed('email change');
  await auth.verifyEmail(scope, { token: change.token });
  // The new address gets a notice at the same time, without a link.
  const undo = await emailed('undo', false, EMAIL);
  await auth.undoEmailChange(scope, { token: undo.token });
  clock.advance(MINUTE);
  // Somebody signs up with the address, and the unproven sign-up of another one stays open.
  await auth.signUp(scope, { email: EMAIL, password: 'a wrong password' });
  await auth.signUp(scope, { email: 'bob@example.com', password: PASSWORD });
  await emailed('first sign-up', true, 'bob@example.com');
  clock.advance(MINUTE);
  await auth.signUp(scope, { email: 'bob@example.com', password: SECOND_PASSWORD });
  await emailed('second sign-up', true, 'bob@example.com');
  await users.create(scope, { email: 'carl@example.com', emailVerified: true, password: THIRD_PASSWORD });
  const carl = { email: 'carl@example.com', password: THIRD_PASSWORD };
  const carls = await tokensOf(auth.signIn(scope, carl));
  const enrolling = await auth.authenticate(scope, carls.accessToken);
  const { factorId, secret } = await auth.enrollTotp(scope, enrolling);
  add('authenticator app', secret);
  const key = bytesOfBase32(secret) ?? new Uint8Array();
  add('bytes of the app', Buffer.from(key).toString('base64url'));
  const codeAt = (steps: number): string => totpCode(key, totpStepAt(clock.now().getTime()) + steps);
  const confirmed = await auth.confirmTotp(scope, enrolling, { factorId, code: codeAt(0) });
  addTokens(confirmed.tokens);
  for (const code of confirmed.recoveryCodes) {
    add(`recovery code ${code}`, code);
    add(`characters of recovery code ${code}`, code.replaceAll('-', ''));
  }
  const result = await auth.signIn(scope, carl);
  if (!('mfaRequired' in result)) throw new Error('the sign-in needs no second factor');
  const { id: challengeId, token: challengeToken } = result.challenge;
  add('challenge', challengeToken);
  const verify = (code: string) => auth.verifyMfa(scope, challengeId, { token: challengeToken, code });
  await expect(verify('000000')).rejects.toThrow();
  const carlsTokens = await verify(confirmed.recoveryCodes[0] ?? '');
  addTokens(carlsTokens);

  // Links, codes, guests, and a step-up by email.
  await auth.updateSettings(scope, { anonymous: { enabled: true } });
  clock.advance(MINUTE);
  await auth.requestMagicLink(scope, { email: 'dora@example.com' });
  const link = await emailed('magic link', true);
  const dora = await tokensOf(auth.signInWithMagicLink(scope, { token: link.token }));
  addTokens(dora);
  /** A code without a link. */
  const codeOnly = async (name: string) => {
    const waiting = await everything();
    const code = /\b\d{6}\b/.exec((await last()).text)?.[0] ?? '';
    add(`${name} code`, code);
    expect(isIn(code, waiting)).toBe(false);
    return code;
  };
  clock.advance(MINUTE);
  const requested = await auth.requestEmailCode(scope, { email: 'dora@example.com' });
  const otp = { challengeId: requested.challengeId, email: 'dora@example.com', code: await codeOnly('email') };
  await expect(auth.signInWithEmailCode(scope, { ...otp, code: '000000' })).rejects.toThrow();
  addTokens(await tokensOf(auth.signInWithEmailCode(scope, otp)));
  clock.advance(MINUTE);
  const dorasBearer = await auth.authenticate(scope, dora.accessToken);
  const stepUp = await auth.requestReauthentication(scope, dorasBearer);
  const emailCode = await codeOnly('step-up');
  addTokens(await auth.reauthenticate(scope, dorasBearer, { challengeId: stepUp.challengeId, emailCode }));
  const guest = await tokensOf(auth.signInAsGuest(scope, { anonymousId: 'visitor' }));
  addTokens(guest);
  const upgrade = { email: 'erin@example.com', password: SECOND_PASSWORD };
  await auth.upgradeGuest(scope, await auth.authenticate(scope, guest.accessToken), upgrade);
  const upgraded = await emailed('upgrade', true);
  await auth.verifyEmail(scope, { token: upgraded.token, password: SECOND_PASSWORD });

  // Passkeys: a challenge and what answers it leave no trace, whether it was accepted or not.
  const adding = await newPasskey(beckon, scope, dora.accessToken);
  const { response: registration } = adding.body;
  add('attestation', registration.response.attestationObject);
  add('client data of a registration', registration.response.clientDataJSON);
  await auth.addPasskey(scope, adding.bearer, adding.body);
  const laptop = { device: adding.device, handle: adding.handle };
  const addAssertion = ({ response }: Awaited<ReturnType<typeof passkeySignIn>>['response']): void => {
    add('client data', response.clientDataJSON);
    add('challenge of a passkey', JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()).challenge);
    add('signature', response.signature);
  };
  const assertion = await passkeySignIn(beckon, scope, laptop);
  addAssertion(assertion.response);
  addTokens(await auth.signInWithPasskey(scope, assertion));
  const wrong = await passkeySignIn(beckon, scope, laptop, { flags: FLAGS.UP });
  addAssertion(wrong.response);
  await expect(auth.signInWithPasskey(scope, wrong)).rejects.toThrow();
  const confirming = await auth.requestPasskeyReauthentication(scope, dorasBearer);
  const { challenge, rpId } = confirming.publicKey;
  const response = laptop.device.signIn({ ...siteOf(rpId), challenge }, null);
  addAssertion(response);
  const passkey = { challengeId: confirming.challengeId, response };
  addTokens(await auth.reauthenticate(scope, dorasBearer, { passkey }));
  const carlsPasskey = await addPasskey(beckon, scope, carlsTokens.accessToken);
  const again = await auth.signIn(scope, carl);
  if (!('mfaRequired' in again)) throw new Error('the sign-in needs no second factor');
  const { id: open, token } = again.challenge;
  add('challenge', token);
  const factor = await auth.requestMfaPasskey(scope, open, { token });
  const page = { ...siteOf(rpId), challenge: factor.publicKey.challenge };
  const proof = carlsPasskey.device.signIn(page, null);
  addAssertion(proof);
  addTokens(await auth.verifyMfa(scope, open, { token, passkey: proof }));

  await check();
  const { userId } = signedIn.user;
  const views = JSON.stringify([
    (await beckon.profiles.events(scope, userId, { limit: 200 })).data,
    (await beckon.webhooks.deliveries(scope, endpoint.id, { limit: 200 })).data,
    (await beckon.sends.list(scope, 'email', { limit: 200 })).data,
    (await auth.audit(scope, { limit: 200 })).data,
    (await users.list(scope)).data,
  ]);
  expect([...secrets].filter(([, secret]) => isIn(secret, views)).map(([name]) => name)).toEqual([]);
  // The flows did take place.
  expect((await world.eventsOf(userId, scope)).toSorted()).toEqual(
    expect.arrayContaining(['user.identified', 'user.password_reset', 'user.session_expired', 'user.signed_up']),
  );
  expect(views).toContain('password.reset');
  expect(relay.received.length).toBeGreaterThanOrEqual(8);
  expect((await everything()).length).toBeGreaterThan(10_000);
  expect(secrets.size).toBeGreaterThan(25);
});

it('H5 emails of sign-in have no tracked link, no tracking pixel and no unsubscribe header', async () => {
  const { world, scope, relay } = await openProd();
  const { auth, users, beckon, clock } = world;
  await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
  clock.advance(MINUTE);
  await users.create(scope, { email: 'bob@example.com', emailVerified: true });
  await auth.forgotPassword(scope, { email: 'bob@example.com' });
  await beckon.worker.drain();
  expect(relay.received).toHaveLength(2);
  for (const { raw, headers, text } of relay.received) {
    const html = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect([...headers.keys()].filter((name) => name.startsWith('list-'))).toEqual([]);
    expect(html).toContain(`href="${PAGE}?token=`);
    expect(html).not.toContain('beckon.test');
    expect(html).not.toContain('<img');
    expect(text).toContain(PAGE);
  }
});
