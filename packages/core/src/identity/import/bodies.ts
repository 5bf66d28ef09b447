// Bodies of an import of users.

import { z } from 'zod';

/** Users of one call. Source: authentication design, Bulk import. */
export const MAX_USERS = 1_000;
/** Entries of a list in one row. Chosen: more than a user has. */
const MAX_LIST = 100;
const MAX_KEY = 1_024;

/** What an import does with a user that exists. */
export const ON_CONFLICT = ['skip', 'update', 'fail'] as const;

const text = (max: number, what: string) => z.string().max(max).nullable().optional().describe(what);

const identity = z.strictObject({
  provider: z.string().min(1).max(64).describe('Provider, such as google or github.'),
  issuer: z.string().max(512).optional().describe('Issuer of the identity. Default: that of the provider.'),
  subject: z.string().min(1).max(512).describe("Provider's id of the user."),
  email: text(MAX_KEY, 'Address of the user at the provider. Default: none.'),
  emailVerified: z.boolean().optional().describe('Whether the provider has verified the address. Default: false.'),
});
const passkey = z.strictObject({
  credentialId: z.string().min(1).max(MAX_KEY).describe('Credential id in base64url.'),
  publicKey: z.string().min(1).max(4_096).describe('Public key (COSE) in base64url.'),
  userHandle: z.string().min(1).max(128).describe('User handle in base64url, as it was registered.'),
  alg: z.int().optional().describe('COSE algorithm. Default: that of the public key.'),
  counter: z.int().min(0).optional().describe('Signature counter. Default: 0.'),
  transports: z
    .array(z.string().max(32))
    .max(16)
    .optional()
    .describe('Transports of the authenticator. Default: none.'),
  deviceType: z.string().max(32).optional().describe('singleDevice or multiDevice. Default: singleDevice.'),
  backedUp: z.boolean().optional().describe('Whether the passkey is backed up. Default: false.'),
  aaguid: text(64, 'Model of the authenticator. Default: none.'),
  name: text(256, 'Name that the user gave it. Default: none.'),
  createdAt: z.iso.datetime({ offset: true }).optional().describe('When it was registered. Default: now.'),
});

/** One user of an import. A field that a row leaves out keeps its value when a user is updated. */
export const importRow = z.strictObject({
  id: z
    .uuidv7()
    .optional()
    .describe(
      'Account id: a UUIDv7 that no other account has. Ids of other systems go to externalId. Default: a new id.',
    ),
  externalId: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Your id of the user, which becomes the userId of the profile. Cannot be changed later. Default: none.'),
  email: text(MAX_KEY, 'Email address. Required without externalId and id. Default: none.'),
  emailVerified: z.boolean().optional().describe('Whether the address is verified. Default: false.'),
  phone: text(32, 'Phone number in E.164 format. Default: none.'),
  name: text(256, 'Display name. Default: none.'),
  locale: text(64, 'Language, such as en or pt-BR. Default: none.'),
  timezone: text(64, 'IANA time zone. Default: none.'),
  createdAt: z.iso.datetime({ offset: true }).optional().describe('When the account was created. Default: now.'),
  passwordHash: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe(
      'Password hash: bcrypt, argon2, scrypt, Firebase scrypt or PBKDF2 in a usual text form. Becomes argon2id at the first sign-in. Default: no password.',
    ),
  identities: z
    .array(identity)
    .max(MAX_LIST)
    .optional()
    .describe('Accounts at social providers with which the user signs in. Default: none.'),
  totpSecret: z
    .string()
    .min(16)
    .max(256)
    .optional()
    .describe('Secret of an authenticator app in base32 (SHA-1, 6 digits, 30 s). Default: none.'),
  passkeys: z
    .array(passkey)
    .max(MAX_LIST)
    .optional()
    .describe('Passkeys of the user. Not supported yet: such a row fails. Default: none.'),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Your own data about the user. At most 16 KB; more is cut. Default: none.'),
  disabled: z.boolean().optional().describe('Whether sign-in is disabled. Default: false.'),
});

const hashConfig = z.strictObject({
  signerKey: z.string().min(1).max(1_024).describe('Signer key in base64.'),
  saltSeparator: z.string().max(256).optional().describe('Salt separator in base64. Default: none.'),
  rounds: z.int().min(1).max(64).optional().describe('Rounds. Required for hashes without their parameters.'),
  memoryCost: z.int().min(1).max(64).optional().describe('Memory cost. Required for hashes without their parameters.'),
});
const options = z.strictObject({
  onConflict: z
    .enum(ON_CONFLICT)
    .default('skip')
    .describe('What happens to a row whose user exists: skip, update or fail. Default: skip.'),
  overwritePassword: z
    .boolean()
    .default(false)
    .describe('Whether an update replaces a password that the user has. Default: false.'),
  emitEvents: z
    .boolean()
    .default(false)
    .describe('Whether new users raise user.signed_up, which starts workflows and webhooks. Default: false.'),
});

const common = {
  hashConfig: hashConfig
    .optional()
    .describe('Hash parameters of a Firebase project, as its console shows them. The signer key is stored encrypted.'),
  options: options.prefault({}).describe('How to import. Default: skip users that exist.'),
};

/** The body as it is documented. */
export const importBody = z.strictObject({
  users: z.array(importRow).min(1).max(MAX_USERS).describe('Users, 1 to 1,000. A row that is not valid fails alone.'),
  ...common,
});
/** The body as it is parsed first: rows are checked one by one. */
export const importEnvelope = z.strictObject({
  users: z.array(z.unknown()).min(1).max(MAX_USERS),
  ...common,
});

export type ImportRow = z.output<typeof importRow>;
export type ImportOptions = z.output<typeof options>;
