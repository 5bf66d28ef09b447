import type { Client } from '../client-types.ts';
import { ApiError } from '../errors.ts';
import type { AuthUserDeleted, TokenSet, User } from '../generated/wire.ts';
import { internalsOf } from '../internals.ts';
import { type Answer, BASE, failure } from '../request.ts';
import { makeSlots, type StorageArea } from '../slots.ts';
import type { Auth } from './auth-types.ts';
import { makeSession } from './session.ts';
import type { Ceremony, Passkey, Redirect } from './shapes.ts';
import { makeVerifiers, type Purpose } from './verifiers.ts';
import { makeWebAuthn, type WithPasskeys } from './webauthn.ts';

/** Chosen: more than the service may take. Source: authentication design, Conventions: 9 s. */
const TIMEOUT_MS = 10_000;
/** Prefixes of tokens in links. Source: authentication design, Tokens. */
const LINKS = {
  ml: 'magic_link',
  pr: 'reset',
  ev: 'verification',
  ec: 'email_change',
  eu: 'email_change_undo',
} as const;
const LINK = /^(ml|pr|ev|ec|eu)_/;
const PASSKEYS = 'passkeys';
const ANONYMOUS = 'anonymous';

export type AuthOptions = {
  /**
   * Where the session is stored: `local` (default) shares it among tabs, `memory` ends it with the page. Or your own
   * storage, which must answer at once.
   */
  readonly storage?: 'local' | 'memory' | StorageArea | undefined;
};
/** A client of `createClient`, or only the key and the URL of the service. */
export type AuthTarget = Client | Pick<Client, 'apiKey' | 'baseUrl'>;

const localArea = (g: WithPasskeys): StorageArea | null => {
  try {
    return g.localStorage ?? null;
  } catch {
    return null;
  }
};

