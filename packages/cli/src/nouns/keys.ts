import type { ApiKey, Beckon, Grant, KeyKind, KeyScope, NewKey, Page } from '@beckon/core';
import { InvalidArgumentError, Option } from 'commander';
import { collapsedScopes, relativeTime, shortId } from '../cells.ts';
import { type CommonFlags, environmentOption } from '../command-line.ts';
import { parseDuration } from '../duration.ts';
import { usageError } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import type { Io } from '../io.ts';
import type { Column } from '../output.ts';
import { customLocal } from '../table/custom.ts';
import { noun, ROWS } from '../table/noun.ts';
import { keyAssignments } from '../tenant.ts';

type CreateFlags = {
  readonly kind: KeyKind | 'custom';
  readonly scope?: readonly string[];
  readonly name?: string;
  readonly expires?: number;
};

const expiry = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('It is a time such as 90d or 12h.');
  return ms;
};

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const time = (date: Date | null): string | null => (date === null ? null : date.toISOString());

const grantText = ({ grants }: ApiKey): string =>
  grants.map(({ orgId, projectId }) => `${orgId}/${projectId}`).join(',');

/** Projects by the ends of their ids; all of an org by that of the org's. */
const shortGrants = ({ grants }: ApiKey): string =>
  grants.map(({ orgId, projectId }) => (projectId === '*' ? `${shortId(orgId)}/*` : shortId(projectId))).join(',');

/** When a key stops working, or stopped. */
const endOf = ({ expiresAt, revokedAt }: ApiKey, now: Date): string | null =>
  revokedAt === null ? relativeTime(expiresAt, now) : 'revoked';

const columns = ({ stdout: { isTTY }, now }: Io, all: readonly string[]): readonly Column<ApiKey>[] =>
  isTTY
    ? [
        ['ID', ({ id }) => shortId(id)],
        ['NAME', ({ name }) => name],
        ['KIND', ({ kind }) => kind],
        ['ENV', ({ environment }) => environment],
        ['LAST4', ({ lastFour }) => lastFour],
        ['ENDS', (key) => endOf(key, now())],
        ['USED', ({ lastUsedAt }) => relativeTime(lastUsedAt, now())],
        ['GRANTS', shortGrants],
        ['SCOPES', ({ scopes }) => collapsedScopes(scopes, all)],
      ]
    : [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['KIND', ({ kind }) => kind],
        ['ENV', ({ environment }) => environment],
        ['LAST4', ({ lastFour }) => lastFour],
        ['CREATED', ({ createdAt }) => time(createdAt)],
        ['EXPIRES', ({ expiresAt }) => time(expiresAt)],
        ['REVOKED', ({ revokedAt }) => time(revokedAt)],
        ['LAST USED', ({ lastUsedAt }) => time(lastUsedAt)],
        ['GRANTS', grantText],
        ['SCOPES', ({ scopes }) => scopes.join(',')],
      ];

/** A list that has no pages, as one. */
const pageOfAll = <Row>(data: readonly Row[]): Page<Row> => ({
  data,
  pagination: { limit: data.length, hasMore: false, nextCursor: null },
});

/** Turns `--org A,B --project P,Q|all` into grants; each org needs at least one project. */
const grantsOf = async ({ tenancy }: Beckon, flags: CommonFlags): Promise<Grant[]> => {
  const { pickOrg, pickProject } = await import('../session.ts');
  const orgs = await tenancy.listOrgs();
  const names = listOf(flags.org);
  const chosen = names.length === 0 ? [pickOrg(orgs)] : names.map((name) => pickOrg(orgs, name));
  if (flags.project === 'all') return chosen.map(({ id }) => ({ orgId: id, projectId: '*' }));
  const asked = listOf(flags.project);
  const unused = new Set(asked);
  const grants: Grant[] = [];
  for (const org of chosen) {
    const projects = await tenancy.listProjects({ orgId: org.id });
    const mine = asked.filter((name) => projects.some((project) => project.id === name || project.name === name));
    for (const name of mine) unused.delete(name);
    if (asked.length > 0 && mine.length === 0) throw usageError(`--project names no project of org ${org.name}.`);
    const one = (name?: string) => pickProject(org.id, projects, name);
    const picked = mine.length === 0 ? [one()] : mine.map(one);
    grants.push(...picked.map((project) => ({ orgId: org.id, projectId: project.id })));
  }
  if (unused.size > 0) throw usageError(`There is no project ${[...unused].join(', ')} in what --org names.`);
  return grants;
};

