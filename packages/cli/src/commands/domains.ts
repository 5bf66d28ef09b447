import type { Beckon, DomainCheck, EmailDomain, Scope } from '@beckon/core';
import type { Command } from 'commander';
import { toneOf } from '../colour.ts';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { type Column, createOutput } from '../output.ts';

type AddFlags = { readonly dkim?: boolean };

const COLUMNS: readonly Column<EmailDomain>[] = [
  ['DOMAIN', ({ domain }) => domain],
  ['STATUS', ({ status }) => status],
  ['SIGNED', ({ dkim, dkimFound }) => (dkim ? (dkimFound ? 'yes' : 'once its record is found') : 'no')],
  ['VERIFIED', ({ verifiedAt }) => verifiedAt?.toISOString() ?? null],
  ['CHECKED', ({ checkedAt }) => checkedAt?.toISOString() ?? null],
];

const stateText = ({ state }: DomainCheck): string => (state === 'found' ? 'ok' : state);

const CHECKS: readonly Column<DomainCheck>[] = [
  ['CHECK', ({ name }) => name],
  ['RESULT', stateText, toneOf],
  ['MESSAGE', ({ message }) => message],
];

const recordLines = ({ records }: EmailDomain): string[] =>
  records.map(({ type, name, value }) => `${type}\t${name}\t${value}`);

/** What is there under a name or an id. */
const found = async ({ emailDomains }: Beckon, scope: Scope, asked: string): Promise<EmailDomain> => {
  let cursor: string | undefined;
  do {
    const page = await emailDomains.list(scope, { cursor });
    const one = page.data.find(({ id, domain }) => id === asked || domain === asked.toLowerCase());
    if (one) return one;
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
  throw new CliError(EXIT.negative, `There is no sending domain ${asked}.`, {
    code: 'NOT_FOUND',
    hint: 'See "beckon domains list".',
  });
};

const withDomains = async <T>(
  context: Context,
  flags: CommonFlags,
  work: (beckon: Beckon, scope: Scope) => Promise<T>,
): Promise<T> => {
  const { environmentScope, withBeckon } = await import('../session.ts');
  return withBeckon(context, flags, async (beckon) =>
    work(beckon, await environmentScope(beckon, flags, flags.env === 'test' ? 'test' : 'prod')),
  );
};

/** `beckon domains add|list|verify|remove`: the domains that mail of a project is from. */
export const register: Register = (program, context) => {
  const group = program.command('domains').description('say which domains mail is from');
  const leaf = (name: string, description: string): Command =>
    scopeOptions(databaseOptions(group.command(name).description(description))).addOption(environmentOption('prod'));

  outputOptions(leaf('add', 'add a domain, and print the records to set'))
    .argument('<domain>', 'such as example.com; covers its subdomains')
    .option('--dkim', 'make a key and sign mail through SMTP, for relays that do not sign')
    .action(
      act<AddFlags>(context, async (flags, [domain = '']) => {
        const { dkim } = flags;
        const made = await withDomains(context, flags, (beckon, scope) =>
          beckon.emailDomains.add(scope, { domain, ...(dkim ? { dkim } : {}) }),
        );
        const output = createOutput(context.io, flags);
        output.answer(made, recordLines(made));
        output.note(`Set these records, then: beckon domains verify ${made.domain}`);
        output.note('From now on mail of this project has to be from a verified domain.');
        return undefined;
      }),
    );

  outputOptions(leaf('list', 'show domains and whether they are verified'), ['table', 'json', 'ndjson', 'yaml']).action(
    act(context, async (flags) => {
      const rows = await withDomains(context, flags, async ({ emailDomains }, scope) => {
        const all: EmailDomain[] = [];
        let cursor: string | undefined;
        do {
          const page = await emailDomains.list(scope, { cursor });
          all.push(...page.data);
          cursor = page.pagination.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return all;
      });
      createOutput(context.io, flags).rows(rows, COLUMNS);
      return undefined;
    }),
  );

  outputOptions(leaf('verify', 'look the records up, with advice about SPF and DMARC'), [
    'table',
    'json',
    'ndjson',
    'yaml',
  ])
    .argument('<domain>', 'its name or its id')
    .addHelpText('after', '\nExits 0 when the domain is verified, 1 when it is not.')
    .action(
      act(context, async (flags, [asked = '']) => {
        const checked = await withDomains(context, flags, async (beckon, scope) =>
          beckon.emailDomains.verify(scope, (await found(beckon, scope, asked)).id),
        );
        const output = createOutput(context.io, flags);
        output.rows(checked.checks, CHECKS);
        return checked.status === 'verified' ? undefined : EXIT.negative;
      }),
    );

  outputOptions(leaf('remove', 'forget a domain'))
    .argument('<domain>', 'its name or its id')
    .action(
      act(context, async (flags, [asked = '']) => {
        const removed = await withDomains(context, flags, async (beckon, scope) =>
          beckon.emailDomains.remove(scope, (await found(beckon, scope, asked)).id),
        );
        createOutput(context.io, flags).answer(removed, [`${removed.domain} is no sending domain any more.`]);
        return undefined;
      }),
    );
};
