// Turns flags and files into provider settings. Core validates the values; this file rejects only what cannot be
// stored. Secrets come from files and stdin, and no message repeats any part of one.

import type { Context } from '../command-line.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { readSecret, readSecretBytes } from '../input.ts';
import { jsonOf } from '../json-text.ts';

type Reader = Pick<Context, 'io' | 'services'>;

export type ApnsFlags = {
  readonly keyFile: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly topic: string;
  readonly apnsEnvironment: 'production' | 'sandbox';
};
type Sender = { readonly from: string; readonly fromName?: string };
export type SesFlags = Sender & {
  readonly accessKeyId: string;
  readonly secretFile: string;
  readonly region: string;
  readonly configurationSet?: string;
};
export type SendGridFlags = Sender & { readonly keyFile: string; readonly region: 'global' | 'eu' };
export type PostmarkFlags = Sender & { readonly tokenFile: string; readonly stream?: string };
export type MailgunFlags = Sender & {
  readonly keyFile: string;
  readonly domain: string;
  readonly region: 'us' | 'eu';
};
export type ResendFlags = Sender & { readonly keyFile: string };
export type FcmFlags = { readonly serviceAccount: string; readonly criticalChannel?: string };
export type SmtpFlags = Sender & { readonly urlFile: string; readonly tls?: 'required' | 'none' };
export type TwilioFlags = {
  readonly accountSid: string;
  readonly apiKeySid?: string;
  readonly secretFile?: string;
  readonly authTokenFile?: string;
  readonly from?: string;
  readonly messagingService?: string;
};

export type TelnyxFlags = {
  readonly apiKeyFile: string;
  readonly publicKey?: string;
  readonly from?: string;
  readonly messagingProfile?: string;
};

/** Input of `settings.update`. */
export type Settings = Readonly<Record<string, unknown>>;

const senderOf = ({ from, fromName }: Sender): Settings => ({
  from,
  ...(fromName === undefined ? {} : { name: fromName }),
});

/** `key` is the content of the .p8 file. Throws CliError as `readSecret`. */
export const apnsSettings = async ({ io }: Reader, flags: ApnsFlags): Promise<Settings> => ({
  keyId: flags.keyId,
  teamId: flags.teamId,
  key: await readSecret(io, flags.keyFile),
  topic: flags.topic,
  environment: flags.apnsEnvironment,
});

/** Throws CliError as `readSecretBytes`, and invalid for a file that is not JSON. */
export const fcmSettings = async ({ io, services }: Reader, flags: FcmFlags): Promise<Settings> => ({
  serviceAccount: await jsonOf({ services }, flags.serviceAccount, await readSecretBytes(io, flags.serviceAccount)),
  ...(flags.criticalChannel === undefined ? {} : { criticalChannelId: flags.criticalChannel }),
});

/** Default submission ports. Source: RFC 6409 and RFC 8314. */
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

const notUrl = (why: string): CliError =>
  new CliError(EXIT.invalid, `Invalid URL in the file of --url-file: ${why}`, {
    hint: 'Write one line: smtps://USER:PASSWORD@HOST:PORT or smtp://USER:PASSWORD@HOST:PORT. Percent-encode user and password.',
  });

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notUrl('user or password contains a percent sign that is not written as %25.');
  }
};

/**
 * Settings of an SMTP server from its URL: `smtps:` is TLS from the first byte, `smtp:` is STARTTLS.
 *
 * @throws CliError invalid; its message contains no part of the URL
 */
export const mailServerOf = (text: string): Settings => {
  const url = URL.parse(text);
  const scheme = url?.protocol;
  if (!url || (scheme !== 'smtp:' && scheme !== 'smtps:')) throw notUrl('it does not begin with smtp:// or smtps://.');
  if (url.hostname === '') throw notUrl('it names no host.');
  // A password with an unescaped slash, question mark or number sign fails here.
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '')
    throw notUrl('it has text after host and port.');
  return {
    host: url.hostname.replace(/^\[(.+)\]$/, '$1'),
    port: url.port === '' ? PORTS[scheme] : Number(url.port),
    secure: scheme === 'smtps:',
    ...(url.username === '' ? {} : { user: decoded(url.username) }),
    ...(url.password === '' ? {} : { password: decoded(url.password) }),
  };
};

