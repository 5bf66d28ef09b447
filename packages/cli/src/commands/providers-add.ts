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
export type Leaf = (to: Command, name: string, description: string) => Command;

const store = async ({ settings, scope }: OfProviders, provider: Provider, given: Settings) => {
  const states = await settings.put(scope, CHANNEL_OF[provider], { [provider]: given });
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
  const to = group.command('add').description('give a provider its credentials, from files or stdin (-)');

  outputOptions(leaf(to, 'apns', 'iOS: a key of an Apple developer account'))
    .requiredOption('--key-file <file>', 'the .p8 file that Apple gave out; - is stdin')
    .requiredOption('--key-id <id>', 'id of that key, 10 characters')
    .requiredOption('--team-id <id>', 'id of the account, 10 characters')
    .requiredOption('--topic <bundle>', "the app's bundle id")
    .addOption(
      new Option('--apns-environment <name>', 'where tokens belong that do not say it themselves')
        .choices(['production', 'sandbox'])
        .default('production'),
    )
    .action(act<ApnsFlags>(context, (flags) => add(context, flags, 'apns', () => apnsSettings(context, flags))));

  outputOptions(leaf(to, 'fcm', 'Android: a service account of a Firebase project'))
    .requiredOption('--service-account <file>', 'the JSON file that Google gave out; - is stdin')
    .option('--critical-channel <id>', 'the Android channel of critical alerts')
    .action(act<FcmFlags>(context, (flags) => add(context, flags, 'fcm', () => fcmSettings(context, flags))));

  const webpush = to.command('webpush').description('browsers: a VAPID key pair');
  outputOptions(leaf(webpush, 'generate', 'make a key pair, keep it, and print its public half'))
    .option('--subject <url>', 'whom push services turn to: mailto: or https: (default: the public URL)')
    .option('-y, --yes', 'do not ask before a key pair is replaced')
    .action(act<GenerateFlags>(context, (flags) => generate(context, flags)));

  const mail = (name: string, description: string): Command =>
    outputOptions(leaf(to, name, description))
      .requiredOption('--from <address>', 'whom mail is from that names no sender')
      .option('--from-name <name>', 'the name shown with it');

  mail('smtp', 'email: a mail server that takes mail for others')
    .requiredOption('--url-file <file>', 'holds smtps://USER:PASSWORD@HOST:PORT or smtp://... (STARTTLS); - is stdin')
    .addOption(
      new Option(
        '--tls <mode>',
        'none: clear text, only to hosts within net.allowCidrs, as Mailpit; default required',
      ).choices(['required', 'none']),
    )
    .action(act<SmtpFlags>(context, (flags) => add(context, flags, 'smtp', () => smtpSettings(context, flags))));

  mail('ses', 'email: Amazon SES')
    .requiredOption('--access-key-id <id>', 'id of an access key that may call ses:SendRawEmail')
    .requiredOption('--secret-file <file>', 'the secret of that key; - is stdin')
    .requiredOption('--region <name>', 'where the sending identity was verified, such as eu-central-1')
    .option('--configuration-set <name>', 'whose event destinations tell of bounces and complaints')
    .action(act<SesFlags>(context, (flags) => add(context, flags, 'ses', () => sesSettings(context, flags))));

  mail('sendgrid', 'email: SendGrid')
    .requiredOption('--key-file <file>', 'an API key that may send; - is stdin')
    .addOption(
      new Option('--region <name>', "where the account's data is kept").choices(['global', 'eu']).default('global'),
    )
    .action(
      act<SendGridFlags>(context, (flags) => add(context, flags, 'sendgrid', () => sendGridSettings(context, flags))),
    );

  mail('postmark', 'email: a server of Postmark')
    .requiredOption('--token-file <file>', 'the server token; - is stdin')
    .option('--stream <id>', "a message stream (default: the server's outbound)")
    .action(
      act<PostmarkFlags>(context, (flags) => add(context, flags, 'postmark', () => postmarkSettings(context, flags))),
    );

  mail('mailgun', 'email: a domain of Mailgun')
    .requiredOption('--key-file <file>', 'an API key; - is stdin')
    .requiredOption('--domain <name>', 'the domain as Mailgun knows it')
    .addOption(new Option('--region <name>', "where the domain's data is kept").choices(['us', 'eu']).default('us'))
    .action(
      act<MailgunFlags>(context, (flags) => add(context, flags, 'mailgun', () => mailgunSettings(context, flags))),
    );

  mail('resend', 'email: Resend')
    .requiredOption('--key-file <file>', 'an API key that may send; - is stdin')
    .action(act<ResendFlags>(context, (flags) => add(context, flags, 'resend', () => resendSettings(context, flags))));

  outputOptions(leaf(to, 'twilio', 'text messages: an account of Twilio'))
    .requiredOption('--account-sid <sid>', 'id of the account, AC...')
    .option('--api-key-sid <sid>', 'id of an API key, SK...; with --secret-file')
    .option('--secret-file <file>', 'the secret of that key; - is stdin')
    .option('--auth-token-file <file>', "the account's auth token, instead of an API key or beside it; - is stdin")
    .addOption(
      new Option('--from <sender>', 'number, short code or name that messages come from').conflicts('messagingService'),
    )
    .option('--messaging-service <sid>', 'chooses the sender, MG...')
    .action(act<TwilioFlags>(context, (flags) => add(context, flags, 'twilio', () => twilioSettings(context, flags))));

  outputOptions(leaf(to, 'telnyx', 'text messages: an account of Telnyx'))
    .requiredOption('--api-key-file <file>', 'an API key of API v2; - is stdin')
    .option('--public-key <key>', 'what webhooks are signed for, as the portal shows it; without it none is believed')
    .option('--from <sender>', 'number, short code or name that messages come from')
    .option('--messaging-profile <id>', 'chooses the sender, and goes with a name as the sender')
    .action(act<TelnyxFlags>(context, (flags) => add(context, flags, 'telnyx', () => telnyxSettings(context, flags))));
  return to;
};
