// The table of the configuration reference: every key, generated from the texts below.
import { KEYS, type Key, variableOf } from '../packages/cli/src/settings.ts';

/** Effect of a key, and its default; null: none. */
type About = { readonly text: string; readonly default: string | null };

/** Every key, in no order: the table has the order of the schema. */
const ABOUT: Readonly<Record<Key, About>> = {
  db: {
    text: 'Database: `sqlite:PATH`, `sqlite::memory:` or `postgres://USER@HOST/DATABASE`.',
    default: '`beckon.db` in `dataDir`',
  },
  dataDir: {
    text: 'Folder for the files of this deployment.',
    default: '`./data`; `./.beckon` after `npm start` (`serve --dev`) created it',
  },
  masterKey: {
    text: 'Encrypts secrets: 32 bytes as hex or base64; several, comma-separated, during a rotation. Not in `beckon.config.json`.',
    default: null,
  },
  publicUrl: {
    text: 'Public URL of this service, for links of tracked emails and delivery reports of providers.',
    default: null,
  },
  host: { text: 'Address that `serve` listens on.', default: '`127.0.0.1`' },
  port: { text: 'Port that `serve` listens on; 0 chooses a free one.', default: '`8080`' },
  trustedProxies: {
    text: 'Number of your reverse proxies in front of `serve`, one behind the other. Their `X-Forwarded-For` gives the client address for rate limits.',
    default: '`0`',
  },
  shutdownTimeout: {
    text: 'Time limit of stopping, such as `20s`. Requests and jobs in progress are aborted 3 s before it, or at half of a shorter limit.',
    default: '`20s`',
  },
  'log.format': { text: '`json` or `pretty`.', default: '`json`; with `serve --dev` `pretty`' },
  'log.level': { text: '`info`, `warn`, `error` or `silent`.', default: '`info`' },
  durability: {
    text: 'SQLite: with `full`, an answered write is on disk; with `process`, it survives the death of the process, but not of the machine.',
    default: '`full`',
  },
  'sqlite.trustPath': {
    text: 'Allows a database file that is a link, and a folder that other users can access.',
    default: '`false`',
  },
  'postgres.preparedNames': {
    text: 'PostgreSQL: set `false` behind a pooler that gives each transaction another session. Then nothing listens for `NOTIFY`, and workers poll every second.',
    default: '`true`',
  },
  migrate: {
    text: 'Missing migrations: `auto` applies them, `check` and `off` refuse to start. A newer database is refused, except by `off` one of the next minor release.',
    default: '`auto`',
  },
  env: {
    text: 'Environment of commands without `--env`: `prod` or `test`. Commands that send in `prod` always need `--env prod`.',
    default: 'none; `init` writes `test`, and `serve --dev` uses it',
  },
  'worker.enabled': { text: 'Whether `serve` includes a worker.', default: '`true`' },
  'metrics.host': { text: 'Address that Prometheus metrics are served on.', default: '`127.0.0.1`' },
  'metrics.port': { text: 'Port of the metrics; they are served if it is set.', default: null },
  'metrics.token': { text: 'Bearer token that the metrics require.', default: null },
  'net.allowCidrs': {
    text: 'Private networks that Beckon may connect to, such as that of your own mail relay.',
    default: null,
  },
  'smtp.allowedPorts': {
    text: 'Allowed ports of SMTP relays; 1025 also for those without TLS.',
    default: '`25,465,587,2525`',
  },
  'webpush.allowedHosts': {
    text: 'Allowed hosts of browser push subscriptions; `*.` matches any prefix.',
    default: "any; the browsers' own push services if several organizations share the deployment",
  },
  'fcm.tokenUris': {
    text: 'Allowed token URLs of FCM service accounts.',
    default: '`https://oauth2.googleapis.com/token`',
  },
  'limits.callsPerMinute': {
    text: 'Calls of each kind, client network and project per minute, and at once, for organizations without their own rate limits.',
    default: '`200`',
  },
  'limits.ingestPerSecond': {
    text: 'Events per second of each client network with a public key, and requests per second of each secret key.',
    default: '`1000`',
  },
  'limits.ingestBurst': { text: 'Burst of the previous limit.', default: '`5000`' },
  plans: {
    text: 'Plans of organizations as JSON, smallest first, each with the features that it adds: `[{"name", "gates", "eventsPerMonth", "retentionDays"}]`.',
    default: '`free`, `starter`, `growth` and `business`',
  },
  'email.mailsPerMinute': {
    text: 'Email sends of an organization in `prod` per minute, and at once; 10 on probation.',
    default: '`60`',
  },
  'email.linkDays': { text: 'Days until links of tracked emails expire, 1 to 3650.', default: '`400`' },
  'email.requireVerifiedDomains': {
    text: 'Requires a verified domain for email in `prod`, also in projects without domains.',
    default: '`false`',
  },
  'email.dnsServers': {
    text: 'Name servers for checks of sending domains, `address` or `address:port`.',
    default: 'the name servers of the system',
  },
  'sms.resendOnAmbiguous': {
    text: 'Sends an SMS again if it is unknown whether its provider accepted it.',
    default: '`false`',
  },
  'ai.models.generate': {
    text: 'Model of `ai_action` steps with flavor `generate`, if neither step nor organization sets one.',
    default: null,
  },
  'ai.models.decide': { text: 'The same for flavor `decide`.', default: null },
  'ai.models.extract': { text: 'The same for flavor `extract`.', default: null },
  'ai.shared.wire': {
    text: "API format of the deployment's AI provider: `openai` or `anthropic`.",
    default: '`openai`',
  },
  'ai.shared.baseUrl': {
    text: 'Its URL, such as `https://api.example.com/v1`.',
    default: "the provider's own, if a key is set",
  },
  'ai.shared.key': {
    text: 'Its key, for organizations without a provider; each has 100,000 tokens a day. Never in a file.',
    default: 'none: organizations bring their own',
  },
  'sandbox.callModels': {
    text: 'Runs in `test` call AI models; otherwise their steps get a placeholder response.',
    default: '`false`',
  },
  'sandbox.deliverWebhookSteps': {
    text: 'Runs in `test` post webhook steps; otherwise these succeed without a request.',
    default: '`false`',
  },
  'webhooks.httpsOnly': { text: 'Webhooks are posted to `https` URLs only.', default: '`false`' },
  'endpoints.apns.url': { text: 'Replaces the URL of APNs, for example with a relay.', default: 'the URLs of Apple' },
  'endpoints.fcm.url': { text: 'Replaces the URL of FCM.', default: '`https://fcm.googleapis.com`' },
  'endpoints.twilio.url': { text: 'Replaces the URL of Twilio.', default: '`https://api.twilio.com`' },
  'endpoints.telnyx.url': { text: 'Replaces the URL of Telnyx.', default: '`https://api.telnyx.com`' },
  'endpoints.ses.url': { text: 'Replaces the URL of Amazon SES.', default: 'the URL of the region' },
  'endpoints.sendgrid.url': { text: 'Replaces the URL of SendGrid.', default: 'the URL of the region' },
  'endpoints.postmark.url': { text: 'Replaces the URL of Postmark.', default: '`https://api.postmarkapp.com`' },
  'endpoints.mailgun.url': { text: 'Replaces the URL of Mailgun.', default: 'the URL of the region' },
  'endpoints.resend.url': { text: 'Replaces the URL of Resend.', default: '`https://api.resend.com`' },
};

/** The table as Markdown. Throws nothing. */
export const settingsTable = (): string =>
  [
    '| key | variable | default | effect |',
    '|---|---|---|---|',
    ...KEYS.map((key) => {
      const { text, default: usual } = ABOUT[key];
      return `| \`${key}\` | \`${variableOf(key)}\` | ${usual ?? 'none'} | ${text} |`;
    }),
    '',
  ].join('\n');
