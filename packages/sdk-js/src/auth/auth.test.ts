import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAuthService, fakeAuthService } from '../../test/support/fake-auth-service.ts';
import { KEY, pass, stopTime } from '../../test/support/fake-place.ts';
import { fakeTabs } from '../../test/support/fake-tabs.ts';
import type { Client } from '../client-types.ts';
import { makeAuth } from './auth.ts';
import type { Auth } from './auth-types.ts';

const CREDENTIALS = { email: 'ann@example.com', password: 'secret' };
const HOUR_MS = 3_600_000;
let service: FakeAuthService;
beforeEach(() => {
  stopTime();
  service = fakeAuthService(() => Date.now());
});
afterEach(() => void vi.useRealTimers());

/** The result of a call while its timers run. */
const ended = async <T>(call: Promise<T>): Promise<T> => {
  let isPending = true;
  const done = (): void => {
    isPending = false;
  };
  call.then(done, done);
  while (isPending) {
    await pass(100);
    // Digests end on another thread.
    await new Promise(setImmediate);
  }
  await pass(100);
  return call;
};
const refreshes = (): number => service.calls.filter(({ path }) => path === '/token/refresh').length;

describe('sessions in the browser', () => {
  it('tabs share a sign-in, and parallel calls make one refresh', async () => {
    const site = fakeTabs(service);
    const [one, two] = [site.open(), site.open()];
    await ended(one.auth.signIn(CREDENTIALS));
    expect(two.changes).toMatchObject([{ type: 'signed_in', isOwn: false, session: { user: { userId: 'ann' } } }]);
    await pass(HOUR_MS);
    const tokens = await ended(Promise.all([one, one, two, two].map(({ auth }) => auth.getAccessToken())));
    expect(new Set(tokens).size).toBe(1);
    expect(service.accepts(tokens[0] ?? null)).toBe(true);
    expect(refreshes()).toBe(1);
  });

  it('a token is replaced before the service rejects it, although the clock of the device was set back', async () => {
    const site = fakeTabs(service);
    const { auth } = site.open();
    site.device.shiftMs = 5 * HOUR_MS;
    await ended(auth.signIn(CREDENTIALS));
    await pass(10_000);
    // Set back, but still after the sign-in as the device's clock saw it.
    site.device.shiftMs -= HOUR_MS / 4;
    await pass(HOUR_MS / 4 + 20_000);
    expect(service.accepts(await ended(auth.getAccessToken()))).toBe(true);
    expect(refreshes()).toBe(1);
  });

  it.each(['refresh_invalid', 'session_expired', 'refresh_reused'])('a 401 %s ends the session', async (reason) => {
    const site = fakeTabs(service);
    const [one, two] = [site.open(), site.open()];
    await ended(one.auth.signIn(CREDENTIALS));
    await pass(HOUR_MS);
    vi.spyOn(service, 'fetch').mockResolvedValue(service.refusal(401, reason));
    await expect(ended(one.auth.getAccessToken())).resolves.toBeNull();
    expect(one.changes.at(-1)).toMatchObject({ type: 'signed_out', reason, isOwn: true });
    expect(two.changes.at(-1)).toMatchObject({ type: 'signed_out', isOwn: false });
  });

  it.each([
    [401, 'token_invalid'],
    [403, 'denied'],
    [409, 'refresh_in_progress'],
    [429, 'rate'],
    [503, 'overloaded'],
  ])('a %i %s keeps the session, and the token while it is valid', async (status, reason) => {
    const { auth, changes } = fakeTabs(service).open();
    await ended(auth.signIn(CREDENTIALS));
    vi.spyOn(service, 'fetch').mockImplementation(async () => service.refusal(status, reason));
    // Within the last minute of the token.
    await pass(850_000);
    expect(service.accepts(await ended(auth.getAccessToken()))).toBe(true);
    await pass(HOUR_MS);
    await expect(ended(auth.getAccessToken())).rejects.toMatchObject({ status });
    expect(auth.session()).not.toBeNull();
    expect(changes.map(({ type }) => type)).toEqual(['signed_in']);
  });

  it('an offline device keeps the session', async () => {
    const { auth } = fakeTabs(service, { network: (path) => (path === '/login' ? 'works' : 'offline') }).open();
    await ended(auth.signIn(CREDENTIALS));
    await pass(HOUR_MS);
    await expect(ended(auth.getAccessToken())).rejects.toMatchObject({ status: 0, code: 'network' });
    expect(auth.session()).not.toBeNull();
  });

  it('after refresh_in_progress a tab uses the token that another tab stored', async () => {
    const site = fakeTabs(service);
    const { auth } = site.open();
    await ended(auth.signIn(CREDENTIALS));
    await pass(HOUR_MS);
    const [name = '', text = ''] = [...site.items].find(([key]) => key.endsWith(':session')) ?? [];
    vi.spyOn(service, 'fetch').mockImplementationOnce(async () => {
      const { tokens } = JSON.parse(text);
      site.items.set(name, JSON.stringify({ tokens: { ...tokens, ...service.open() }, atMs: Date.now() }));
      return service.refusal(409, 'refresh_in_progress');
    });
    expect(service.accepts(await ended(auth.getAccessToken()))).toBe(true);
    expect(refreshes()).toBe(0);
  });

  it('logout forgets the session without a network, and a refresh that ends later does not restore it', async () => {
    const site = fakeTabs(service, { network: (path) => (path === '/logout' ? 'offline' : 'works') });
    const [one, two] = [site.open(), site.open()];
    await ended(one.auth.signIn(CREDENTIALS));
    await expect(ended(one.auth.logout())).rejects.toMatchObject({ code: 'network' });
    expect(two.auth.session()).toBeNull();
    await ended(one.auth.signIn(CREDENTIALS));
    await pass(HOUR_MS);
    const refresh = two.auth.getAccessToken();
    await pass(7);
    site.items.delete(`beckon:auth:${KEY}:session`);
    await expect(ended(refresh)).resolves.toBeNull();
    expect(one.auth.session()).toBeNull();
  });

  it('a call whose token the service rejects is repeated once with a new token', async () => {
    const { auth } = fakeTabs(service).open();
    await ended(auth.signIn(CREDENTIALS));
    const { accepts } = service;
    vi.spyOn(service, 'fetch').mockImplementationOnce(async () => service.refusal(401, 'token_invalid'));
    await expect(ended(auth.me())).resolves.toMatchObject({ name: 'Ann' });
    expect(refreshes()).toBe(1);
    expect(accepts(auth.session()?.accessToken ?? null)).toBe(true);
    expect(auth.session()?.user.name).toBe('Ann');
  });

  it('a damaged or refused storage is treated as signed out', async () => {
    const site = fakeTabs(service);
    site.items.set(`beckon:auth:${KEY}:session`, '{');
    const { auth } = site.open();
    expect(auth.session()).toBeNull();
    await expect(auth.me()).rejects.toMatchObject({ status: 401, details: { reason: 'signed_out' } });
  });

  it('a sign-in identifies the user in the client, and the end of the session resets the client', async () => {
    const calls: string[] = [];
    // Safe: the members that sign-in uses.
    const client = {
      apiKey: KEY,
      baseUrl: 'https://engage.example.com',
      identify: async (userId: string) => void calls.push(userId),
      reset: async () => void calls.push('reset'),
    } as unknown as Client;
    const site = fakeTabs(service);
    const auth = makeAuth(client, {}, site.open().g);
    await ended(auth.signIn(CREDENTIALS));
    await ended(auth.logout());
    expect(calls).toEqual(['ann', 'reset']);
  });

  it('a secret key is refused in a page', () => {
    const { g } = fakeTabs(service).open();
    expect(() => makeAuth({ apiKey: 'sk_test_1', baseUrl: 'https://a.example' }, {}, g)).toThrow(TypeError);
  });
});

