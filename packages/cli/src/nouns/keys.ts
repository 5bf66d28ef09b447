import type { ApiKey, Beckon, Grant, KeyKind, KeyScope, NewKey } from '@beckon/core';
import { InvalidArgumentError, Option } from 'commander';
import { collapsedScopes, relativeTime, shortId } from '../cells.ts';
import { type CommonFlags, environmentOption } from '../command-line.ts';
import { parseDuration } from '../duration.ts';
import { usageError } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import type { Io } from '../io.ts';
import { allRows, collect, type LimitFlag, limitOption, noteMore } from '../listing.ts';
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
  if (ms === null || ms === 0) throw new InvalidArgumentError('Pass a time such as 90d or 12h.');
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

/** Grants with short ids; `ORG/*` for all projects of an organization. */
const shortGrants = ({ grants }: ApiKey): string =>
  grants.map(({ orgId, projectId }) => (projectId === '*' ? `${shortId(orgId)}/*` : shortId(projectId))).join(',');

/** When a key expires, or that it is revoked. */
const expiryOf = ({ expiresAt, revokedAt }: ApiKey, now: Date): string | null =>
  revokedAt === null ? relativeTime(expiresAt, now) : 'revoked';

const columns = ({ stdout: { isTTY }, now }: Io, all: readonly string[]): readonly Column<ApiKey>[] =>
  isTTY
    ? [
        ['ID', ({ id }) => shortId(id)],
        ['NAME', ({ name }) => name],
        ['KIND', ({ kind }) => kind],
        ['ENV', ({ environment }) => environment],
        ['ENDS WITH', ({ lastFour }) => lastFour],
        ['EXPIRES', (key) => expiryOf(key, now())],
        ['LAST USED', ({ lastUsedAt }) => relativeTime(lastUsedAt, now())],
        ['GRANTS', shortGrants],
        ['SCOPES', ({ scopes }) => collapsedScopes(scopes, all)],
      ]
    : [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['KIND', ({ kind }) => kind],
        ['ENV', ({ environment }) => environment],
        ['ENDS WITH', ({ lastFour }) => lastFour],
        ['CREATED', ({ createdAt }) => time(createdAt)],
        ['EXPIRES', ({ expiresAt }) => time(expiresAt)],
        ['REVOKED', ({ revokedAt }) => time(revokedAt)],
        ['LAST USED', ({ lastUsedAt }) => time(lastUsedAt)],
        ['GRANTS', grantText],
        ['SCOPES', ({ scopes }) => scopes.join(',')],
      ];

/** Parses `--org A,B --project P,Q|all` to grants; each organization needs at least one project. */
const grantsOf = async ({ tenancy }: Beckon, flags: CommonFlags): Promise<Grant[]> => {
  const { pickOrg, pickProject, projectsOf } = await import('../session.ts');
  const orgs = await allRows(tenancy.listOrgs);
  const names = listOf(flags.org);
  const chosen = names.length === 0 ? [pickOrg(orgs)] : names.map((name) => pickOrg(orgs, name));
  if (flags.project === 'all') return chosen.map(({ id }) => ({ orgId: id, projectId: '*' }));
  const requested = listOf(flags.project);
  const unused = new Set(requested);
  const grants: Grant[] = [];
  for (const org of chosen) {
    const projects = await projectsOf({ tenancy }, org.id);
    const own = requested.filter((name) => projects.some((project) => project.id === name || project.name === name));
    for (const name of own) unused.delete(name);
    if (requested.length > 0 && own.length === 0)
      throw usageError(`--project has no project of organization "${org.name}". List them: beckon projects list`);
    const find = (name?: string) => pickProject(org.id, projects, name);
    const picked = own.length === 0 ? [find()] : own.map(find);
    grants.push(...picked.map((project) => ({ orgId: org.id, projectId: project.id })));
  }
  if (unused.size > 0)
    throw usageError(
      `No project "${[...unused].join('", "')}" in the organizations of --org. List them: beckon projects list`,
    );
  return grants;
};

const checked = (flags: CreateFlags, grants: readonly Grant[]): void => {
  const hasScopes = flags.scope !== undefined;
  if (flags.kind === 'custom' && !hasScopes)
    throw usageError('--kind custom needs --scope, for example --scope events.write.');
  if (flags.kind !== 'custom' && hasScopes) throw usageError(`--scope needs --kind custom, not ${flags.kind}.`);
  if (flags.kind === 'public' && (grants.length !== 1 || grants[0]?.projectId === '*')) {
    throw usageError('A public key needs exactly one --org and one --project.');
  }
};

/** API keys. The key itself is printed once, at creation. */
export const keys = noun('keys', 'Manage API keys', {
  create: customLocal<CreateFlags>({
    level: 'database',
    about: 'Create an API key and print it once',
    examples: ['--env test', '--kind public --env prod --name website', '--env test -o env'],
    forms: ['table', 'json', 'yaml', 'env'],
    options: [
      new Option('--kind <kind>', 'Kind of key').choices(['public', 'secret', 'custom']).default('secret'),
      new Option('--org <ids>', 'Organizations, comma-separated (default: the only one)'),
      new Option('--project <ids>', 'Projects, comma-separated, or all (default: the only one)'),
      environmentOption(),
      new Option('--scope <scopes...>', 'Scopes of a custom key'),
      new Option('--name <name>', 'Name of the key'),
      new Option('--expires <time>', 'Lifetime, such as 90d (default: no expiry)').argParser(expiry),
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
        // Safe: `createKey` rejects unknown scopes.
        scopes: flags.scope?.flatMap(listOf) as readonly KeyScope[] | undefined,
        expiresAt: flags.expires === undefined ? undefined : new Date(io.now().getTime() + flags.expires),
      };
      const { key, secret } = await beckon.tenancy.createKey(input);
      const shown = output.form === 'env' ? keyAssignments([{ kind, environment, secret }]) : [secret];
      output.answer({ key, secret }, shown);
      output.note(`Created key ${key.id} for ${environment}. It is shown only once: store it now.`);
      return undefined;
    },
  }),
  list: customLocal<LimitFlag>({
    level: 'org',
    about: 'List API keys',
    examples: ['', '--org Acme'],
    forms: ROWS,
    options: [limitOption()],
    work: async ({ tenancy }, { flags, output, context }) => {
      const { pickOrg } = await import('../session.ts');
      const orgId = flags.org === undefined ? undefined : pickOrg(await allRows(tenancy.listOrgs), flags.org).id;
      const { KEY_SCOPES } = await import('@beckon/core');
      const { rows, hasMore } = await collect(flags.limit, (query) => tenancy.listKeys({ ...query, orgId }));
      output.rows(rows, columns(context.io, KEY_SCOPES));
      if (output.form === 'table' && rows.length === 0) output.note(`No API keys yet (${context.place}).`);
      noteMore(output, hasMore, flags.limit);
      return undefined;
    },
  }),
  revoke: customLocal({
    level: 'database',
    about: 'Revoke an API key',
    examples: ['KEY_ID'],
    args: [['<id>', 'Key id, from "keys list"']],
    work: async ({ tenancy }, { args: [id = ''], output }) => {
      const key = await tenancy.revokeKey(await wholeId('key', id, tenancy.listKeys));
      output.answer(key, [`Revoked ${key.id} (...${key.lastFour}).`]);
      return undefined;
    },
  }),
});