/** @throws TypeError for a secret key in a browser, and for a client of another package */
export const makeAuth = (target: AuthTarget, { storage = 'local' }: AuthOptions, g: WithPasskeys): Auth => {
  const { apiKey } = target;
  if (g.window && apiKey.startsWith('sk_')) throw new TypeError('Secret apiKey in a page.');
  const base = `${target.baseUrl.replace(/\/+$/, '')}${BASE}/auth-service`;
  const client = 'identify' in target ? target : null;
  const name = `beckon:auth:${apiKey}:`;
  const area = typeof storage === 'object' ? storage : storage === 'local' ? localArea(g) : null;
  const slots = makeSlots(name, area);

  const send = async (method: string, path: string, body?: unknown, token?: string): Promise<unknown> => {
    let response: Response;
    let answer: Answer | null;
    try {
      response = await g.fetch(base + path, {
        method,
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
        // Safari lacks it before 16, and has its own timeout.
        signal: AbortSignal.timeout?.(TIMEOUT_MS),
        credentials: 'omit',
      });
      answer = await response.json().catch(() => null);
    } catch (error) {
      throw new ApiError(0, 'network', String(error));
    }
    if (!response.ok) throw failure(response, answer);
    // A truncated response leaves the result unknown.
    if (!answer?.success) throw new ApiError(0, 'network');
    return answer.data;
  };
  const session = makeSession(g, { name, slots, post: (path, body) => send('POST', path, body) });
  const verifiers = makeVerifiers(g, slots);
  const webAuthn = makeWebAuthn(g);

  /** Stores the tokens of an answer that has some. The type of an answer is that of its route. */
  const keep = <T>(answer: unknown): T => {
    // Safe: only a token set has `accessToken`, and only a confirmed factor has tokens beside its codes.
    const found = answer as (Partial<TokenSet> & { readonly tokens?: TokenSet }) | null;
    const tokens = found?.tokens ?? found;
    if (tokens?.accessToken) session.write(tokens as TokenSet);
    // Safe: the caller names the answer of its route.
    return answer as T;
  };
  const post = async <T>(path: string, body: unknown = {}): Promise<T> => keep(await send('POST', path, body));
  /** A call of the signed-in user. */
  const asUser = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const token = await session.getAccessToken();
    if (!token) throw new ApiError(401, 'UNAUTHORIZED', 'Not signed in.', { reason: 'signed_out' });
    try {
      return keep(await send(method, path, body, token));
    } catch (thrown) {
      // Safe: `send` throws nothing else.
      const { status, details } = thrown as ApiError;
      const current = session.current();
      // The token may be invalid before its time, such as after a clock change. Only a refresh may end the session.
      if (status !== 401 || !/^(token_invalid|session_expired)$/.test(String(details['reason'])) || !current)
        throw thrown;
      const renewed = current.accessToken === token ? await session.refresh(current.refreshToken) : current;
      if (!renewed) throw thrown;
      return keep(await send(method, path, body, renewed.accessToken));
    }
  };
  const postAsUser = <T>(path: string, body: unknown = {}): Promise<T> => asUser('POST', path, body);
  const withChallenge = async <T extends object>(input: T, purpose: Purpose) => ({
    ...input,
    codeChallenge: await verifiers.create(purpose),
  });
  /** `input` may be a whole redirect, whose `type` the service does not know. */
  const withVerifier = <T extends { readonly c?: string | undefined; readonly type?: string }>(
    { c, type, ...input }: T,
    purpose: Purpose,
  ) => ({
    ...input,
    codeVerifier: verifiers.pick(c, purpose)?.[1],
  });
  const redirected = async (input: { readonly provider: string; readonly redirectTo: string }, purpose: Purpose) => ({
    ...(await withChallenge(input, purpose)),
    codeChallengeMethod: 'S256',
  });
  const withUser = (user: User): User => {
    session.update(user);
    return user;
  };

  /** Passkeys that this browser made: name of the site and id of the credential, by the passkey's id. */
  const madeHere = (): Record<string, readonly [string, string]> => {
    try {
      // Safe: only `createPasskey` writes it.
      return JSON.parse(slots.get(PASSKEYS) ?? '{}') as Record<string, readonly [string, string]>;
    } catch {
      return {};
    }
  };

  session.onChange(({ type, session: current, isOwn }) => {
    // Tabs share the identity of the client, too. The client reports its errors itself.
    if (!client || !isOwn) return;
    if (type === 'signed_in' && current) client.identify(current.user.userId).catch(() => {});
    if (type === 'signed_out') client.reset().catch(() => {});
  });
  const closed = new AbortController();
  g.window?.addEventListener(
    'storage',
    // Safe: events of this name have this type.
    (event) => session.onStorage((event as StorageEvent).key),
    { signal: closed.signal },
  );

  return {
    getAccessToken: session.getAccessToken,
    session: session.current,
    onChange: session.onChange,
    takeRedirect: () => {
      if (!g.location) return null;
      const url = new URL(g.location.href);
      const [code, error, token, c] = ['code', 'error', 'token', 'c'].map((key) => url.searchParams.get(key));
      const prefix = LINK.exec(token ?? '')?.[1];
      let found: Redirect | null = null;
      // Safe: the expression matches the names of this object only.
      if (token && prefix) found = { type: LINKS[prefix as keyof typeof LINKS], token, c: c ?? undefined };
      else if (c && code) found = { type: 'code', code, c };
      else if (c && error) found = { type: 'error', error, c };
      if (!found) return null;
      // Secrets stay in neither the history nor the referrer.
      for (const key of ['code', 'error', 'token', 'c']) url.searchParams.delete(key);
      g.history?.replaceState(g.history.state, '', url.href);
      return found;
    },
    close: () => {
      closed.abort();
      webAuthn.abort();
    },

    signUp: async (input) => post('/signup', await withChallenge(input, 'signup')),
    signIn: (input) => post('/login', { deviceToken: session.deviceToken(), ...input }),
    forgotPassword: (input) => post('/password/forgot', input),
    resetPassword: (input) => post('/password/reset', input),
    changePassword: (input) => postAsUser('/password/change', input),
    requestVerification: (input) => post('/email/verification', input),
    verifyEmail: (input) => post('/email/verify', withVerifier(input, 'signup')),
    changeEmail: (input) => postAsUser('/email/change', input),
    undoEmailChange: ({ token }) => post('/email/change/undo', { token }),
    reauthenticate: (proof) => postAsUser('/reauthenticate', proof),
    reauthenticateWithPasskey: async () => {
      const { challengeId, publicKey } = await postAsUser<Ceremony>('/reauthenticate/options');
      return postAsUser('/reauthenticate', { passkey: { challengeId, response: await webAuthn.get(publicKey) } });
    },
    requestReauthenticationCode: () => postAsUser('/reauthenticate/email'),

    requestMagicLink: async (input) => post('/login/magic-link', await withChallenge(input, 'link')),
    verifyMagicLink: (input) => post('/login/magic-link/verify', withVerifier(input, 'link')),
    requestEmailCode: (input) => post('/login/email-otp', input),
    verifyEmailCode: (input) => post('/login/email-otp/verify', input),

    listProviders: async () => keep(await send('GET', '/login/social/providers')),
    startSocial: async (input) => post('/login/social', await redirected(input, 'social')),
    signInWithIdToken: (input) => post('/login/social', input),
    exchange: ({ code, c }) => {
      const [, codeVerifier, purpose] = verifiers.pick(c, 'social') ?? [];
      return (purpose === 'identity' ? postAsUser : post)('/token/exchange', { code, codeVerifier });
    },
    listIdentities: () => asUser('GET', '/identities'),
    startLink: async (input) => postAsUser('/identities/link', await redirected(input, 'identity')),
    unlinkIdentity: (id) => asUser('DELETE', `/identities/${id}`),

    signInWithPasskey: async ({ isAutofill = false } = {}) => {
      if (isAutofill && !(await webAuthn.isAutofillAvailable())) return null;
      const { challengeId, publicKey } = await post<Ceremony>('/login/passkey/options');
      return post('/login/passkey/verify', { challengeId, response: await webAuthn.get(publicKey, isAutofill) });
    },
    createPasskey: async (passkeyName) => {
      const { challengeId, publicKey } = await postAsUser<Ceremony>('/passkeys/options');
      const response = await webAuthn.create(publicKey);
      const made = await postAsUser<Passkey>('/passkeys', { challengeId, response, name: passkeyName });
      // Safe: creation options have it.
      const { id: rpId = g.location?.hostname ?? '' } = publicKey['rp'] as { readonly id?: string };
      slots.set(PASSKEYS, JSON.stringify({ ...madeHere(), [made.id]: [rpId, response.id] }));
      return made;
    },
    listPasskeys: () => asUser('GET', '/passkeys'),
    renamePasskey: (id, passkeyName) => asUser('PATCH', `/passkeys/${id}`, { name: passkeyName }),
    deletePasskey: async (id) => {
      await asUser('DELETE', `/passkeys/${id}`);
      const { [id]: made, ...others } = madeHere();
      if (!made) return;
      slots.set(PASSKEYS, JSON.stringify(others));
      await webAuthn.forget(...made);
    },

    signInAsGuest: (input) =>
      post('/login/anonymous', {
        ...input,
        anonymousId: (client && internalsOf(client).slots.get(ANONYMOUS)) ?? undefined,
      }),
    upgradeGuest: async (input) =>
      postAsUser(
        '/anonymous/upgrade',
        // `verifyEmail` ends the first, as it ends a sign-up; the second has the code of a provider.
        'email' in input ? await withChallenge(input, 'signup') : withVerifier(input, 'social'),
      ),

    verifyMfa: ({ id, token }, input) => post(`/mfa/challenge/${id}/verify`, { token, ...input }),
    verifyMfaWithPasskey: async ({ id, token }) => {
      const path = `/mfa/challenge/${id}`;
      const { publicKey } = await post<Ceremony>(`${path}/passkey-options`, { token });
      return post(`${path}/verify`, { token, passkey: await webAuthn.get(publicKey) });
    },
    listFactors: () => asUser('GET', '/mfa/factors'),
    deleteFactor: (id, proof) => asUser('DELETE', `/mfa/factors/${id}`, proof),
    enrollTotp: () => postAsUser('/mfa/totp/enroll'),
    confirmTotp: (input) => postAsUser('/mfa/totp/confirm', input),
    createRecoveryCodes: () => postAsUser('/mfa/recovery-codes'),

    listSessions: () => asUser('GET', '/sessions'),
    revokeSession: (id) => asUser('DELETE', `/sessions/${id}`),
    me: async () => withUser(await asUser('GET', '/me')),
    updateMe: async (input) => withUser(await asUser('PATCH', '/me', input)),
    deleteMe: async () => {
      const deleted = await asUser<AuthUserDeleted>('DELETE', '/me');
      session.drop();
      return deleted;
    },
    logout: async (scope = 'current') => {
      const { accessToken } = session.current() ?? {};
      if (!accessToken) return null;
      try {
        return await postAsUser('/logout', { scope });
      } finally {
        if (scope !== 'others') session.drop();
      }
    },
  };
};