describe('ways to sign in', () => {
  const location = { href: 'https://app.example.com/' };
  const history = {
    state: null,
    replaceState: (_state: unknown, _title: string, href: string): void => void Object.assign(location, { href }),
  };
  const open = (more: object = {}): Auth => fakeTabs(service, { more: { location, history, ...more } }).open().auth;

  it('a second factor is asked for before there is a session', async () => {
    const auth = open();
    const challenge = { id: 'c1', token: 'mfc_1', expiresAt: '', factors: [], attemptsLeft: 5 };
    service.answers.set('POST /login', { mfaRequired: true, challenge });
    service.answers.set('POST /mfa/challenge/c1/verify', service.open());
    await expect(ended(auth.signIn(CREDENTIALS))).resolves.toEqual({ mfaRequired: true, challenge });
    expect(auth.session()).toBeNull();
    await ended(auth.verifyMfa(challenge, { code: '123456' }));
    expect(service.calls.at(-1)?.body).toEqual({ token: 'mfc_1', code: '123456' });
    expect(auth.session()).not.toBeNull();
  });

  it('the ten newest verifiers are kept, and the URL names the one of its flow', async () => {
    const auth = open();
    service.answers.set('POST /login/social', { authorizationUrl: 'https://provider.example', expiresIn: 600 });
    service.answers.set('POST /token/exchange', service.open());
    for (let n = 0; n < 11; n += 1) await ended(auth.startSocial({ provider: 'google', redirectTo: location.href }));
    const challenges = service.calls.map(({ body }) => String(body['codeChallenge']));
    const verifierOf = async (challenge: string): Promise<unknown> => {
      location.href = `https://app.example.com/in?x=1&code=oc_1&c=${challenge.slice(0, 8)}`;
      const redirect = auth.takeRedirect();
      expect(location.href).toBe('https://app.example.com/in?x=1');
      if (redirect?.type !== 'code') throw new Error('no code in the URL');
      await ended(auth.exchange(redirect));
      return service.calls.at(-1)?.body['codeVerifier'];
    };
    const [oldest = '', second = ''] = challenges;
    const verifier = String(await verifierOf(second));
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(second);
    expect(await verifierOf(oldest)).toBeUndefined();
  });

  it('links and failures are read from the URL once', () => {
    const auth = open();
    const read = (query: string) => {
      location.href = `https://app.example.com/?${query}`;
      return [auth.takeRedirect(), auth.takeRedirect()];
    };
    expect(read('token=pr_1')).toEqual([{ type: 'reset', token: 'pr_1', c: undefined }, null]);
    expect(read('token=ml_1&c=abc')).toEqual([{ type: 'magic_link', token: 'ml_1', c: 'abc' }, null]);
    expect(read('error=access_denied&c=abc')).toEqual([{ type: 'error', error: 'access_denied', c: 'abc' }, null]);
    expect(read('token=other&code=of-the-page')).toEqual([null, null]);
  });

  it('a redirect is passed to its method as a whole, and the service gets the fields that it knows', async () => {
    const auth = open();
    const redirect = { type: 'magic_link', token: 'ml_1', c: 'c' } as const;
    const change = { type: 'email_change', token: 'ec_1', c: undefined } as const;
    const undo = { type: 'email_change_undo', token: 'eu_1', c: undefined } as const;
    await ended(auth.verifyMagicLink(redirect));
    await ended(auth.verifyEmail(change));
    await ended(auth.undoEmailChange(undo));
    expect(service.calls.map(({ path, body }) => [path, body])).toEqual([
      ['/login/magic-link/verify', { token: 'ml_1' }],
      ['/email/verify', { token: 'ec_1' }],
      ['/email/change/undo', { token: 'eu_1' }],
    ]);
  });

  it('the code of an upgrade is verified with the verifier of the upgrade', async () => {
    const auth = open();
    await ended(auth.signUp(CREDENTIALS));
    await ended(auth.signIn(CREDENTIALS));
    await ended(auth.upgradeGuest(CREDENTIALS));
    const { codeChallenge } = service.calls.at(-1)?.body ?? {};
    await ended(auth.verifyEmail({ email: 'e', code: '1' }));
    const { codeVerifier } = service.calls.at(-1)?.body ?? {};
    expect(createHash('sha256').update(String(codeVerifier)).digest('base64url')).toBe(codeChallenge);
  });

  it('each method calls its route', async () => {
    const auth = open();
    await ended(auth.signIn(CREDENTIALS));
    const id = '42';
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      'POST /signup': () => auth.signUp(CREDENTIALS),
      'POST /password/forgot': () => auth.forgotPassword(CREDENTIALS),
      'POST /password/reset': () => auth.resetPassword({ token: 'pr_1', password: 'p' }),
      'POST /password/change': () => auth.changePassword({ newPassword: 'p' }),
      'POST /reauthenticate': () => auth.reauthenticate({ password: 'p' }),
      'POST /reauthenticate/email': () => auth.requestReauthenticationCode(),
      'POST /email/verification': () => auth.requestVerification({ email: 'e' }),
      'POST /email/verify': () => auth.verifyEmail({ token: 'ev_1' }),
      'POST /email/change': () => auth.changeEmail({ newEmail: 'e' }),
      'POST /email/change/undo': () => auth.undoEmailChange({ token: 'eu_1' }),
      'POST /login/magic-link': () => auth.requestMagicLink({ email: 'e', redirectTo: 'r' }),
      'POST /login/magic-link/verify': () => auth.verifyMagicLink({ token: 'ml_1' }),
      'POST /login/email-otp': () => auth.requestEmailCode({ email: 'e' }),
      'POST /login/email-otp/verify': () => auth.verifyEmailCode({ challengeId: 'c', email: 'e', code: '1' }),
      'GET /login/social/providers': () => auth.listProviders(),
      'POST /login/social': () => auth.signInWithIdToken({ provider: 'google', idToken: 't', nonce: 'n' }),
      'GET /identities': () => auth.listIdentities(),
      'POST /identities/link': () => auth.startLink({ provider: 'google', redirectTo: 'r' }),
      [`DELETE /identities/${id}`]: () => auth.unlinkIdentity(id),
      'GET /passkeys': () => auth.listPasskeys(),
      [`PATCH /passkeys/${id}`]: () => auth.renamePasskey(id, 'n'),
      [`DELETE /passkeys/${id}`]: () => auth.deletePasskey(id),
      'POST /login/anonymous': () => auth.signInAsGuest(),
      'POST /anonymous/upgrade': () => auth.upgradeGuest(CREDENTIALS),
      'GET /mfa/factors': () => auth.listFactors(),
      [`DELETE /mfa/factors/${id}`]: () => auth.deleteFactor(id, { code: '1' }),
      'POST /mfa/totp/enroll': () => auth.enrollTotp(),
      'POST /mfa/totp/confirm': () => auth.confirmTotp({ factorId: id, code: '1' }),
      'POST /mfa/recovery-codes': () => auth.createRecoveryCodes(),
      'GET /sessions': () => auth.listSessions(),
      [`DELETE /sessions/${id}`]: () => auth.revokeSession(id),
      'GET /me': () => auth.me(),
      'PATCH /me': () => auth.updateMe({ name: 'n' }),
      'DELETE /me': () => auth.deleteMe(),
    };
    for (const [route, call] of Object.entries(calls)) {
      await ended(call());
      const { method, path } = service.calls.at(-1) ?? {};
      expect(`${method} ${path}`).toBe(route);
    }
    expect(auth.session()).toBeNull();
  });
});

