// Groups of sign-in settings, with their defaults and ranges. Source: authentication design, Settings.

import { z } from 'zod';
import { domainOf, mailAddress } from '../../foundation/email-address.ts';
import { isRowId } from '../../foundation/ids.ts';
import { MAX_ACCESS_TTL_SECONDS } from '../signing-keys/key-states.ts';
import { SIGNING_ALGS } from '../signing-keys/signing-key.ts';
import { CAPTCHA_TYPES } from './captcha-types.ts';
import { MAIL_KINDS, NOTICE_KINDS } from './mail-kinds.ts';
import { MAX_REDIRECT_CHARACTERS, MAX_REDIRECT_URIS, redirectUriOf } from './redirect-uris.ts';
import { SOCIAL_PROVIDERS } from './social-providers.ts';

/** Longest life of a session and longest wait for an erasure, in days. Chosen: one year. */
const MAX_DAYS = 365;
/** Characters of a domain. Source: RFC 1035, with space for the name of an address before it. */
const MAX_DOMAIN = 190;
/** Characters of a name. Chosen: several times the longest in use. */
const MAX_NAME = 100;

const days = (defaultDays: number) => z.int().min(1).max(MAX_DAYS).default(defaultDays);

const signup = z.strictObject({
  mode: z
    .enum(['open', 'disabled'])
    .default('open')
    .describe('Whether new users may create accounts (open) or secret keys only (disabled). Default: open.'),
  autoSignIn: z
    .boolean()
    .default(false)
    .describe(
      'Whether a sign-up starts a session at once. It then shows whether an address has an account. Default: false.',
    ),
  requireVerifiedEmail: z
    .boolean()
    .default(true)
    .describe('Whether users must verify their email address before they sign in with a password. Default: true.'),
  unverifiedDays: days(30).describe(
    'Days after which an account that was never verified or used is erased. 1 to 365. Default: 30.',
  ),
});

const password = z.strictObject({
  minLength: z.int().min(8).max(64).default(8).describe('Shortest new password, in characters. 8 to 64. Default: 8.'),
});

const token = z.strictObject({
  accessTtlSeconds: z
    .int()
    .min(300)
    .max(MAX_ACCESS_TTL_SECONDS)
    .default(900)
    .describe('Life of an access token, in seconds. 300 to 3,600. Default: 900.'),
  alg: z
    .enum(SIGNING_ALGS)
    .default('ES256')
    .describe('Signature algorithm of access tokens. A change begins a rotation of the signing key. Default: ES256.'),
});

const session = z
  .strictObject({
    idleDays: days(30).describe('Days without a refresh after which a session ends. 1 to 365. Default: 30.'),
    absoluteDays: days(90).describe('Days after which a session ends in any case. 1 to 365. Default: 90.'),
    maxPerUser: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe('Sessions per user. A further sign-in ends the oldest session. 1 to 1,000. Default: 100.'),
  })
  .refine(({ idleDays, absoluteDays }) => idleDays <= absoluteDays, {
    path: ['idleDays'],
    error: 'must not be more than absoluteDays',
  });

const isUnique = (list: readonly string[]): boolean => new Set(list).size === list.length;

const redirectUri = z
  .string()
  .max(MAX_REDIRECT_CHARACTERS)
  .refine(
    (text) => redirectUriOf(text) !== null,
    'must be an https URL, an http URL of this machine or a URL of an app, without a fragment',
  )
  .overwrite((text) => redirectUriOf(text) ?? '');

// Without a default: inside an optional member it would replace the stored list wherever a change leaves it out.
const redirectUris = z.array(redirectUri).max(MAX_REDIRECT_URIS).refine(isUnique, 'must name each URL once');

const anonymous = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether guests may sign in without credentials. Default: false.'),
  keepDays: days(90).describe('Days after which an idle guest is erased. 1 to 365. Default: 90.'),
});

const mfa = z.strictObject({
  mode: z
    .enum(['off', 'optional', 'required'])
    .default('optional')
    .describe(
      'Whether second factors are not used (off), used by users who enroll one (optional), or required of all users. Default: optional.',
    ),
});

const linking = z.strictObject({
  autoLinkProviders: z
    .array(z.enum(SOCIAL_PROVIDERS))
    .max(SOCIAL_PROVIDERS.length)
    .refine(isUnique, 'must name each provider once')
    .default([])
    .describe(
      'Social providers whose verified email address links a sign-in to the account with the same verified address. Default: none.',
    ),
});

const domain = z
  .string()
  .max(MAX_DOMAIN)
  .refine((name) => mailAddress(`b@${name}`) !== null, 'must be a domain such as example.com')
  .overwrite((name) => domainOf(mailAddress(`b@${name}`) ?? ''));

