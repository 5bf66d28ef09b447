// Users who sign in, for tests that call the operations of sign-in: links and codes are read from the outbox of `test`.

import type { Beckon, BodyName, Scope } from '@beckon/core';
import type { TokenSet } from '@beckon/core/identity';
import { bytesOfBase32 } from '../../../../core/src/identity/mfa/base32.ts';
import { totpCode, totpStepAt } from '../../../../core/src/identity/mfa/totp.ts';
import type { MisbehavingProvider } from '../../../../core/test/support/identity/misbehaving-provider.ts';
import { tokensOf } from '../../../../core/test/support/identity/tokens.ts';
import { selfSigned } from '../../../../core/test/support/identity/x509.ts';
import { examples } from '../../../src/openapi/examples.ts';
import { passkeyWorld } from './passkeys.ts';
import { socialWorld } from './social.ts';

export const PASSWORD = 'correct horse battery staple';
const PAGE = 'https://app.example.com/signed-in';
let created = 0;
const newAddress = (): string => `user${++created}@example.com`;

/** Paths that need an access token. */
export const isOfUser = (path: string): boolean =>
  /\/auth-service\/(?:me|sessions|anonymous\/upgrade|identities|logout|password\/change|reauthenticate|email\/change|passkeys|mfa\/factors|mfa\/totp\/\w+|mfa\/recovery-codes)(?:$|[/?])/.test(
    path,
  ) && !path.includes('/email/change/undo');

/** Operations that answer 503 while `publicUrl` is not set. */
export const needsUrl = (path: string): boolean =>
  /\/(?:login|reset|refresh|exchange|openid-\w+|verify|anonymous|upgrade|enroll|confirm|impersonate|start|acs|metadata|passkeys|passkeys\/{id}|[-\w]*options)$/.test(
    path,
  );

export type SignedIn = { readonly email: string; readonly id: string; readonly tokens: TokenSet };
type Challenge = { readonly id: string; readonly token: string; readonly code: string };
export type SignIn = ReturnType<typeof signInWorld>;

/** An identity provider for SAML. */
export const samlBody = () => ({
  ...{ entityId: 'https://idp.example/metadata', ssoUrl: 'https://idp.example/sso' },
  certificates: [selfSigned().pem],
});

