import { z } from 'zod';
import { base64Bytes, POSTMARK_HEADER, sendgridKey } from './email-keys.ts';

/** Maximum characters of one secret. Chosen: a SendGrid public key has 124. */
const MAX_TEXT = 2_048;
/** Maximum secrets of one provider: the current one and its replacement. */
const MAX_SECRETS = 2;

const text = z.string().min(1).max(MAX_TEXT);
/** One value, or two during a rotation. */
const oneOrTwo = <T extends z.ZodType>(schema: T) => z.union([schema, z.array(schema).min(1).max(MAX_SECRETS)]);
const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

const topicArn = text.regex(/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w.-]+$/, 'must be the ARN of an SNS topic');
const publicKey = text.refine((key) => sendgridKey(key) !== null, 'must be a public key as SendGrid shows it');
const svixSecret = text.refine(
  (secret) => secret.startsWith('whsec_') && base64Bytes(secret.slice('whsec_'.length)) !== null,
  'must be a secret that begins with whsec_',
);

/** Callback settings of each provider. Source: transports, Provider callbacks. */
export const callbackSettings = {
  ses: z.strictObject({ topicArn: oneOrTwo(topicArn).describe('ARN of the SNS topic, or two during a change.') }),
  sendgrid: z.strictObject({
    publicKey: oneOrTwo(publicKey).describe('Verification key of the event webhook, or two during a change.'),
  }),
  /** What Postmark sends with each request, since it does not sign: a password, a header, or both. */
  postmark: z
    .strictObject({
      user: text.optional().describe('User name of basic authentication. Default: none.'),
      password: text.optional().describe('Password of basic authentication. Default: none.'),
      secret: oneOrTwo(text).optional().describe('Value of the secret header, or two during a change. Default: none.'),
    })
    .refine(({ user, password }) => (user === undefined) === (password === undefined), 'needs user and password')
    .refine(({ user, secret }) => user !== undefined || secret !== undefined, 'needs user and password, or a secret'),
  mailgun: z.strictObject({ signingKey: oneOrTwo(text).describe('HTTP webhook signing key, or two during a change.') }),
  resend: z.strictObject({
    secret: oneOrTwo(svixSecret).describe('Signing secret (whsec_...), or two during a change.'),
  }),
} as const;

export type EmailCallbackProvider = keyof typeof callbackSettings;

const changeable = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

/** A change of the settings: null removes those of a provider. */
export const callbackChange = z
  .strictObject({
    ses: changeable(callbackSettings.ses).describe(
      'Verification of delivery webhooks of Amazon SES. Null removes it; omit it to keep it.',
    ),
    sendgrid: changeable(callbackSettings.sendgrid).describe(
      'Verification of delivery webhooks of SendGrid. Null removes it; omit it to keep it.',
    ),
    postmark: changeable(callbackSettings.postmark).describe(
      'Verification of delivery webhooks of Postmark. Null removes it; omit it to keep it.',
    ),
    mailgun: changeable(callbackSettings.mailgun).describe(
      'Verification of delivery webhooks of Mailgun. Null removes it; omit it to keep it.',
    ),
    resend: changeable(callbackSettings.resend).describe(
      'Verification of delivery webhooks of Resend. Null removes it; omit it to keep it.',
    ),
  })
  .nullable()
  .optional();
export type CallbackChange = z.input<typeof callbackChange>;

const basic = (user: string, password: string): string => Buffer.from(`${user}:${password}`).toString('base64');

/** The secrets of each provider, from parsed settings. */
export const callbackSecretsOf: {
  readonly [P in EmailCallbackProvider]: (settings: unknown) => readonly string[];
} = {
  ses: (settings) => listOf(callbackSettings.ses.parse(settings).topicArn),
  sendgrid: (settings) => listOf(callbackSettings.sendgrid.parse(settings).publicKey),
  postmark: (settings) => {
    const { user, password, secret } = callbackSettings.postmark.parse(settings);
    const login = user === undefined || password === undefined ? [] : [`authorization:Basic ${basic(user, password)}`];
    return [...login, ...listOf(secret ?? []).map((one) => `${POSTMARK_HEADER}:${one}`)];
  },
  mailgun: (settings) => listOf(callbackSettings.mailgun.parse(settings).signingKey),
  resend: (settings) => listOf(callbackSettings.resend.parse(settings).secret),
};
