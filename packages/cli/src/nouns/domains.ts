import type { Api, RowOf } from '../api.ts';
import { toneOf } from '../colour.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { collect } from '../listing.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

/** Maximum domains that are searched. Chosen: far more than a project has. */
const MAX_DOMAINS = 1_000;

const idOf = async (api: Api, named: string): Promise<string> => {
  const { rows } = await collect<RowOf<'GET /email/domains'>>(MAX_DOMAINS, (query) =>
    api.page('GET /email/domains', { query }),
  );
  const found = rows.find(({ id, domain }) => id === named || domain === named.toLowerCase());
  if (found) return found.id;
  throw new CliError(EXIT.negative, `No sending domain "${named}".`, {
    code: 'NOT_FOUND',
    hint: 'List domains: beckon domains list',
  });
};

// Email of `test` is not delivered, so `prod` is the default.
const environment = 'prod';
const domain = { arg: ['<domain>', 'Domain name or id'], into: 'id', find: idOf } as const;

/** Sending domains of a project. */
export const domains = noun('domains', 'Manage email sending domains', {
  create: calls('POST /email/domains', {
    environment,
    about: 'Add a domain and print its DNS records',
    examples: ['example.com'],
    args: [{ arg: ['<domain>', 'Domain, such as example.com, with its subdomains'], into: 'domain' }],
    flags: { dkim: 'Create a DKIM key to sign email sent over SMTP' },
    lines: ({ records }) => records.map(({ type, name, value }) => `${type}\t${name}\t${value}`),
    notes: (added) => [
      `Set these DNS records, then run: beckon domains verify ${added.domain}`,
      'This project now sends email only from verified domains.',
    ],
  }),
  list: lists('GET /email/domains', {
    environment,
    about: 'List domains and their verification status',
    examples: [''],
    columns: () => [
      ['DOMAIN', (row) => row.domain],
      ['STATUS', ({ status }) => status],
      ['DKIM', ({ dkim, dkimFound }) => (dkim ? (dkimFound ? 'yes' : 'record missing') : 'no')],
      ['VERIFIED', ({ verifiedAt }) => verifiedAt],
      ['CHECKED', ({ checkedAt }) => checkedAt],
    ],
  }),
  verify: calls('POST /email/domains/{id}/verify', {
    environment,
    about: 'Verify DNS records; check SPF and DMARC',
    examples: ['example.com'],
    exits: '0 verified, 1 not verified',
    args: [domain],
    write: (output, { checks }) =>
      output.rows(checks, [
        ['CHECK', ({ name }) => name],
        ['RESULT', ({ state }) => (state === 'found' ? 'ok' : state), toneOf],
        ['MESSAGE', ({ message }) => message],
      ]),
    exit: ({ status }) => (status === 'verified' ? undefined : EXIT.negative),
  }),
  delete: calls('DELETE /email/domains/{id}', {
    environment,
    about: 'Remove a domain',
    examples: ['example.com'],
    args: [domain],
    lines: (removed) => [`Removed ${removed.domain}.`],
  }),
});