/** Origin of an Android app: the hash of its signing certificate. Source: Android, Credential Manager. */
const ANDROID_ORIGIN = /^android:apk-key-hash:[\w-]{43}$/;

const originOf = (text: string): string | null => {
  if (ANDROID_ORIGIN.test(text)) return text;
  const href = redirectUriOf(text);
  const url = href === null ? null : new URL(href);
  // The origin of an app's scheme is the text "null".
  return url && url.origin !== 'null' && url.href === `${url.origin}/` ? url.origin : null;
};

const passkey = z.strictObject({
  rpId: domain
    .nullable()
    .default(null)
    .describe(
      'Domain that passkeys belong to. A change makes existing passkeys useless. Default: the host of publicUrl.',
    ),
  rpName: z
    .string()
    .min(1)
    .max(MAX_NAME)
    .nullable()
    .default(null)
    .describe("Name that the browser shows for your service. Default: the project's name."),
  origins: z
    .array(
      z
        .string()
        .max(MAX_REDIRECT_CHARACTERS)
        .refine((text) => originOf(text) !== null, 'must be an origin such as https://example.com')
        .overwrite((text) => originOf(text) ?? ''),
    )
    .max(5)
    .refine(isUnique, 'must name each origin once')
    .default([])
    .describe(
      'Origins of pages and Android apps that use passkeys. At most 5. Origins outside of rpId need a file /.well-known/webauthn there. Default: the origin of publicUrl.',
    ),
  allowCrossOrigin: z
    .boolean()
    .default(false)
    .describe('Whether passkeys work in a frame of another origin. Default: false.'),
});

const templateId = z.string().refine(isRowId, 'must be the id of an email template');

const mail = z.strictObject({
  templates: z
    .partialRecord(z.enum(MAIL_KINDS), templateId)
    .default({})
    .describe('Ids of email templates that replace the built-in ones, by kind of email. Default: none.'),
  notices: z
    .array(z.enum(NOTICE_KINDS))
    .max(NOTICE_KINDS.length)
    .refine(isUnique, 'must name each notice once')
    .default([...NOTICE_KINDS])
    .describe('Security notices that users receive. Default: all.'),
  perHour: z
    .int()
    .min(1)
    .max(100_000)
    .default(3_000)
    .describe('Sign-in emails of the project per hour. 1 to 100,000. Default: 3,000.'),
});

const captchaFields = {
  type: z
    .enum(CAPTCHA_TYPES)
    .default('none')
    .describe('Service that verifies captchaToken on requests that sign up, sign in or send email. Default: none.'),
  siteKey: z
    .string()
    .min(1)
    .max(MAX_NAME)
    .nullable()
    .default(null)
    .describe('Public key of the widget on your page. Required with a service. Default: none.'),
};
const hasSiteKey = ({ type, siteKey }: { readonly type: string; readonly siteKey: string | null }): boolean =>
  type === 'none' || siteKey !== null;
const SITE_KEY_MISSING = { path: ['siteKey'], error: 'is required with a captcha service' };
const captcha = z.strictObject(captchaFields).refine(hasSiteKey, SITE_KEY_MISSING);

/** The captcha as it is changed: with its secret, which is stored sealed and never returned. */
export const captchaChange = z
  .strictObject({
    ...captchaFields,
    secret: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .describe('Secret key of the service. Write-only. Omit it to keep the stored one of the same service.'),
  })
  .refine(hasSiteKey, SITE_KEY_MISSING)
  .describe('Captcha of sign-in.');

const profileTraits = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(MAX_NAME)
    .nullable()
    .default(null)
    .describe("Trait of the profile that follows the account's name. Default: none."),
});

/** Groups that are stored as they are sent, by name. */
export const groups = {
  signup: signup.describe('Who may sign up, and how.'),
  password: password.describe('Rules of new passwords.'),
  token: token.describe('Access tokens.'),
  session: session.describe('Life and number of sessions.'),
  redirectUris: redirectUris.describe(
    'URLs that sign-in may redirect to, compared exactly. At most 50. Default: none.',
  ),
  anonymous: anonymous.describe('Guests.'),
  mfa: mfa.describe('Second factors.'),
  linking: linking.describe('Links between social sign-ins and existing accounts.'),
  passkey: passkey.describe('Passkeys. Sign-in does not use them yet; authenticator apps show rpName.'),
  mail: mail.describe('Emails of sign-in.'),
  captcha: captcha.describe('Captcha of sign-in. Its secret is never returned.'),
  profileTraits: profileTraits.describe('Traits that follow the account.'),
} as const satisfies Readonly<Record<string, z.ZodType>>;
