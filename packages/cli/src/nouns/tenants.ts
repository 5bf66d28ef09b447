import type { Org, OrgCallKind } from '@beckon/core';
import { Option } from 'commander';
import { usageError } from '../exit-codes.ts';
import { allRows, collect, type LimitFlag, limitOption, noteMore } from '../listing.ts';
import { fieldLines } from '../scoped.ts';
import { customLocal } from '../table/custom.ts';
import { noun, ROWS } from '../table/noun.ts';

type CallRate = { readonly kind: OrgCallKind; readonly perMinute: number | null };
type Changes = {
  readonly emailProbation?: 'on' | 'off';
  readonly plan?: string;
  readonly rateLimit?: readonly CallRate[];
};

const RATED: readonly OrgCallKind[] = ['sdk', 'signin', 'refresh', 'secret'];

/** Parses `secret=600` or `secret=default`; repeatable. */
const callRates = (text: string, before: readonly CallRate[] = []): readonly CallRate[] => {
  const [word, number = ''] = text.split('=');
  const kind = RATED.find((one) => one === word);
  if (kind === undefined || !(number === 'default' || /^[1-9]\d{0,6}$/.test(number)))
    throw usageError(
      `Invalid --rate-limit "${text}". Pass KIND=NUMBER or KIND=default; KIND is one of ${RATED.join(', ')}.`,
    );
  return [...before, { kind, perMinute: number === 'default' ? null : Number(number) }];
};

const org = ['<org>', 'Organization id or name'] as const;
const pickedOrg = async (orgs: readonly Org[], named?: string): Promise<Org> =>
  (await import('../session.ts')).pickOrg(orgs, named);

/** Organizations. */
export const orgs = noun('orgs', 'Manage organizations', {
  create: customLocal({
    level: 'database',
    about: 'Create an organization',
    examples: ['Acme'],
    args: [['<name>', 'Name']],
    work: async ({ tenancy }, { args: [name = ''], output }) => {
      const made = await tenancy.createOrg({ name });
      output.answer(made, [made.id]);
      output.note(`Next, create a project: beckon projects create <name> --org ${made.id}`);
      return undefined;
    },
  }),
  update: customLocal<Changes>({
    level: 'database',
    about: "Update an organization's plan and limits",
    examples: ['Acme --plan starter', 'Acme --rate-limit secret=1000'],
    args: [org],
    options: [
      new Option('--plan <name>', 'A plan of this deployment, for example starter'),
      new Option('--email-probation <state>', '10 email sends per minute, not 60').choices(['on', 'off']),
      new Option('--rate-limit <kind=n>', `Requests per minute, for ${RATED.join(', ')}`).argParser(callRates),
    ],
    work: async ({ limits, plans, tenancy }, { flags, args: [named], output }) => {
      const { emailProbation, plan, rateLimit = [] } = flags;
      if (emailProbation === undefined && plan === undefined && rateLimit.length === 0)
        throw usageError('Pass at least one of --plan, --rate-limit and --email-probation.');
      const { id } = await pickedOrg(await allRows(tenancy.listOrgs), named);
      const done: string[] = [];
      if (plan !== undefined) done.push(`plan ${(await plans.set(id, plan)).name}`);
      if (emailProbation !== undefined) {
        await limits.setEmailProbation(id, emailProbation === 'on');
        done.push(`email probation ${emailProbation}`);
      }
      for (const { kind, perMinute } of rateLimit) {
        await limits.setCallRate(id, kind, perMinute);
        done.push(`rate limit ${kind} ${perMinute === null ? 'reset' : `${perMinute} per minute`}`);
      }
      const changes = {
        ...(plan === undefined ? {} : { plan }),
        ...(emailProbation && { emailProbation }),
        ...(rateLimit.length > 0 && { rateLimits: await limits.callRates(id) }),
      };
      output.answer({ id, ...changes }, [`${id}: ${done.join(', ')}`]);
      return undefined;
    },
  }),
  show: customLocal({
    level: 'database',
    about: 'Show an organization and its plan',
    examples: ['Acme'],
    args: [org],
    work: async ({ limits, plans, tenancy }, { args: [named], output }) => {
      const found = await pickedOrg(await allRows(tenancy.listOrgs), named);
      const [plan, rateLimits] = [await plans.of(found.id), await limits.callRates(found.id)];
      const rates = Object.entries(rateLimits).map((rate) => rate.join('='));
      output.answer(
        { ...found, plan, rateLimits },
        fieldLines([
          ['name', found.name],
          ['id', found.id],
          ['created', found.createdAt.toISOString()],
          ['plan', plan.name],
          ['events per month', plan.eventsPerMonth === null ? 'unlimited' : String(plan.eventsPerMonth)],
          ['retention', `${plan.retentionDays} days`],
          ['features', plan.gates.join(', ') || null],
          ['requests per minute', rates.join(', ') || null],
        ]),
      );
      return undefined;
    },
  }),
  list: customLocal<LimitFlag>({
    level: 'database',
    about: 'List organizations',
    examples: [''],
    forms: ROWS,
    options: [limitOption()],
    work: async ({ tenancy }, { flags, output, context }) => {
      const { rows, hasMore } = await collect(flags.limit, tenancy.listOrgs);
      output.rows(rows, [
        ['NAME', ({ name }) => name],
        ['PLAN', ({ plan }) => plan],
        ['CREATED', ({ createdAt }) => createdAt.toISOString()],
        ['ID', ({ id }) => id],
      ]);
      if (output.form === 'table' && rows.length === 0) output.note(`No organizations yet (${context.place}).`);
      noteMore(output, hasMore, flags.limit);
      return undefined;
    },
  }),
});

/** Projects of an organization, each with the environments prod and test. */
export const projects = noun('projects', 'Manage projects', {
  create: customLocal({
    level: 'org',
    about: 'Create a project',
    examples: ['Shop --org Acme'],
    args: [['<name>', 'Name']],
    work: async ({ tenancy }, { flags, args: [name = ''], output }) => {
      const { id: orgId } = await pickedOrg(await allRows(tenancy.listOrgs), flags.org);
      const made = await tenancy.createProject({ orgId, name });
      output.answer(made, [made.id]);
      output.note(`Next, create an API key: beckon keys create --org ${orgId} --project ${made.id} --env test`);
      return undefined;
    },
  }),
  list: customLocal<LimitFlag>({
    level: 'org',
    about: 'List projects',
    examples: ['', '--org Acme'],
    forms: ROWS,
    options: [limitOption()],
    work: async ({ tenancy }, { flags, output, context }) => {
      const all = await allRows(tenancy.listOrgs);
      const orgId = flags.org === undefined ? undefined : (await pickedOrg(all, flags.org)).id;
      const names = new Map(all.map(({ id, name }) => [id, name]));
      const { rows, hasMore } = await collect(flags.limit, (query) => tenancy.listProjects({ ...query, orgId }));
      output.rows(rows, [
        ['NAME', ({ name }) => name],
        ['ORGANIZATION', (row) => names.get(row.orgId) ?? row.orgId],
        ['CREATED', ({ createdAt }) => createdAt.toISOString().slice(0, 10)],
        ['ID', ({ id }) => id],
      ]);
      if (output.form === 'table' && rows.length === 0) output.note(`No projects yet (${context.place}).`);
      noteMore(output, hasMore, flags.limit);
      return undefined;
    },
  }),
});
