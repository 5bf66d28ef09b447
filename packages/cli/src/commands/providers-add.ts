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

/** Adds a command to a group, with the options that select organization, project and environment. */
export type Leaf = (to: Command, name: string, about: string, ...examples: string[]) => Command;

const store = async ({ settings, scope }: OfProviders, provider: Provider, input: Settings) => {
  const states: Partial<Record<Provider, ProviderState>> = await settings.update(scope, CHANNEL_OF[provider], {
    [provider]: input,
  });
  const state = states[provider];
  if (!state) throw new TypeError(`channel ${CHANNEL_OF[provider]} has no provider ${provider}`);
  return state;
};

const add = async (
  context: Context,
  flags: CommonFlags,
  provider: Provider,
  read: () => Promise<Settings>,
): Promise<undefined> => {
  // Checked before the secret is read from stdin.
  requireProd(flags);
  const input = await read();
  const state = await withProviders(context, flags, (of) => store(of, provider, input));
  const output = createOutput(context.io, flags);
  output.answer(state, [`${provider} is configured (...${state.lastFour ?? ''}).`]);
  output.note(`Test the credentials: beckon providers test ${provider}`);
  return undefined;
};

/** A new key pair invalidates the subscriptions of all browsers. */
const confirmReplacement = async ({ io }: Context, flags: CommonFlags & GenerateFlags): Promise<void> => {
  if (flags.yes === true) return;
  if (!io.stdin.isTTY || !io.stderr.isTTY || formOf(flags) !== 'table') {
    throw new CliError(EXIT.unconfirmed, 'Replacing the key pair needs confirmation: existing subscriptions end.', {
      hint: 'Pass --yes.',
    });
  }
  const answer = await io.stdin.prompt('Replace the key pair? Subscriptions with the current one end. [y/N] ');
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError(EXIT.negative, 'Nothing was changed.');
};

