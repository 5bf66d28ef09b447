import type { ApiKey, Beckon, Grant, KeyKind, KeyScope, NewKey, Page } from '@beckon/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { collapsedScopes, relativeTime, shortId } from '../cells.ts';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
} from '../command-line.ts';
import { parseDuration } from '../duration.ts';
import { usageError } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import type { Io } from '../io.ts';
import { type Column, createOutput } from '../output.ts';
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

const create = async (context: Context, flags: CommonFlags & CreateFlags): Promise<undefined> => {
  const { requireEnvironment, withBeckon } = await import('../session.ts');
  const { io } = context;
  return withBeckon(context, flags, async (beckon, config) => {
    const environment = requireEnvironment(flags, config);
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
    const output = createOutput(io, flags);
    output.answer({ key, secret }, output.form === 'env' ? keyAssignments([{ kind, environment, secret }]) : [secret]);
    output.note(`Key ${key.id} of ${environment} was made. It is shown this once: keep it now.`);
    return undefined;
  });
};

/** `beckon keys create|list|revoke`. A secret is printed when it is made and never again. */
export const register: Register = (program, context) => {
  const group = program.command('keys').description('make, list and revoke API keys');
  const leaf = (name: string, description: string): Command =>
    databaseOptions(group.command(name).description(description));

  const kinds = new Option('--kind <kind>', 'who will hold it')
    .choices(['public', 'secret', 'custom'])
    .default('secret');
  outputOptions(leaf('create', 'make a key; its secret is printed once'), ['table', 'json', 'yaml', 'env'])
    .addOption(kinds)
    .option('--org <ids>', 'orgs, by id or name, separated by commas; may be left out when there is only one')
    .option('--project <ids>', 'projects of these orgs, or all; may be left out when there is only one')
    .addOption(environmentOption())
    .option('--scope <scopes...>', 'scopes of a custom key')
    .option('--name <name>', 'what the key is for')
    .option('--expires <time>', 'how long it works, such as 90d', expiry)
    .action(act<CreateFlags>(context, (flags) => create(context, flags)));

  outputOptions(leaf('list', 'list keys, without their secrets'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--org <id>', 'keys of this org only, by id or name')
    .action(
      act(context, async (flags) => {
        const { pickOrg, withBeckon } = await import('../session.ts');
        return withBeckon(context, flags, async ({ tenancy }) => {
          const orgId = flags.org === undefined ? undefined : pickOrg(await tenancy.listOrgs(), flags.org).id;
          const { KEY_SCOPES } = await import('@beckon/core');
          const output = createOutput(context.io, flags);
          const keys = await tenancy.listKeys({ orgId });
          output.rows(keys, columns(context.io, KEY_SCOPES));
          if (output.form === 'table' && keys.length === 0) output.note(`There is no key yet in ${context.place}.`);
          return undefined;
        });
      }),
    );

  outputOptions(leaf('revoke', 'stop a key; doing it twice changes nothing'))
    .argument('<id>', 'id of the key, as "keys list" shows it')
    .action(
      act(context, async (flags, [id = '']) => {
        const { withBeckon } = await import('../session.ts');
        return withBeckon(context, flags, async ({ tenancy }) => {
          const whole = await wholeId('key', id, async () => pageOfAll(await tenancy.listKeys()));
          const key = await tenancy.revokeKey(whole);
          createOutput(context.io, flags).answer(key, [`Revoked ${key.id} (...${key.lastFour}).`]);
          return undefined;
        });
      }),
    );
};