const checked = (flags: CreateFlags, grants: readonly Grant[]): void => {
  const hasScopes = flags.scope !== undefined;
  if (flags.kind === 'custom' && !hasScopes)
    throw usageError('A custom key needs its scopes: --scope events.write ...');
  if (flags.kind !== 'custom' && hasScopes) throw usageError(`--scope goes with --kind custom, not ${flags.kind}.`);
  if (flags.kind === 'public' && (grants.length !== 1 || grants[0]?.projectId === '*')) {
    throw usageError('A public key takes exactly one org and one project.');
  }
};

/** API keys. A secret is printed when it is made and never again. */
export const keys = noun('keys', 'Manage API keys', {
  create: customLocal<CreateFlags>({
    level: 'database',
    about: 'Create an API key and print it once',
    examples: ['--env test', '--kind public --env prod --name website', '--env test -o env'],
    forms: ['table', 'json', 'yaml', 'env'],
    options: [
      new Option('--kind <kind>', 'Who will hold it').choices(['public', 'secret', 'custom']).default('secret'),
      new Option('--org <ids>', 'Orgs, by id or name, separated by commas (default: the only one)'),
      new Option('--project <ids>', 'Projects of these orgs, or all (default: the only one)'),
      environmentOption(),
      new Option('--scope <scopes...>', 'Scopes of a custom key'),
      new Option('--name <name>', 'What the key is for'),
      new Option('--expires <time>', 'How long it works, such as 90d').argParser(expiry),
    ],
    work: async (beckon, { flags, config, context: { io }, output }) => {
      const environment = (await import('../session.ts')).requireEnvironment(flags, config);
      const grants = await grantsOf(beckon, flags);
      checked(flags, grants);
      const kind: KeyKind = flags.kind === 'public' ? 'public' : 'secret';
      const input: NewKey = {
        kind,
        environment,
        grants,
        name: flags.name,
        // Safe: `createKey` refuses those that there are not.
        scopes: flags.scope?.flatMap(listOf) as readonly KeyScope[] | undefined,
        expiresAt: flags.expires === undefined ? undefined : new Date(io.now().getTime() + flags.expires),
      };
      const { key, secret } = await beckon.tenancy.createKey(input);
      const shown = output.form === 'env' ? keyAssignments([{ kind, environment, secret }]) : [secret];
      output.answer({ key, secret }, shown);
      output.note(`Key ${key.id} of ${environment} was made. It is shown this once: keep it now.`);
      return undefined;
    },
  }),
  list: customLocal({
    level: 'org',
    about: 'List API keys',
    examples: ['', '--org Acme'],
    forms: ROWS,
    work: async ({ tenancy }, { flags, output, context }) => {
      const { pickOrg } = await import('../session.ts');
      const orgId = flags.org === undefined ? undefined : pickOrg(await tenancy.listOrgs(), flags.org).id;
      const { KEY_SCOPES } = await import('@beckon/core');
      const rows = await tenancy.listKeys({ orgId });
      output.rows(rows, columns(context.io, KEY_SCOPES));
      if (output.form === 'table' && rows.length === 0) output.note(`There is no key yet in ${context.place}.`);
      return undefined;
    },
  }),
  revoke: customLocal({
    level: 'database',
    about: 'Revoke an API key',
    examples: ['KEY_ID'],
    args: [['<id>', 'Id of the key, as "keys list" shows it']],
    work: async ({ tenancy }, { args: [given = ''], output }) => {
      const key = await tenancy.revokeKey(await wholeId('key', given, async () => pageOfAll(await tenancy.listKeys())));
      output.answer(key, [`Revoked ${key.id} (...${key.lastFour}).`]);
      return undefined;
    },
  }),
});