/** Flows of sign-in in one environment. */
export const signInWorld = (beckon: Beckon, scope: Scope, idp: MisbehavingProvider) => {
  const social = socialWorld(beckon, scope, idp, PAGE);
  let current: SignedIn | null = null;
  let challenge: Challenge | null = null;
  let lastUse: 'path' | 'body' = 'path';

  const directory = async (): Promise<string> =>
    (await beckon.auth.createScimDirectory(scope, { name: 'Acme Okta' })).id;
  const scimToken = async (): Promise<string> =>
    (await beckon.auth.createScimToken(scope, { directoryId: await directory() })).id;

  /** Settings that the flows need, whatever a test set before. */
  const resetSettings = () =>
    beckon.auth.updateSettings(scope, {
      signup: null,
      password: null,
      session: null,
      captcha: null,
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
  const connection = async (): Promise<string> => {
    const oidc = { issuer: 'https://corp.example', clientId: 'client-1', clientSecret: 'secret-1' };
    return (await beckon.auth.createSsoConnection(scope, { name: 'Corp', oidc })).id;
  };
  let samlId: string | null = null;
  /** The SAML connection of the organization. */
  const saml = async (): Promise<string> => {
    samlId ??= (await beckon.auth.createSsoConnection(scope, { name: 'Corp', saml: samlBody() })).id;
    return samlId;
  };
  const ssoDomain = async (): Promise<string> => {
    const domain = { connectionId: await connection(), domain: `d${++created}.example` };
    return (await beckon.auth.createSsoDomain(scope, domain)).id;
  };
  let nextGuest: SignedIn | null = null;
  /** A guest, whose access token the next request has. */
  const guest = async (): Promise<SignedIn> => {
    const tokens = await tokensOf(beckon.auth.signInAsGuest(scope));
    nextGuest = { email: '', id: tokens.user.id, tokens };
    return nextGuest;
  };
  const passkeys = passkeyWorld(beckon, scope, { signedIn, guest });
  /** The user whose access token requests have. */
  const session = async (): Promise<SignedIn> => {
    const one = nextGuest ?? current ?? (await signedIn());
    nextGuest = null;
    return one;
  };
  const bearerOf = (one: SignedIn) => beckon.auth.authenticate(scope, one.tokens.accessToken);
  /** The user whose access token requests have gets an identity. */
  const linked = async (): Promise<void> => {
    const one = await signedIn();
    await social.link(await bearerOf(one));
  };
  /** The code of an app `steps` after a session began: it ends 30 days after it was last used. */
  const codeOf = (secret: string, { tokens }: SignedIn, steps: number): string => {
    const startedMs = tokens.refreshExpiresAt.getTime() - 30 * 86_400_000;
    return totpCode(bytesOfBase32(secret) ?? new Uint8Array(), totpStepAt(startedMs) + steps);
  };
  const enrolling = async () => {
    const one = await signedIn();
    const { factorId, secret } = await beckon.auth.enrollTotp(scope, await bearerOf(one));
    return { one, factorId, secret, code: codeOf(secret, one, 0) };
  };
  /** A user with an authenticator app, who then is the one of the access token. */
  const enrolled = async () => {
    const { one, factorId, secret, code } = await enrolling();
    const { tokens } = await beckon.auth.confirmTotp(scope, await bearerOf(one), { factorId, code });
    current = { ...one, tokens };
    return { one, factorId, secret };
  };
  /** The user of the access token has as many authenticator apps as are allowed. */
  const crowded = async (): Promise<void> => {
    await enrolled();
    for (let more = 0; more < 4; more += 1) {
      const one = await session();
      const { factorId, secret } = await beckon.auth.enrollTotp(scope, await bearerOf(one));
      const confirmed = { factorId, code: codeOf(secret, one, 0) };
      const { tokens } = await beckon.auth.confirmTotp(scope, await bearerOf(one), confirmed);
      current = { ...one, tokens };
    }
  };
  /** One challenge serves the path and the body of a request. */
  const challenged = async (use: 'path' | 'body'): Promise<Challenge> => {
    const open = challenge;
    if (open !== null && lastUse !== use) {
      challenge = null;
      return open;
    }
    const { one, secret } = await enrolled();
    const result = await beckon.auth.signIn(scope, { email: one.email, password: PASSWORD });
    if (!('mfaRequired' in result)) throw new Error('the sign-in needs no second factor');
    const { id, token } = result.challenge;
    lastUse = use;
    challenge = { id, token, code: codeOf(secret, one, 1) };
    return challenge;
  };
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
    ConfirmFactorInput: async () => {
      const { factorId, code } = await enrolling();
      return { factorId, code };
    },
    VerifyMfaInput: async () => {
      const { token, code } = await challenged('body');
      return { token, code };
    },
    MfaPasskeyInput: async () => ({ token: (await challenged('body')).token }),
    PasskeyInput: passkeys.adding,
    PasskeySignInInput: passkeys.signingIn,
    RefreshInput: async () => ({ refreshToken: (await signedIn()).tokens.refreshToken }),
    UsersImportInput: async () => {
      const email = newAddress();
      return { users: [{ email, externalId: email, emailVerified: true }] };
    },
    SocialSignInInput: async () => {
      await social.setUp();
      return { redirectTo: PAGE };
    },
    LinkIdentityInput: async () => {
      await social.setUp();
      await signedIn();
      return { redirectTo: PAGE };
    },
    ScimTokenInput: async () => ({ directoryId: await directory() }),
    CodeExchangeInput: () => social.code(newAddress()),
    SsoStartInput: async () => ({ email: undefined, connectionId: await saml(), redirectTo: PAGE }),
    SsoDomainInput: async () => ({ connectionId: await connection(), domain: `d${++created}.example` }),
    UserInput: async () => {
      const email = newAddress();
      return { email, externalId: email };
    },
  };
  return {
    ...{
      social,
      /** Settings that the flows need, and rows of lists. */
      prepareAll: async (): Promise<void> => {
        await resetSettings();
        await scimToken();
        await ssoDomain();
      },
      linked,
      passkeys,
      resetSettings,
      guest,
      session,
      signedIn,
      crowded,
      user,
      again,
      changeEmail,
      changedEmail,
    },
    /** Makes what a request without a body needs. */
    prepare: async (method: string, path: string): Promise<void> => {
      if (path.endsWith('/auth-service/identities')) await linked();
      if (method === 'GET' && path.endsWith('/auth-service/passkeys')) await passkeys.added();
      if (path.includes('/mfa/recovery-codes')) await enrolled();
    },
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
      const provider = async () => {
        await social.setUp();
        return 'google';
      };
      const withIdentity = async () => {
        const one = await signedIn();
        await social.link(await bearerOf(one));
        return one.id;
      };
      return {
        'DELETE /auth-service/sessions/{id}': async () => (await again((await session()).email)).sessionId,
        'DELETE /auth-service/identities/{id}': async () => social.link(await bearerOf(await signedIn())),
        'GET /auth-service/users/{id}/identities': withIdentity,
        'GET /auth-service/social/providers/{provider}': provider,
        'PUT /auth-service/social/providers/{provider}': provider,
        'DELETE /auth-service/social/providers/{provider}': async () => {
          await beckon.auth.updateSocialProvider(scope, 'slack', { clientId: 'client-1', clientSecret: 'secret-1' });
          return 'slack';
        },
        'GET /auth-service/scim/directories/{id}': directory,
        'PATCH /auth-service/scim/directories/{id}': directory,
        'DELETE /auth-service/scim/directories/{id}': directory,
        'DELETE /auth-service/scim/tokens/{id}': scimToken,
        'GET /auth-service/sso/connections/{id}': connection,
        'PATCH /auth-service/sso/connections/{id}': connection,
        'DELETE /auth-service/sso/connections/{id}': connection,
        'GET /auth-service/sso/domains/{id}': ssoDomain,
        'POST /auth-service/sso/domains/{id}/verify': ssoDomain,
        'DELETE /auth-service/sso/domains/{id}': ssoDomain,
        'GET /auth-service/sso/oidc/{connectionId}/callback': connection,
        'GET /auth-service/login/social/callback/{provider}': provider,
        'POST /auth-service/login/social/callback/{provider}': provider,
        'POST /auth-service/mfa/challenge/{id}/verify': async () => (await challenged('path')).id,
        'POST /auth-service/mfa/challenge/{id}/passkey-options': async () => (await challenged('path')).id,
        'PATCH /auth-service/passkeys/{id}': async () => (await passkeys.added()).passkey.id,
        'DELETE /auth-service/passkeys/{id}': async () => (await passkeys.added()).passkey.id,
        'GET /auth-service/users/{id}/passkeys': async () => (await passkeys.added()).one.id,
        'DELETE /auth-service/mfa/factors/{id}': async () => (await enrolled()).factorId,
        'GET /auth-service/users/{id}/factors': id,
        'POST /auth-service/users/{id}/mfa/reset': id,
        'GET /auth-service/users/{id}': id,
        'PATCH /auth-service/users/{id}': id,
        'DELETE /auth-service/users/{id}': id,
        'GET /auth-service/users/{id}/sessions': withSession,
        'POST /auth-service/users/{id}/sessions/revoke': withSession,
        'POST /auth-service/users/{id}/send-reset': id,
        'POST /auth-service/users/{id}/impersonate': id,
        'GET /auth-service/projects/{projectId}/{environment}/.well-known/jwks.json': issuer,
        'GET /auth-service/projects/{projectId}/{environment}/.well-known/openid-configuration': issuer,
      };
    },
  };
};
