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
const sender = {
  from: from.describe('From address of messages that name none.'),
  name: text.optional().describe('Display name beside the From address. Default: none.'),
};

/**
 * The settings of each provider as they are written. Shapes only: the transports check the values. Unknown keys are
 * refused. Source: contract, Conventions (settings).
 */
export const providerSettings = {
  apns: z.strictObject({
    keyId: text.describe('Key id of the APNs authentication key.'),
    teamId: text.describe('Apple developer team id.'),
    key: text.describe('Private key (.p8), in PEM.'),
    topic: text.describe('Bundle id of the app.'),
    environment: z.enum(['production', 'sandbox']).default('production').describe('APNs host. Default: production.'),
  }),
  fcm: z.strictObject({
    /** Accepts the file as Google issues it; unused fields are dropped. */
    serviceAccount: z
      .object({
        project_id: text.describe('Id of the Firebase project.'),
        client_email: text.describe('Email address of the service account.'),
        private_key: text.describe('Private key of the service account, in PEM.'),
        token_uri: text.describe('URL that issues access tokens.'),
      })
      .describe('Service account key of Firebase, as the JSON file that Google issues.'),
    criticalChannelId: text.optional().describe('Android notification channel of critical alerts. Default: none.'),
  }),
  webpush: z.strictObject({
    publicKey: text.describe('VAPID public key, in base64url.'),
    privateKey: text.describe('VAPID private key, in base64url.'),
    subject: text.describe('Contact of the sender: a mailto or https URL.'),
  }),
  smtp: z.strictObject({
    host: text.describe('Host name of the SMTP server.'),
    port: z.int().min(1).max(65_535).describe('Port. 1 to 65,535.'),
    secure: z.boolean().default(false).describe('Whether the connection starts with TLS. Default: false, STARTTLS.'),
    tls: z
      .enum(['required', 'none'])
      .default('required')
      .describe('Whether TLS is required. none sends in clear text. Default: required.'),
    user: text.optional().describe('User name. Default: no login.'),
    password: text.optional().describe('Password. Default: no login.'),
    ...sender,
  }),
  ses: z.strictObject({
    accessKeyId: text.describe('AWS access key id.'),
    secretAccessKey: text.describe('AWS secret access key.'),
    sessionToken: text.optional().describe('AWS session token. Default: none.'),
    region: text.describe('AWS region, such as eu-west-1.'),
    configurationSet: text.optional().describe('Configuration set of SES. Default: none.'),
    ...sender,
  }),
  sendgrid: z.strictObject({
    apiKey: text.describe('API key.'),
    region: z.enum(['global', 'eu']).default('global').describe('Region of the API. Default: global.'),
    ...sender,
  }),
  postmark: z.strictObject({
    serverToken: text.describe('Server API token.'),
    messageStream: text.optional().describe("Message stream. Default: Postmark's own."),
    ...sender,
  }),
  mailgun: z.strictObject({
    apiKey: text.describe('API key.'),
    domain: text.describe('Sending domain of the Mailgun account.'),
    region: z.enum(['us', 'eu']).default('us').describe('Region of the API. Default: us.'),
    ...sender,
  }),
  resend: z.strictObject({ apiKey: text.describe('API key.'), ...sender }),
  twilio: z.strictObject({
    accountSid: text.describe('Account SID.'),
    apiKeySid: text.optional().describe('API key SID, instead of authToken. Default: none.'),
    apiKeySecret: text.optional().describe('Secret of the API key. Default: none.'),
    authToken: text.optional().describe('Auth token. It also verifies delivery webhooks. Default: none.'),
    from: from.optional().describe('Sender of messages that name none. Default: none.'),
    messagingServiceId: text.optional().describe('Messaging service of messages that name no sender. Default: none.'),
  }),
  telnyx: z.strictObject({
    apiKey: text.describe('API key.'),
    /** What its callbacks are signed for; without it none is believed. */
    publicKey: text.optional().describe('Public key that verifies delivery webhooks. Without it, they are rejected.'),
    from: from.optional().describe('Sender of messages that name none. Default: none.'),
    messagingProfileId: text.optional().describe('Messaging profile of messages that name no sender. Default: none.'),
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
  z.strictObject(
    Object.fromEntries(
      providers.map((name) => [
        name,
        providerSettings[name]
          .nullable()
          .optional()
          .describe(`Credentials of ${name}. They replace the stored ones. Null removes them; omit it to keep them.`),
      ]),
    ),
  );

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
