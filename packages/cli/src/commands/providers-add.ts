import type { ProviderState } from '@beckon/core';
import { type Command, Option } from 'commander';
import { act, type CommonFlags, type Context, outputOptions } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { CHANNEL_OF, type Provider } from '../names.ts';
import { createOutput, formOf } from '../output.ts';
import { type OfProviders, requireProd, withProviders } from '../providers.ts';
import {
  type ApnsFlags,
  apnsSettings,
  type FcmFlags,
  fcmSettings,
  type MailgunFlags,
  mailgunSettings,
  type PostmarkFlags,
  postmarkSettings,
  type ResendFlags,
  resendSettings,
  type SendGridFlags,
  type SesFlags,
  type Settings,
  type SmtpFlags,
  sendGridSettings,
  sesSettings,
  smtpSettings,
  type TelnyxFlags,
  type TwilioFlags,
  telnyxSettings,
  twilioSettings,
  webPushSubject,
} from './provider-settings.ts';

type GenerateFlags = { readonly subject?: string; readonly yes?: boolean };

/** Adds a command to a group, with the options that say whose rows it is about. */
export type Leaf = (to: Command, name: string, about: string, ...examples: string[]) => Command;

const store = async ({ settings, scope }: OfProviders, provider: Provider, given: Settings) => {
  const states: Partial<Record<Provider, ProviderState>> = await settings.put(scope, CHANNEL_OF[provider], { [provider]: given });
  const state = states[provider];
  if (!state) throw new TypeError(`channel ${CHANNEL_OF[provider]} does not know ${provider}`);
  return state;
};

const add = async (
  context: Context,
  flags: CommonFlags,
  provider: Provider,
  read: () => Promise<Settings>,
): Promise<undefined> => {
  // First what needs no secret, so that nobody pipes one in for nothing.
  requireProd(flags);
  const given = await read();
  const state = await withProviders(context, flags, (of) => store(of, provider, given));
  const output = createOutput(context.io, flags);
  output.answer(state, [`${provider} is configured (...${state.lastFour ?? ''}).`]);
  output.note(`Ask it whether it takes the credentials: beckon providers test ${provider}`);
  return undefined;
};

/** Another key pair loses every browser that subscribed with the one before. */
const confirmLoss = async ({ io }: Context, flags: CommonFlags & GenerateFlags): Promise<void> => {
  if (flags.yes === true) return;
  if (!io.stdin.isTTY || !io.stderr.isTTY || formOf(flags) !== 'table') {
    throw new CliError(EXIT.unconfirmed, 'There is a key pair; browsers that subscribed with it are lost to another.', {
      hint: 'Confirm it with --yes.',
    });
  }
  const said = await io.stdin.ask('Browsers that subscribed with the present key pair are lost. Replace it? [y/N] ');
  if (!/^y(es)?$/i.test(said.trim())) throw new CliError(EXIT.negative, 'Nothing was changed.');
};

const generate = async (context: Context, flags: CommonFlags & GenerateFlags): Promise<undefined> => {
  const { state, publicKey } = await withProviders(context, flags, async (of) => {
    const subject = webPushSubject(flags.subject, of.config.publicUrl);
    const present = await of.settings.get(of.scope, 'push');
    if (present['webpush']?.configured === true) await confirmLoss(context, flags);
    const keys = await context.services.newVapidKeys();
    return { state: await store(of, 'webpush', { ...keys, subject }), publicKey: keys.publicKey };
  });
  const output = createOutput(context.io, flags);
  output.answer({ ...state, publicKey }, [publicKey]);
  output.note('This is the public key that browsers subscribe with; the private one is stored and never shown.');
  return undefined;
};

