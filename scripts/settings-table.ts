// The table of the configuration reference: every key, made of the texts below.
import { KEYS, type Key, variableOf } from '../packages/cli/src/settings.ts';

/** What a key means, and what holds where it is not set; null: nothing does. */
type About = { readonly says: string; readonly default: string | null };

/** Every key, in no order: the table has that of the schema. */
const ABOUT: Readonly<Record<Key, About>> = {
  db: {
    says: 'The database: `sqlite:PATH`, `sqlite::memory:` or `postgres://USER@HOST/DATABASE`.',
    default: '`beckon.db` in `dataDir`',
  },
  dataDir: {
    says: 'Where files of this deployment are.',
    default: '`./data`; `./.beckon` once `npm start` (`serve --dev`) has made it',
  },
  masterKey: {
    says: 'Seals secrets: 32 bytes as hex or base64, and several between commas while one takes the place of another. Not in `beckon.config.json`.',
    default: null,
  },
  publicUrl: {
    says: 'Where people and providers reach this service from outside: links of tracked mails, reports of text messages.',
    default: null,
  },
  host: { says: 'The address that `serve` listens on.', default: '`127.0.0.1`' },
  port: { says: 'The port that `serve` listens on; 0 takes any that is free.', default: '`8080`' },
  trustedProxies: {
    says: 'Proxies of your own in front of `serve`, one behind the other, whose `X-Forwarded-For` tells who is calling; limits count by that.',
    default: '`0`',
  },
  shutdownTimeout: {
    says: 'After how long a stopping process ends, such as `20s`. Requests and work in hand are cut off 3 s before, or at half of a shorter time.',
    default: '`20s`',
  },
  'log.format': { says: '`json` or `pretty`.', default: '`json`; with `serve --dev` `pretty`' },
  'log.level': { says: '`info`, `warn`, `error` or `silent`.', default: '`info`' },
  durability: {
    says: 'SQLite: `full` is on disk when it is answered; `process` outlives the death of the process, not of the machine.',
    default: '`full`',
  },
  'sqlite.trustPath': {
    says: 'The database file may be a link, and its folder open to others.',
    default: '`false`',
  },
  'postgres.preparedNames': {
    says: 'PostgreSQL: `false` behind a pooler that gives each transaction another session; then nothing listens, and work is looked for every second.',
    default: '`true`',
  },
  migrate: {
    says: 'Missing migrations: `auto` applies them, `check` and `off` refuse to start.',
    default: '`auto`',
  },
  env: {
    says: 'The environment of commands without `--env`, `prod` or `test`. Commands that send to `prod` take `--env prod` alone.',
    default: 'none; `init` writes `test`, and `serve --dev` uses it',
  },
  'worker.enabled': { says: 'Whether `serve` does the work as well.', default: '`true`' },
  'metrics.host': { says: 'The address that figures for Prometheus are served on.', default: '`127.0.0.1`' },
  'metrics.port': { says: 'Their port, on which they are served once it is set.', default: null },
  'metrics.token': { says: 'The bearer token that they ask for.', default: null },
  'net.allowCidrs': {
    says: 'Networks that are not public and may be connected to all the same, such as that of your own mail relay.',
    default: null,
  },
  'smtp.allowedPorts': {
    says: 'Ports that mail relays may have; 1025 as well for those without TLS.',
    default: '`25,465,587,2525`',
  },
  'webpush.allowedHosts': {
    says: 'Hosts that subscriptions of browsers may lead to; `*.` stands for any part in front.',
    default: "any; those of the browsers' own services where several orgs share the deployment",
  },
  'fcm.tokenUris': {
    says: 'Where service accounts of FCM may ask for their tokens.',
    default: '`https://oauth2.googleapis.com/token`',
  },
  'limits.callsPerMinute': {
    says: 'Calls of each kind, client network and project in a minute, and at once, of orgs without numbers of their own.',
    default: '`200`',
  },
  'limits.ingestPerSecond': {
    says: 'Events in a second of each client network with a public key, and requests with each secret key.',
    default: '`1000`',
  },
  'limits.ingestBurst': { says: 'How many of them at once.', default: '`5000`' },
  plans: {
    says: 'Plans of orgs from the least on, as JSON, each with the gates that it adds: `[{"name", "gates", "eventsPerMonth", "retentionDays"}]`.',
    default: '`free`, `starter`, `growth` and `business`',
  },
  'email.mailsPerMinute': {
    says: 'Mails of `prod` that an org may ask for in a minute, and at once; on probation it is 10.',
    default: '`60`',
  },
  'email.linkDays': { says: 'Days that links of tracked mails lead on, 1 to 3650.', default: '`400`' },
  'email.requireVerifiedDomains': {
    says: 'Mail of `prod` is from verified domains only, in projects without any domain as well.',
    default: '`false`',
  },
  'email.dnsServers': {
    says: 'Name servers, `address` or `address:port`, that tell of sending domains.',
    default: 'those of the system',
  },
  'sms.resendOnAmbiguous': {
    says: 'A text message is sent again where nobody knows whether its provider took it.',
    default: '`false`',
  },
  'ai.models.generate': {
    says: 'Model of `ai_action` steps that write a text, where neither step nor org names one.',
    default: null,
  },
  'ai.models.decide': { says: 'The same of steps that choose.', default: null },
  'ai.models.extract': { says: 'The same of steps that take values out of data.', default: null },
  'ai.shared.wire': {
    says: "What the deployment's own provider of models speaks: `openai` or `anthropic`.",
    default: '`openai`',
  },
  'ai.shared.baseUrl': {
    says: 'Where it is, such as `https://api.example.com/v1`.',
    default: "the provider's own, once there is a key",
  },
  'ai.shared.key': {
    says: 'Its key, for orgs that bring none; each has 100,000 tokens a day. Never in a file.',
    default: 'none: orgs bring their own',
  },
  'sandbox.callModels': {
    says: 'Runs in `test` ask models as well; else they get a stand-in for an answer.',
    default: '`false`',
  },
  'sandbox.deliverWebhookSteps': {
    says: 'Webhook steps of runs in `test` are posted as well; else they end well and nothing is posted.',
    default: '`false`',
  },
  'webhooks.httpsOnly': { says: 'Webhooks are posted to `https` only.', default: '`false`' },
  'endpoints.apns.url': { says: 'Takes the place of APNs, as a relay does.', default: 'those of Apple' },
  'endpoints.fcm.url': { says: 'Takes the place of FCM.', default: '`https://fcm.googleapis.com`' },
  'endpoints.twilio.url': { says: 'Takes the place of Twilio.', default: '`https://api.twilio.com`' },
  'endpoints.telnyx.url': { says: 'Takes the place of Telnyx.', default: '`https://api.telnyx.com`' },
  'endpoints.ses.url': { says: 'Takes the place of Amazon SES.', default: 'that of the region' },
  'endpoints.sendgrid.url': { says: 'Takes the place of SendGrid.', default: 'that of the region' },
  'endpoints.postmark.url': { says: 'Takes the place of Postmark.', default: '`https://api.postmarkapp.com`' },
  'endpoints.mailgun.url': { says: 'Takes the place of Mailgun.', default: 'that of the region' },
  'endpoints.resend.url': { says: 'Takes the place of Resend.', default: '`https://api.resend.com`' },
};

/** The table as Markdown. Throws nothing. */
export const settingsTable = (): string =>
  [
    '| key | variable | default | what it says |',
    '|---|---|---|---|',
    ...KEYS.map((key) => {
      const { says, default: usual } = ABOUT[key];
      return `| \`${key}\` | \`${variableOf(key)}\` | ${usual ?? 'none'} | ${says} |`;
    }),
    '',
  ].join('\n');
