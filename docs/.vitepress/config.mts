import { defineConfig } from 'vitepress';

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: 'Beckon',
  description: 'A customer-engagement backend: events, profiles, workflows and messages.',
  lang: 'en',
  // Where `beckon docs` looks, and what is packed with the program.
  outDir: '../packages/cli/dist/docs',
  cacheDir: './.vitepress/cache',
  metaChunk: true,
  // Of the reader's own machine.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    config: (md) => {
      // Pages say `{{ }}` of templates of mails; Vue would run it.
      for (const name of ['text', 'code_inline'] as const) {
        const render = md.renderer.rules[name];
        md.renderer.rules[name] = (...given) => (render?.(...given) ?? '').replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      {
        text: 'Beckon',
        items: [page('Start', '/start'), page('Concepts', '/concepts'), page('Choices', '/choices')],
      },
      {
        text: 'Guides',
        items: [
          page('Embed it', '/guides/embed'),
          page('A site', '/guides/site'),
          page('Templates', '/guides/templates'),
          page('Send', '/guides/send'),
          page('Hear from mail providers', '/guides/callbacks'),
          page('Webhooks', '/guides/webhooks'),
          page('Steps that ask and post', '/guides/ask-and-post'),
          page('Marketing mail', '/guides/marketing-mail'),
          page('A/B tests', '/guides/ab-tests'),
          page('Workflows', '/guides/workflows'),
          page('Questions about people', '/guides/predicates'),
          page('Live activities', '/guides/live-activities'),
          page('Places', '/guides/geofences'),
          page('Audiences', '/guides/audiences'),
          page('Import lists', '/guides/import-lists'),
          page('What happened over time', '/guides/analytics'),
          page('Plans and limits', '/guides/plans-and-limits'),
          page('Host it on SQLite', '/guides/self-host-sqlite'),
          page('Host it on PostgreSQL', '/guides/self-host-postgres'),
          page('When the database fails', '/guides/database-fails'),
          page('Backups', '/guides/backups'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('HTTP interface', '/reference/api'),
          page('Types of the interface', '/reference/types'),
          page('Command line', '/reference/cli'),
          page('Configuration', '/reference/configuration'),
        ],
      },
    ],
  },
});