/** `beckon providers add PROVIDER`: credentials from files or stdin, never from flags. */
export const registerAdd = (group: Command, context: Context, leaf: Leaf): Command => {
  const to = group.command('add').description('Add or replace provider credentials');

  outputOptions(
    leaf(
      to,
      'apns',
      'Add Apple Push Notification service (iOS)',
      '--key-file key.p8 --key-id K --team-id T --topic com.example.app',
    ),
  )
    .requiredOption('--key-file <file>', 'The .p8 file from Apple; - is stdin')
    .requiredOption('--key-id <id>', 'Id of that key, 10 characters')
    .requiredOption('--team-id <id>', 'Id of the account, 10 characters')
    .requiredOption('--topic <bundle>', "The app's bundle id")
    .addOption(
      new Option('--apns-environment <name>', 'Environment of tokens that name none')
        .choices(['production', 'sandbox'])
        .default('production'),
    )
    .action(act<ApnsFlags>(context, (flags) => add(context, flags, 'apns', () => apnsSettings(context, flags))));

  outputOptions(leaf(to, 'fcm', 'Add Firebase Cloud Messaging (Android)', '--service-account account.json'))
    .requiredOption('--service-account <file>', 'The JSON file from Google; - is stdin')
    .option('--critical-channel <id>', 'Android channel of critical alerts')
    .action(act<FcmFlags>(context, (flags) => add(context, flags, 'fcm', () => fcmSettings(context, flags))));

  const webpush = to.command('webpush').description('Add Web Push keys (VAPID)');
  outputOptions(leaf(webpush, 'generate', 'Generate a VAPID key pair', '--subject mailto:ops@example.com'))
    .option('--subject <url>', 'Contact for push services: mailto: or https: (default: the public URL)')
    .option('-y, --yes', 'Replace a key pair without asking')
    .action(act<GenerateFlags>(context, (flags) => generate(context, flags)));

  const mail = (name: string, about: string, example: string): Command =>
    outputOptions(leaf(to, name, about, `${example} --from news@example.com`))
      .requiredOption('--from <address>', 'Sender of mail that names none')
      .option('--from-name <name>', 'Name shown with it');

  mail('smtp', 'Add an SMTP server', '--url-file url.txt')
    .requiredOption('--url-file <file>', 'Holds smtps://USER:PASSWORD@HOST:PORT or smtp://... (STARTTLS); - is stdin')
    .addOption(
      new Option('--tls <mode>', 'none: clear text, to hosts within net.allowCidrs only (default: required)').choices([
        'required',
        'none',
      ]),
    )
    .action(act<SmtpFlags>(context, (flags) => add(context, flags, 'smtp', () => smtpSettings(context, flags))));

  mail('ses', 'Add Amazon SES', '--region eu-central-1 --access-key-id ID --secret-file -')
    .requiredOption('--access-key-id <id>', 'Id of an access key that may call ses:SendRawEmail')
    .requiredOption('--secret-file <file>', 'Secret of that key; - is stdin')
    .requiredOption('--region <name>', 'Region of the verified identity, such as eu-central-1')
    .option('--configuration-set <name>', 'Its event destinations report bounces and complaints')
    .action(act<SesFlags>(context, (flags) => add(context, flags, 'ses', () => sesSettings(context, flags))));

  mail('sendgrid', 'Add SendGrid', '--key-file key.txt')
    .requiredOption('--key-file <file>', 'An API key that may send; - is stdin')
    .addOption(
      new Option('--region <name>', "Where the account's data is kept").choices(['global', 'eu']).default('global'),
    )
    .action(
      act<SendGridFlags>(context, (flags) => add(context, flags, 'sendgrid', () => sendGridSettings(context, flags))),
    );

  mail('postmark', 'Add Postmark', '--token-file token.txt')
    .requiredOption('--token-file <file>', 'The server token; - is stdin')
    .option('--stream <id>', "A message stream (default: the server's outbound)")
    .action(
      act<PostmarkFlags>(context, (flags) => add(context, flags, 'postmark', () => postmarkSettings(context, flags))),
    );

  mail('mailgun', 'Add Mailgun', '--key-file key.txt --domain mg.example.com')
    .requiredOption('--key-file <file>', 'An API key; - is stdin')
    .requiredOption('--domain <name>', 'The domain as Mailgun knows it')
    .addOption(new Option('--region <name>', "Where the domain's data is kept").choices(['us', 'eu']).default('us'))
    .action(
      act<MailgunFlags>(context, (flags) => add(context, flags, 'mailgun', () => mailgunSettings(context, flags))),
    );

  mail('resend', 'Add Resend', '--key-file key.txt')
    .requiredOption('--key-file <file>', 'An API key that may send; - is stdin')
    .action(act<ResendFlags>(context, (flags) => add(context, flags, 'resend', () => resendSettings(context, flags))));

  outputOptions(leaf(to, 'twilio', 'Add Twilio', '--account-sid AC1 --auth-token-file token.txt --from +14155550123'))
    .requiredOption('--account-sid <sid>', 'Id of the account, AC...')
    .option('--api-key-sid <sid>', 'Id of an API key, SK...; with --secret-file')
    .option('--secret-file <file>', 'Secret of that key; - is stdin')
    .option('--auth-token-file <file>', "The account's auth token, instead of an API key or beside it; - is stdin")
    .addOption(new Option('--from <sender>', 'Sender: number, short code or name').conflicts('messagingService'))
    .option('--messaging-service <sid>', 'Messaging service that chooses the sender, MG...')
    .action(act<TwilioFlags>(context, (flags) => add(context, flags, 'twilio', () => twilioSettings(context, flags))));

  outputOptions(leaf(to, 'telnyx', 'Add Telnyx', '--api-key-file key.txt --from +14155550123'))
    .requiredOption('--api-key-file <file>', 'An API key of API v2; - is stdin')
    .option('--public-key <key>', 'Public key of webhooks, from the portal; without it none is accepted')
    .option('--from <sender>', 'Sender: number, short code or name')
    .option('--messaging-profile <id>', 'Messaging profile that chooses the sender; needed for a sender name')
    .action(act<TelnyxFlags>(context, (flags) => add(context, flags, 'telnyx', () => telnyxSettings(context, flags))));
  return to;
};
