import { z } from 'zod';
import { addressText } from '../../foundation/address-text.ts';
import type { Channel } from '../../foundation/channel.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { PROVIDERS, type ProviderName } from './names.ts';

/** Maximum characters of one setting. Chosen: a PEM key of 4,096 bits has 3,300. */
const MAX_TEXT = 8_192;

const text = z.string().min(1).max(MAX_TEXT);
/** The default sender: an address, a number, or the name of an SMS sender. */
const from = text.overwrite(addressText);
/** The default sender of mail, and its display name. */
const sender = { from, name: text.optional() };

/**
 * The settings of each provider as they are written. Shapes only: the transports check the values. Unknown keys are
 * refused. Source: contract, Conventions (settings).
 */
export const providerSettings = {
  apns: z.strictObject({
    keyId: text,
    teamId: text,
    key: text,
    topic: text,
    environment: z.enum(['production', 'sandbox']).default('production'),
  }),
  fcm: z.strictObject({
    /** Accepts the file as Google issues it; unused fields are dropped. */
    serviceAccount: z.object({ project_id: text, client_email: text, private_key: text, token_uri: text }),
    criticalChannelId: text.optional(),
  }),
  webpush: z.strictObject({ publicKey: text, privateKey: text, subject: text }),
  smtp: z.strictObject({
    host: text,
    port: z.int().min(1).max(65_535),
    secure: z.boolean().default(false),
    tls: z.enum(['required', 'none']).default('required'),
    user: text.optional(),
    password: text.optional(),
    ...sender,
  }),
  ses: z.strictObject({
    accessKeyId: text,
    secretAccessKey: text,
    sessionToken: text.optional(),
    region: text,
    configurationSet: text.optional(),
    ...sender,
  }),
  sendgrid: z.strictObject({ apiKey: text, region: z.enum(['global', 'eu']).default('global'), ...sender }),
  postmark: z.strictObject({ serverToken: text, messageStream: text.optional(), ...sender }),
  mailgun: z.strictObject({ apiKey: text, domain: text, region: z.enum(['us', 'eu']).default('us'), ...sender }),
  resend: z.strictObject({ apiKey: text, ...sender }),
  twilio: z.strictObject({
    accountSid: text,
    apiKeySid: text.optional(),
    apiKeySecret: text.optional(),
    authToken: text.optional(),
    from: from.optional(),
    messagingServiceId: text.optional(),
  }),
  telnyx: z.strictObject({
    apiKey: text,
    /** Verifies callbacks; without it every callback is rejected. */
    publicKey: text.optional(),
    from: from.optional(),
    messagingProfileId: text.optional(),
  }),
} as const satisfies Record<ProviderName, z.ZodType>;

/** Names of a provider's required settings. Throws nothing. */
export const requiredSettings = (provider: ProviderName): readonly string[] => {
  const { shape } = providerSettings[provider];
  return Object.entries(shape).flatMap(([name, schema]) => (schema.safeParse(undefined).success ? [] : [name]));
};

/** Changes of one channel's providers by name, each parsed by its own schema; null removes one. */
export type SettingsChange = Readonly<Record<string, unknown>>;

const bodyOf = (providers: readonly ProviderName[]) =>
  z.strictObject(Object.fromEntries(providers.map((name) => [name, providerSettings[name].nullable().optional()])));

/** Bodies of a change of credentials by channel: settings by provider, null removes one. */
export const providerBodies = {
  push: bodyOf(PROVIDERS.push),
  email: bodyOf(PROVIDERS.email),
  sms: bodyOf(PROVIDERS.sms),
} as const satisfies Record<Channel, z.ZodType<SettingsChange>>;

/**
 * Parses the body of a change of settings.
 *
 * @throws VALIDATION_ERROR; unknown keys are refused at every level, and no message repeats a value
 */
export const parseSettings = (channel: Channel, body: unknown): SettingsChange => {
  if (!Object.hasOwn(providerBodies, channel)) throw new TypeError(`channel ${channel} has no settings`);
  const parsed = providerBodies[channel].safeParse(body);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  return parsed.data;
};
