import type { Api, RowOf } from '../api.ts';
import { toneOf } from '../colour.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { collect } from '../listing.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

/** Chosen: far more than a project verifies. */
const MAX_DOMAINS = 1_000;

const idOf = async (api: Api, named: string): Promise<string> => {
  const { rows } = await collect<RowOf<'GET /email/domains'>>(MAX_DOMAINS, (query) =>
    api.page('GET /email/domains', { query }),
  );
  const found = rows.find(({ id, domain }) => id === named || domain === named.toLowerCase());
  if (found) return found.id;
  throw new CliError(EXIT.negative, `There is no sending domain ${named}.`, {
    code: 'NOT_FOUND',
    hint: 'See "beckon domains list".',
  });
};

// Mail of `test` goes nowhere, so its domains are the exception.
const environment = 'prod';
const domain = { arg: ['<domain>', 'Its name or its id'], into: 'id', find: idOf } as const;

/** Domains that mail of a project is from. */
export const domains = noun('domains', 'Manage email sending domains', {
  create: calls('POST /email/domains', {
    environment,
    about: 'Add a domain and print its DNS records',
    examples: ['example.com'],
    args: [{ arg: ['<domain>', 'Such as example.com; covers its subdomains'], into: 'domain' }],
    flags: { dkim: 'Create a key and sign mail sent through SMTP relays' },
    lines: ({ records }) => records.map(({ type, name, value }) => `${type}\t${name}\t${value}`),
    notes: (added) => [
      `Set these records, then: beckon domains verify ${added.domain}`,
      'From now on mail of this project has to be from a verified domain.',
    ],
  }),
  list: lists('GET /email/domains', {
    environment,
    about: 'List domains and their verification status',
    examples: [''],
    columns: () => [
      ['DOMAIN', (row) => row.domain],
      ['STATUS', ({ status }) => status],
      ['SIGNED', ({ dkim, dkimFound }) => (dkim ? (dkimFound ? 'yes' : 'once its record is found') : 'no')],
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
    lines: (removed) => [`${removed.domain} is no sending domain any more.`],
  }),
});
