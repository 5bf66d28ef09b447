import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const REPOSITORY = process.env['BECKON_REPOSITORY_URL'];
const { version } = JSON.parse(readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8'));

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: 'Beckon',
  description: 'Customer engagement backend: events, profiles, segments, workflows, push, email and SMS.',
  lang: 'en',
  // `beckon docs` reads this folder, and it is packed with the program.
  outDir: '../packages/cli/dist/docs',
  cacheDir: './.vitepress/cache',
  metaChunk: true,
  // Links to the reader's own machine.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    config: (md) => {
      // Pages contain `{{ }}` of email templates, which Vue would evaluate.
      for (const name of ['text', 'code_inline'] as const) {
        const render = md.renderer.rules[name];
        md.renderer.rules[name] = (...args) => (render?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      page('Quickstart', '/start'),
      page('Guides', '/guides/send'),
      page('Recipes', '/recipes/welcome-series'),
      { ...page('API', '/reference/api.html'), target: '_self' },
      { text: `v${version}`, items: [page('Upgrade', '/upgrading'), page('Design decisions', '/choices')] },
    ],
    // The public address of the repository is set by the build that publishes the site.
    ...(REPOSITORY === undefined
      ? {}
      : {
          editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page' },
          socialLinks: [{ icon: 'github', link: REPOSITORY }],
        }),
    sidebar: [
      {
        text: 'Get started',
        items: [
          page('Introduction', '/index'),
          page('Quickstart', '/start'),
          page('Concepts', '/concepts'),
          page('How Beckon compares', '/comparison'),
          page('FAQ', '/faq'),
        ],
      },
      {
        text: 'Quickstarts',
        items: [
          page('Next.js', '/guides/nextjs'),
          page('Express', '/guides/express'),
          page('Hono', '/guides/hono'),
          page('Fastify', '/guides/fastify'),
          page('curl', '/quickstart/curl'),
          page('Python', '/quickstart/python'),
          page('Go', '/quickstart/go'),
          page('PHP', '/quickstart/php'),
          page('Browser SDK', '/guides/site'),
        ],
      },
      {
        text: 'Data',
        items: [
          page('Identify users and profiles', '/guides/profiles'),
          page('Segments (audiences)', '/guides/audiences'),
          page('Segment operators', '/guides/predicates'),
          page('Import users', '/guides/import-lists'),
          page('Analytics', '/guides/analytics'),
        ],
      },
      {
        text: 'User sign-in',
        items: [
          page('Passwords and sessions', '/guides/sign-in'),
          page('Sign in with a link or a code', '/guides/sign-in-email'),
          page('Social sign-in', '/guides/sign-in-social'),
          page('Passkeys', '/guides/sign-in-passkeys'),
          page('Business sign-in (SSO)', '/guides/sign-in-sso'),
          page('Second factors', '/guides/sign-in-mfa'),
          page('Provision users with SCIM', '/guides/sign-in-scim'),
          page('Guests', '/guides/sign-in-guests'),
          page('Sign-in in the browser', '/guides/sign-in-web'),
          page('Claims, captcha and hooks', '/guides/sign-in-claims'),
          page('Sign-in security', '/guides/sign-in-security'),
          page('Import user accounts', '/guides/import-users'),
        ],
      },
      {
        text: 'Messaging',
        items: [
          page('Send messages', '/guides/send'),
          page('Email', '/guides/email'),
          page('Marketing email and unsubscribe', '/guides/marketing-mail'),
          page('Email delivery webhooks', '/guides/callbacks'),
          page('SMS', '/guides/text-messages'),
          page('Push', '/guides/push'),
          page('Live Activities', '/guides/live-activities'),
          page('Geofencing', '/guides/geofences'),
          page('Templates', '/guides/templates'),
          page('Frequency caps', '/guides/caps'),
          page('Quiet hours', '/guides/quiet-hours'),
          page('A/B tests', '/guides/ab-tests'),
          page('Test environment and test keys', '/guides/test-environment'),
          page('Local email with Mailpit', '/guides/mailpit'),
        ],
      },
      {
        text: 'Automation',
        items: [page('Workflows', '/guides/workflows'), page('AI and webhook steps', '/guides/ask-and-post'), page('Workflows in CI', '/guides/ci')],
      },
      {
        text: 'Recipes',
        items: [
          page('Welcome series', '/recipes/welcome-series'),
          page('Abandoned cart', '/recipes/abandoned-cart'),
          page('Password reset email', '/recipes/password-email'),
          page('Weekly digest email', '/recipes/weekly-digest'),
          page('Win-back campaign', '/recipes/win-back'),
        ],
      },
      {
        text: 'Webhooks and debugging',
        items: [
          page('Receive webhooks', '/guides/webhooks'),
          page('Debug a message or a workflow', '/guides/debug'),
        ],
      },
      {
        text: 'Deploy',
        items: [
          page('SQLite on one server', '/guides/self-host-sqlite'),
          page('PostgreSQL', '/guides/self-host-postgres'),
          page('Deploy: systemd, Docker, Kubernetes', '/guides/deploy'),
          page('Production checklist', '/guides/production-checklist'),
          page('Database failures', '/guides/database-fails'),
          page('Backups', '/guides/backups'),
          page('Upgrade', '/upgrading'),
          page('Monitoring', '/guides/monitoring'),
          page('Rate limits, quotas and plans', '/guides/plans-and-limits'),
          page('Command line', '/guides/command-line'),
        ],
      },
      { text: 'Embed', items: [page('Use as a library', '/guides/embed'), page('Design decisions', '/choices')] },
      {
        text: 'Migrate',
        items: [
          page('From OneSignal', '/migrate/onesignal'),
          page('From Customer.io', '/migrate/customer-io'),
          page('From Novu', '/migrate/novu'),
          page('From Braze', '/migrate/braze'),
        ],
      },
      {
        text: 'Reference',
        items: [
          // Opened by the browser: VitePress has no page of this name.
          { ...page('HTTP API', '/reference/api.html'), target: '_self' },
          page('CLI', '/reference/cli'),
          page('Configuration', '/reference/configuration'),
          page('Error codes', '/reference/errors'),
          page('Message reasons', '/reference/message-reasons'),
          page('Webhook event catalogue', '/reference/webhook-events'),
        ],
      },
    ],
  },
});
