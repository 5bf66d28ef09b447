// Users who sign in, for tests that call the operations of sign-in: links and codes are read from the outbox of `test`.

import type { Beckon, BodyName, Scope } from '@beckon/core';
import type { TokenSet } from '@beckon/core/identity';
import { tokensOf } from '../../../../core/test/support/identity/tokens.ts';
import { examples } from '../../../src/openapi/examples.ts';

export const PASSWORD = 'correct horse battery staple';
const PAGE = 'https://app.example.com/signed-in';
let created = 0;
const newAddress = (): string => `user${++created}@example.com`;

/** Paths that need an access token. */
export const isOfUser = (path: string): boolean =>
  /\/auth-service\/(?:me|sessions|logout|password\/change|reauthenticate|email\/change|anonymous\/upgrade)(?:$|[/?])/.test(
    path,
  ) && !path.includes('/email/change/undo');

export type SignedIn = { readonly email: string; readonly id: string; readonly tokens: TokenSet };
export type SignIn = ReturnType<typeof signInWorld>;

/** Flows of sign-in in one environment. */
export const signInWorld = (beckon: Beckon, scope: Scope) => {
  let current: SignedIn | null = null;

  /** Settings that the flows need, whatever a test set before. */
  const resetSettings = () =>
    beckon.auth.updateSettings(scope, {
      signup: null,
      password: null,
      session: null,
      anonymous: { enabled: true },
      redirectUris: [PAGE],
    });
  /** What an email to this address holds. */
  const mailed = async (email: string, pattern: RegExp): Promise<string> => {
    await beckon.worker.drain();
    // Other emails that were queued are sent at the same time.
    for (let cursor: string | undefined; ; ) {
      const { data, pagination } = await beckon.outbox.list(scope, { channel: 'email', limit: 200, cursor });
      for (const mail of data) {
        const text = JSON.stringify(mail);
        const found = text.includes(email) ? pattern.exec(text)?.[0] : undefined;
        if (found !== undefined) return found;
      }
      if (pagination.nextCursor === null) break;
      cursor = pagination.nextCursor;
    }
    throw new Error(`no email to ${email} has ${String(pattern)}`);
  };
  const user = async (): Promise<{ readonly email: string; readonly id: string }> => {
    const email = newAddress();
    const { id } = await beckon.users.create(scope, { email, emailVerified: true, password: PASSWORD });
    return { email, id };
  };
  const again = (email: string) => tokensOf(beckon.auth.signIn(scope, { email, password: PASSWORD }));
  const signedIn = async (): Promise<SignedIn> => {
    const made = await user();
    current = { ...made, tokens: await again(made.email) };
    return current;
  };
  let nextGuest: SignedIn | null = null;
  /** A guest, whose access token the next request has. */
  const guest = async (): Promise<SignedIn> => {
    const tokens = await tokensOf(beckon.auth.signInAsGuest(scope));
    nextGuest = { email: '', id: tokens.user.id, tokens };
    return nextGuest;
  };
  /** The user whose access token requests have. */
  const session = async (): Promise<SignedIn> => {
    const one = nextGuest ?? current ?? (await signedIn());
    nextGuest = null;
    return one;
  };
  const bearerOf = (one: SignedIn) => beckon.auth.authenticate(scope, one.tokens.accessToken);
  const changeEmail = async () => {
    const one = await signedIn();
    const newEmail = newAddress();
    await beckon.auth.changeEmail(scope, await bearerOf(one), { newEmail });
    return { former: one.email, newEmail, token: await mailed(newEmail, /ec_[\w-]{43}/) };
  };
  const changedEmail = async () => {
    const { former, token } = await changeEmail();
    await beckon.auth.verifyEmail(scope, { token });
    return { former, token: await mailed(former, /eu_[\w-]{43}/) };
  };

  const makers: Partial<Record<BodyName, () => Promise<object>>> = {
    SignUpInput: async () => ({ email: newAddress() }),
    SignInInput: async () => ({ email: (await user()).email }),
    ResetPasswordInput: async () => {
      const { email } = await user();
      await beckon.auth.forgotPassword(scope, { email });
      return { token: await mailed(email, /pr_[\w-]{43}/) };
    },
    ChangePasswordInput: async () => {
      await signedIn();
      return {};
    },
    ReauthenticateInput: async () => {
      await signedIn();
      return {};
    },
    VerifyEmailInput: async () => {
      const email = newAddress();
      await beckon.auth.signUp(scope, { email, password: PASSWORD });
      return { email, code: await mailed(email, /(?<=code: )\d{6}/) };
    },
    MagicLinkInput: async () => ({ email: newAddress(), redirectTo: undefined }),
    MagicLinkVerifyInput: async () => {
      const email = newAddress();
      await beckon.auth.requestMagicLink(scope, { email });
      return { token: await mailed(email, /ml_[\w-]{43}/) };
    },
    EmailOtpInput: async () => ({ email: newAddress() }),
    EmailOtpVerifyInput: async () => {
      const email = newAddress();
      const { challengeId } = await beckon.auth.requestEmailCode(scope, { email });
      return { challengeId, email, code: await mailed(email, /(?<=\\n)\d{6}(?=\\n)/) };
    },
    GuestUpgradeInput: async () => {
      await guest();
      return { email: newAddress() };
    },
    ChangeEmailInput: async () => ({ newEmail: newAddress() }),
    UndoEmailInput: async () => ({ token: (await changedEmail()).token }),
    RefreshInput: async () => ({ refreshToken: (await signedIn()).tokens.refreshToken }),
    UserInput: async () => {
      const email = newAddress();
      return { email, externalId: email };
    },
  };
  return {
    ...{ resetSettings, guest, session, signedIn, user, again, changeEmail, changedEmail },
    /** The example of a body, with what exists in place of what does not; null: it is no body of sign-in. */
    bodyOf: async (name: BodyName): Promise<object | null> => {
      const make = makers[name];
      if (make === undefined) return null;
      await resetSettings();
      return Object.assign({}, examples[name], await make());
    },
    /** Ids of parameters by their operations. */
    ids: (): Record<string, () => Promise<string>> => {
      const withSession = async () => {
        const made = await user();
        await again(made.email);
        return made.id;
      };
      const id = async () => (await user()).id;
      const issuer = async () => scope.projectId;
      return {
        'DELETE /auth-service/sessions/{id}': async () => (await again((await session()).email)).sessionId,
        'GET /auth-service/users/{id}': id,
        'PATCH /auth-service/users/{id}': id,
        'DELETE /auth-service/users/{id}': id,
        'GET /auth-service/users/{id}/sessions': withSession,
        'POST /auth-service/users/{id}/sessions/revoke': withSession,
        'POST /auth-service/users/{id}/send-reset': id,
        'GET /auth-service/projects/{projectId}/{environment}/.well-known/jwks.json': issuer,
        'GET /auth-service/projects/{projectId}/{environment}/.well-known/openid-configuration': issuer,
      };
    },
  };
};