/** Throws CliError as `readSecret` and `mailServerOf`. */
export const smtpSettings = async ({ io }: Reader, flags: SmtpFlags): Promise<Settings> => ({
  ...mailServerOf(await readSecret(io, flags.urlFile)),
  ...(flags.tls === undefined ? {} : { tls: flags.tls }),
  ...senderOf(flags),
});

/** Throws CliError as `readSecret`; the next four do as well. */
export const sesSettings = async ({ io }: Reader, flags: SesFlags): Promise<Settings> => ({
  accessKeyId: flags.accessKeyId,
  secretAccessKey: await readSecret(io, flags.secretFile),
  region: flags.region,
  ...(flags.configurationSet === undefined ? {} : { configurationSet: flags.configurationSet }),
  ...senderOf(flags),
});

export const sendGridSettings = async ({ io }: Reader, flags: SendGridFlags): Promise<Settings> => ({
  apiKey: await readSecret(io, flags.keyFile),
  region: flags.region,
  ...senderOf(flags),
});

export const postmarkSettings = async ({ io }: Reader, flags: PostmarkFlags): Promise<Settings> => ({
  serverToken: await readSecret(io, flags.tokenFile),
  ...(flags.stream === undefined ? {} : { messageStream: flags.stream }),
  ...senderOf(flags),
});

export const mailgunSettings = async ({ io }: Reader, flags: MailgunFlags): Promise<Settings> => ({
  apiKey: await readSecret(io, flags.keyFile),
  domain: flags.domain,
  region: flags.region,
  ...senderOf(flags),
});

export const resendSettings = async ({ io }: Reader, flags: ResendFlags): Promise<Settings> => ({
  apiKey: await readSecret(io, flags.keyFile),
  ...senderOf(flags),
});

/** Throws CliError as `readSecret`, and usage for flags that exclude or need each other. */
export const twilioSettings = async ({ io }: Reader, flags: TwilioFlags): Promise<Settings> => {
  const { accountSid, apiKeySid, secretFile, authTokenFile, from, messagingService } = flags;
  if ((apiKeySid === undefined) !== (secretFile === undefined))
    throw usageError('Pass --api-key-sid and --secret-file together.');
  if (secretFile === undefined && authTokenFile === undefined)
    throw usageError('Missing credentials: pass --api-key-sid with --secret-file, or --auth-token-file.');
  if (secretFile === '-' && authTokenFile === '-')
    throw usageError('Only one of --secret-file and --auth-token-file can read stdin.');
  return {
    accountSid,
    ...(secretFile === undefined ? {} : { apiKeySid, apiKeySecret: await readSecret(io, secretFile) }),
    ...(authTokenFile === undefined ? {} : { authToken: await readSecret(io, authTokenFile) }),
    ...(from === undefined ? {} : { from }),
    ...(messagingService === undefined ? {} : { messagingServiceId: messagingService }),
  };
};

/** Throws CliError as `readSecret`. */
export const telnyxSettings = async ({ io }: Reader, flags: TelnyxFlags): Promise<Settings> => ({
  apiKey: await readSecret(io, flags.apiKeyFile),
  ...(flags.publicKey === undefined ? {} : { publicKey: flags.publicKey }),
  ...(flags.from === undefined ? {} : { from: flags.from }),
  ...(flags.messagingProfile === undefined ? {} : { messagingProfileId: flags.messagingProfile }),
});

const isPublicHttps = (text: string | undefined): boolean => {
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === 'https:' && url.hostname !== 'localhost';
};

/**
 * The VAPID subject, which is the contact for push services: the flag, else the public URL.
 *
 * @throws CliError usage if neither is usable
 */
export const webPushSubject = (subject: string | undefined, publicUrl: string | undefined): string => {
  if (subject !== undefined) return subject;
  if (publicUrl !== undefined && isPublicHttps(publicUrl)) return publicUrl;
  throw usageError('Missing contact for push services: pass --subject mailto:you@example.com, or an https URL.');
};
