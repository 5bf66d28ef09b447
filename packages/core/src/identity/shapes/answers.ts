import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { ACCOUNT_SOURCES } from '../accounts/sources.ts';
import { groups } from '../auth-settings/groups.ts';
import { KEY_STATES } from '../signing-keys/key-states.ts';
import { SIGNING_ALGS } from '../signing-keys/signing-key.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers of sign-in. */
export const authAnswers = answersOf<Answers>()(() => {
  const User = z
    .object({
      id: z.uuid().describe('Account id.'),
      userId: z
        .string()
        .describe('userId of the profile. The external id if the account has one, else the account id.'),
      externalId: z.string().nullable().describe('Your id of the user; null if not set.'),
      email: z.string().nullable().describe('Email address; null for a guest.'),
      emailVerified: z.boolean().describe('Whether the user has proven to own the email address.'),
      phone: z.string().nullable().describe('Phone number in E.164 format; null if not set.'),
      name: z.string().nullable().describe('Display name; null if not set.'),
      locale: z.string().nullable().describe('Language, such as en or pt-BR; null if not set.'),
      timezone: z.string().nullable().describe('IANA time zone; null if not set.'),
      metadata: z.record(z.string(), z.unknown()).describe('Your own data about the user.'),
      isAnonymous: z.boolean().describe('Whether the user is a guest.'),
      disabled: z.boolean().describe('Whether sign-in is disabled.'),
      mfaEnabled: z.boolean().describe('Whether the user has a second factor.'),
      source: z.enum(ACCOUNT_SOURCES).describe('How the account was created.'),
      createdAt: z.date().describe('When the account was created.'),
      updatedAt: z.date().describe('When the account last changed.'),
      lastSignInAt: z.date().nullable().describe('When the user last signed in; null if never.'),
    })
    .describe('An end user.');
  const TokenSet = z
    .object({
      accessToken: z.string().describe('JWT that authenticates the user. Send it as `Authorization: Bearer`.'),
      tokenType: z.literal('Bearer').describe('Type of the access token.'),
      expiresIn: z.int().describe('Life of the access token, in seconds.'),
      refreshToken: z.string().describe('Token for POST /auth-service/token/refresh. Works once.'),
      refreshExpiresAt: z.date().describe('When the session ends unless it is refreshed.'),
      sessionId: z.uuid().describe('Session id.'),
      deviceToken: z
        .string()
        .describe('Token that shows that the user signed in on this device before. Store it and send it at sign-in.'),
      mfaEnrollmentRequired: z
        .literal(true)
        .optional()
        .describe('The user must enroll a second factor before anything else. Absent if not.'),
      user: User.describe('The user.'),
    })
    .describe('Tokens of a session.');
  const MfaRequired = z
    .object({
      mfaRequired: z.literal(true).describe('The user must pass a second factor.'),
      challenge: z
        .object({
          id: z.uuid().describe('Challenge id.'),
          token: z.string().describe('Secret of the challenge. Send it with each code.'),
          expiresAt: z.date().describe('When the challenge expires.'),
          factors: z
            .array(
              z.object({
                id: z.uuid().describe('Factor id.'),
                type: z.enum(['totp', 'passkey', 'recovery']).describe('Type of the factor.'),
              }),
            )
            .describe('Factors that the user may use.'),
          attemptsLeft: z.int().describe('Codes that the challenge still accepts.'),
        })
        .describe('The challenge.'),
    })
    .describe('A sign-in that needs a second factor.');
  return {
    User,
    TokenSet,
    MfaRequired,
    AuthResult: z
      .union([TokenSet, MfaRequired])
      .describe('Tokens of a session, or a challenge if the user has a second factor.'),
    SignedUp: z
      .object({
        status: z
          .literal('verification_required')
          .describe('The address must be verified. The answer is the same for an address that has an account.'),
      })
      .describe('Result of a sign-up without automatic sign-in.'),
    AuthMailSent: z
      .object({ sent: z.literal(true).describe('Always true, whether the address has an account or not.') })
      .describe('An email was requested.'),
    EmailVerified: z
      .object({
        verified: z.literal(true).describe('The address is verified.'),
        passwordKept: z
          .boolean()
          .describe('Whether the password of the sign-up is valid. If false, the user must reset the password.'),
      })
      .describe('Result of an email verification.'),
    EmailRestored: z
      .object({ restored: z.literal(true).describe('The former address is in effect again.') })
      .describe('Result of undoing a change of the email address.'),
    SessionsRevoked: z
      .object({ revoked: z.int().describe('Sessions that were ended.') })
      .describe('Result of ending sessions.'),
    Session: z
      .object({
        id: z.uuid().describe('Session id.'),
        createdAt: z.date().describe('When the user signed in.'),
        lastSeenAt: z.date().describe('When the session was last refreshed.'),
        expiresAt: z.date().describe('When the session ends unless it is refreshed.'),
        ipNet: z.string().nullable().describe('Network of the client, such as 203.0.113.0/24; null if unknown.'),
        userAgent: z.string().nullable().describe('User-Agent header of the sign-in; null if it had none.'),
        aal: z.enum(['aal1', 'aal2']).describe('Assurance level: one factor (aal1) or two (aal2).'),
        amr: z.array(z.string()).describe('Methods of authentication (RFC 8176).'),
        current: z.boolean().describe('Whether this session made the request.'),
      })
      .describe('A session of a user.'),
    Impersonation: z
      .object({
        accessToken: z
          .string()
          .describe('JWT that acts as the user. Its claim `act` names who impersonates. It cannot be refreshed.'),
        tokenType: z.literal('Bearer').describe('Type of the access token.'),
        expiresIn: z.int().describe('Life of the access token, in seconds.'),
        expiresAt: z.date().describe('When the session ends.'),
        sessionId: z.uuid().describe('Session id.'),
        user: User.describe('The user.'),
      })
      .describe('An access token with which somebody acts as a user.'),
    AuthConfig: z
      .object({
        signup: z.enum(['open', 'disabled']).describe('Whether users may sign up.'),
        passwordMinLength: z.int().describe('Shortest new password, in characters.'),
        captcha: z
          .object({
            type: z.enum(['turnstile', 'hcaptcha', 'recaptcha']).describe('Service of the widget.'),
            siteKey: z.string().describe('Public key of the widget.'),
          })
          .nullable()
          .describe('Captcha whose response requests send as captchaToken; null: none.'),
        methods: z
          .object({
            password: z.boolean().describe('Email address and password.'),
            magicLink: z.boolean().describe('Link in an email.'),
            emailCode: z.boolean().describe('Code in an email.'),
            anonymous: z.boolean().describe('Guests without credentials.'),
          })
          .describe('Methods of sign-in that a page may offer. Social providers are listed apart.'),
      })
      .describe('What a sign-in page needs to know. Public.'),
    AuthSettings: z.object(groups).describe('Sign-in settings of an environment, with defaults filled in.'),
    AuthUserDeleted: z.object({ erasureId: z.uuid().describe('Id of the erasure.') }).describe('A deleted user.'),
    AuthSigningKey: z
      .object({
        kid: z.string().describe('Key id: the RFC 7638 thumbprint.'),
        alg: z.enum(SIGNING_ALGS).describe('Signature algorithm.'),
        state: z.enum(KEY_STATES).describe('Stage of the key: next, active, retiring or retired.'),
        activateAt: z.date().describe('When the key begins to sign, or began.'),
        retireAt: z.date().nullable().describe('When the key is no longer published; null if not retiring.'),
        createdAt: z.date().describe('When the key was created.'),
      })
      .describe('A key that signs access tokens. The private part is never returned.'),
    AuthJwks: z
      .object({
        keys: z
          .array(
            z
              .looseObject({ kid: z.string().describe('Key id.'), kty: z.string().describe('Key type.') })
              .describe('A public key (RFC 7517).'),
          )
          .describe('Public keys that verify access tokens.'),
      })
      .describe('JSON Web Key Set.'),
    AuthOpenIdConfiguration: z
      .object({
        issuer: z.string().describe('Value of the claim `iss` of access tokens.'),
        jwks_uri: z.string().describe('URL of the public keys.'),
        id_token_signing_alg_values_supported: z.array(z.enum(SIGNING_ALGS)).describe('Signature algorithms.'),
        response_types_supported: z
          .array(z.string())
          .describe('Always empty: Beckon is not an OAuth authorization server.'),
        subject_types_supported: z.array(z.literal('public')).describe('Always `public`.'),
      })
      .describe('Metadata of the issuer of access tokens (OpenID Connect Discovery).'),
    AuthAuditEntry: z
      .object({
        id: z.uuid().describe('Id of the entry.'),
        actor: z
          .string()
          .describe(
            'Who acted: `user:` and an account id, `key:` and a key id, `system`, or `anonymous` for a failed sign-in.',
          ),
        action: z.string().describe('What was done, such as password.change.'),
        target: z.string().nullable().describe('Account or setting concerned; null if none.'),
        result: z.string().describe('Outcome: ok, or the reason of the failure.'),
        ipNet: z.string().nullable().describe('Network of the client; null if unknown.'),
        detail: z.record(z.string(), z.unknown()).describe('Further facts. Never secrets.'),
        at: z.date().describe('When it happened.'),
      })
      .describe('An entry of the audit log of sign-in.'),
  };
});