describe('passkeys', () => {
  const bytes = (...values: number[]): ArrayBuffer => new Uint8Array(values).buffer;
  const requests: CredentialRequestOptions[] = [];
  const forgotten: unknown[] = [];
  const response = { clientDataJSON: bytes(1, 2, 255), signature: bytes(3), userHandle: null };
  const credential = { id: 'AQI', type: 'public-key', response, getClientExtensionResults: () => ({}) };
  const more = {
    navigator: {
      credentials: {
        get: async (options: CredentialRequestOptions) => {
          requests.push(options);
          return credential;
        },
        create: async () => ({ ...credential, response: { ...response, getTransports: () => ['internal'] } }),
      },
    },
    PublicKeyCredential: {
      isConditionalMediationAvailable: async () => true,
      signalUnknownCredential: async (options: unknown) => void forgotten.push(options),
    },
  };

  it('a passkey of the autofill list signs in', async () => {
    const { auth } = fakeTabs(service, { more }).open();
    service.answers.set('POST /login/passkey/options', { challengeId: 'w', publicKey: { challenge: '-_8' } });
    service.answers.set('POST /login/passkey/verify', service.open());
    await ended(auth.signInWithPasskey({ isAutofill: true }));
    expect(requests.at(-1)).toMatchObject({
      mediation: 'conditional',
      publicKey: { challenge: Uint8Array.of(251, 255) },
    });
    expect(service.calls.at(-1)?.body).toMatchObject({
      challengeId: 'w',
      response: { id: 'AQI', rawId: 'AQI', response: { clientDataJSON: 'AQL_', signature: 'Aw' } },
    });
    expect(auth.session()).not.toBeNull();
    // A new request ends the one that waits for autofill.
    await ended(auth.signInWithPasskey());
    expect(requests.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  });

  it('a browser without autofill of passkeys sends nothing', async () => {
    const { auth } = fakeTabs(service).open();
    await expect(auth.signInWithPasskey({ isAutofill: true })).resolves.toBeNull();
    expect(service.calls).toEqual([]);
  });

  it('the password manager is notified when a passkey of this browser is deleted', async () => {
    const { auth } = fakeTabs(service, { more }).open();
    await ended(auth.signIn(CREDENTIALS));
    const publicKey = { challenge: 'AQ', rp: { id: 'example.com' }, user: { id: 'AQ' }, excludeCredentials: [] };
    service.answers.set('POST /passkeys/options', { challengeId: 'w', publicKey });
    service.answers.set('POST /passkeys', { id: 'p1', name: 'Laptop' });
    await ended(auth.createPasskey('Laptop'));
    expect(service.calls.at(-1)?.body).toMatchObject({ response: { response: { transports: ['internal'] } } });
    await ended(auth.deletePasskey('p1'));
    expect(forgotten).toEqual([{ rpId: 'example.com', credentialId: 'AQI' }]);
  });
});