const generate = async (context: Context, flags: CommonFlags & GenerateFlags): Promise<undefined> => {
  const { state, publicKey } = await withProviders(context, flags, async (of) => {
    const subject = webPushSubject(flags.subject, of.config.publicUrl);
    const present = await of.settings.get(of.scope, 'push');
    if (present['webpush']?.configured === true) await confirmReplacement(context, flags);
    const keys = await context.services.newVapidKeys();
    return { state: await store(of, 'webpush', { ...keys, subject }), publicKey: keys.publicKey };
  });
  const output = createOutput(context.io, flags);
  output.answer({ ...state, publicKey }, [publicKey]);
  output.note('Browsers subscribe with this public key. The private key is stored and never shown.');
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
    .requiredOption('--key-file <file>', 'The .p8 file from Apple, - for stdin')
    .requiredOption('--key-id <id>', 'Key id, 10 characters')
    .requiredOption('--team-id <id>', 'Team id, 10 characters')
    .requiredOption('--topic <bundle>', 'Bundle id of the app')
    .addOption(
      new Option('--apns-environment <name>', 'Default environment of tokens')
        .choices(['production', 'sandbox'])
        .default('production'),
    )
    .action(act<ApnsFlags>(context, (flags) => add(context, flags, 'apns', () => apnsSettings(context, flags))));

  outputOptions(leaf(to, 'fcm', 'Add Firebase Cloud Messaging (Android)', '--service-account account.json'))
    .requiredOption('--service-account <file>', 'Service account JSON from Google, - for stdin')
    .option('--critical-channel <id>', 'Android notification channel of critical alerts')
    .action(act<FcmFlags>(context, (flags) => add(context, flags, 'fcm', () => fcmSettings(context, flags))));

  const webpush = to.command('webpush').description('Add Web Push keys (VAPID)');
  outputOptions(leaf(webpush, 'generate', 'Generate a VAPID key pair', '--subject mailto:ops@example.com'))
    .option('--subject <url>', 'Contact, mailto: or https: (default: the public URL)')
    .option('-y, --yes', 'Replace an existing key pair without asking')
    .action(act<GenerateFlags>(context, (flags) => generate(context, flags)));

  const mail = (name: string, about: string, example: string): Command =>
    outputOptions(leaf(to, name, about, `${example} --from news@example.com`))
      .requiredOption('--from <address>', 'Default From address')
      .option('--from-name <name>', 'Default From name');

  mail('smtp', 'Add an SMTP server', '--url-file url.txt')
    .requiredOption('--url-file <file>', 'File with smtps://USER:PASSWORD@HOST:PORT, - for stdin')
    .addOption(
      new Option('--tls <mode>', 'TLS; none needs net.allowCidrs (default: required)').choices(['required', 'none']),
    )
    .action(act<SmtpFlags>(context, (flags) => add(context, flags, 'smtp', () => smtpSettings(context, flags))));

  mail('ses', 'Add Amazon SES', '--region eu-central-1 --access-key-id ID --secret-file -')
    .requiredOption('--access-key-id <id>', 'Access key id; it may call ses:SendRawEmail')
    .requiredOption('--secret-file <file>', 'Secret access key, - for stdin')
    .requiredOption('--region <name>', 'AWS region, such as eu-central-1')
    .option('--configuration-set <name>', 'Configuration set with event destinations')
    .action(act<SesFlags>(context, (flags) => add(context, flags, 'ses', () => sesSettings(context, flags))));

  mail('sendgrid', 'Add SendGrid', '--key-file key.txt')
    .requiredOption('--key-file <file>', 'API key with permission to send, - for stdin')
    .addOption(new Option('--region <name>', 'Region of the account').choices(['global', 'eu']).default('global'))
    .action(
      act<SendGridFlags>(context, (flags) => add(context, flags, 'sendgrid', () => sendGridSettings(context, flags))),
    );

  mail('postmark', 'Add Postmark', '--token-file token.txt')
    .requiredOption('--token-file <file>', 'Server token, - for stdin')
    .option('--stream <id>', 'Message stream (default: outbound)')
    .action(
      act<PostmarkFlags>(context, (flags) => add(context, flags, 'postmark', () => postmarkSettings(context, flags))),
    );

  mail('mailgun', 'Add Mailgun', '--key-file key.txt --domain mg.example.com')
    .requiredOption('--key-file <file>', 'API key, - for stdin')
    .requiredOption('--domain <name>', 'Sending domain at Mailgun')
    .addOption(new Option('--region <name>', 'Region of the domain').choices(['us', 'eu']).default('us'))
    .action(
      act<MailgunFlags>(context, (flags) => add(context, flags, 'mailgun', () => mailgunSettings(context, flags))),
    );

  mail('resend', 'Add Resend', '--key-file key.txt')
    .requiredOption('--key-file <file>', 'API key with permission to send, - for stdin')
    .action(act<ResendFlags>(context, (flags) => add(context, flags, 'resend', () => resendSettings(context, flags))));

  outputOptions(leaf(to, 'twilio', 'Add Twilio', '--account-sid AC1 --auth-token-file token.txt --from +14155550123'))
    .requiredOption('--account-sid <sid>', 'Account SID, AC...')
    .option('--api-key-sid <sid>', 'API key SID, SK...; needs --secret-file')
    .option('--secret-file <file>', 'API key secret, - for stdin')
    .option('--auth-token-file <file>', 'Auth token, - for stdin')
    .addOption(new Option('--from <sender>', 'Number, short code or sender name').conflicts('messagingService'))
    .option('--messaging-service <sid>', 'Messaging service SID, MG...; it chooses the sender')
    .action(act<TwilioFlags>(context, (flags) => add(context, flags, 'twilio', () => twilioSettings(context, flags))));

  outputOptions(leaf(to, 'telnyx', 'Add Telnyx', '--api-key-file key.txt --from +14155550123'))
    .requiredOption('--api-key-file <file>', 'API v2 key, - for stdin')
    .option('--public-key <key>', 'Public key, required for delivery webhooks')
    .option('--from <sender>', 'Number, short code or sender name')
    .option('--messaging-profile <id>', 'Messaging profile id; required for a sender name')
    .action(act<TelnyxFlags>(context, (flags) => add(context, flags, 'telnyx', () => telnyxSettings(context, flags))));
  return to;
};
