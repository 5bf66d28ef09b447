// How flags and files become the settings of a provider. What the values mean is checked where they are stored; here
// only what nobody could store is refused. Secrets come from files and stdin, and no message repeats any of one.

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

/** Settings as `settings.update` takes them. */
export type Settings = Readonly<Record<string, unknown>>;

const senderOf = ({ from, fromName }: Sender): Settings => ({
  from,
  ...(fromName === undefined ? {} : { name: fromName }),
});

/** `key` is the text of the .p8 file. Throws CliError as `readSecret`. */
export const apnsSettings = async ({ io }: Reader, flags: ApnsFlags): Promise<Settings> => ({
  keyId: flags.keyId,
  teamId: flags.teamId,
  key: await readSecret(io, flags.keyFile),
  topic: flags.topic,
  environment: flags.apnsEnvironment,
});

/** Throws CliError as `readSecretBytes`, and invalid for a file that is no JSON. */
export const fcmSettings = async ({ io, services }: Reader, flags: FcmFlags): Promise<Settings> => ({
  serviceAccount: await jsonOf({ services }, flags.serviceAccount, await readSecretBytes(io, flags.serviceAccount)),
  ...(flags.criticalChannel === undefined ? {} : { criticalChannelId: flags.criticalChannel }),
});

/** Where mail is submitted unless a URL names a port. Source: RFC 6409 and RFC 8314. */
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

const notUrl = (why: string): CliError =>
  new CliError(EXIT.invalid, `The file of --url-file does not hold the URL of a mail server: ${why}`, {
    hint: 'It is one line: smtps://USER:PASSWORD@HOST:PORT or smtp://USER:PASSWORD@HOST:PORT, user and password percent-encoded.',
  });

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notUrl('a percent sign of its user or password is not written as %25.');
  }
};

/**
 * What a URL says of a mail server: `smtps:` is TLS from the first byte, `smtp:` is STARTTLS.
 *
 * @throws CliError invalid, without any of the URL
 */
export const mailServerOf = (text: string): Settings => {
  const url = URL.parse(text);
  const scheme = url?.protocol;
  if (!url || (scheme !== 'smtp:' && scheme !== 'smtps:')) throw notUrl('it does not begin with smtp:// or smtps://.');
  if (url.hostname === '') throw notUrl('it names no host.');
  // A password with an unescaped slash, question mark or number sign ends up here.
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '')
    throw notUrl('something follows the host and the port.');
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

/** Throws CliError as `readSecret`; so do those that follow. */
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

/** Throws CliError as `readSecret`, and usage for flags that cannot stand as they do. */
export const twilioSettings = async ({ io }: Reader, flags: TwilioFlags): Promise<Settings> => {
  const { accountSid, apiKeySid, secretFile, authTokenFile, from, messagingService } = flags;
  if ((apiKeySid === undefined) !== (secretFile === undefined))
    throw usageError('--api-key-sid and --secret-file go together.');
  if (secretFile === undefined && authTokenFile === undefined)
    throw usageError('Say how to sign in: --api-key-sid with --secret-file, or --auth-token-file.');
  if (secretFile === '-' && authTokenFile === '-') throw usageError('Only one of the secrets can come from stdin.');
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
 * Whom push services turn to: what was given, else the public URL of the service.
 *
 * @throws CliError usage where neither can be one
 */
export const webPushSubject = (given: string | undefined, publicUrl: string | undefined): string => {
  if (given !== undefined) return given;
  if (publicUrl !== undefined && isPublicHttps(publicUrl)) return publicUrl;
  throw usageError('Say whom push services may turn to: --subject mailto:you@example.com, or an https URL.');
};
