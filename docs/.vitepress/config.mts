import { defineConfig } from 'vitepress';

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
    sidebar: [
      {
        text: 'Get started',
        items: [page('Quickstart', '/start'), page('Concepts', '/concepts'), page('Design decisions', '/choices')],
      },
      {
        text: 'Data',
        items: [
          page('Identify users and profiles', '/guides/profiles'),
          page('User sign-in', '/guides/sign-in'),
          page('Sign in with a link or a code', '/guides/sign-in-email'),
          page('Guests', '/guides/sign-in-guests'),
          page('Import user accounts', '/guides/import-users'),
          page('Social sign-in', '/guides/sign-in-social'),
          page('Passkeys', '/guides/sign-in-passkeys'),
          page('Second factors', '/guides/sign-in-mfa'),
          page('Sign-in in the browser', '/guides/sign-in-web'),
          page('Browser SDK', '/guides/site'),
          page('Segments (audiences)', '/guides/audiences'),
          page('Segment operators', '/guides/predicates'),
          page('Import users', '/guides/import-lists'),
          page('Analytics', '/guides/analytics'),
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
        ],
      },
      {
        text: 'Automation',
        items: [page('Workflows', '/guides/workflows'), page('AI and webhook steps', '/guides/ask-and-post'), page('Workflows in CI', '/guides/ci')],
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
          page('Use as a library', '/guides/embed'),
          page('Express', '/guides/express'),
          page('Fastify', '/guides/fastify'),
          page('Hono', '/guides/hono'),
          page('Next.js', '/guides/nextjs'),
          page('Deploy: systemd, Docker, Kubernetes', '/guides/deploy'),
          page('SQLite on one server', '/guides/self-host-sqlite'),
          page('PostgreSQL', '/guides/self-host-postgres'),
          page('Database failures', '/guides/database-fails'),
          page('Backups', '/guides/backups'),
          page('Monitoring', '/guides/monitoring'),
          page('Rate limits, quotas and plans', '/guides/plans-and-limits'),
          page('Command line', '/guides/command-line'),
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
