import type { Org, OrgCallKind } from '@beckon/core';
import { type Command, Option } from 'commander';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { usageError } from '../exit-codes.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines } from '../scoped.ts';

const COLUMNS: readonly Column<Org>[] = [
  ['NAME', ({ name }) => name],
  ['PLAN', ({ plan }) => plan],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['ID', ({ id }) => id],
];

type Changes = {
  readonly emailProbation?: 'on' | 'off';
  readonly plan?: string;
  readonly rateLimit?: readonly CallRate[];
};
type CallRate = { readonly kind: OrgCallKind; readonly perMinute: number | null };

const RATED: readonly OrgCallKind[] = ['sdk', 'signin', 'refresh', 'secret'];

/** `secret=600`, or `secret=default`; several in a row. */
const callRates = (text: string, before: readonly CallRate[] = []): readonly CallRate[] => {
  const [word, number = ''] = text.split('=');
  const kind = RATED.find((one) => one === word);
  if (kind === undefined || !(number === 'default' || /^[1-9]\d{0,6}$/.test(number)))
    throw usageError(`--rate-limit takes KIND=N or KIND=default, where KIND is one of ${RATED.join(', ')}.`);
  return [...before, { kind, perMinute: number === 'default' ? null : Number(number) }];
};

/** `beckon orgs create|show|update|list`: tenants. */
export const register: Register = (program, context) => {
  const group = program.command('orgs').description('make, change and list orgs');
  const leaf = (name: string, description: string): Command =>
    databaseOptions(group.command(name).description(description));

  outputOptions(leaf('create', 'make an org; it has no project yet'))
    .argument('<name>', 'what it is called')
    .action(
      act(context, async (flags, [name = '']) => {
        const { withBeckon } = await import('../session.ts');
        return withBeckon(context, flags, async ({ tenancy }) => {
          const org = await tenancy.createOrg({ name });
          const output = createOutput(context.io, flags);
          output.answer(org, [org.id]);
          output.note(`Make a project in it: beckon projects create <name> --org ${org.id}`);
          return undefined;
        });
      }),
    );

  outputOptions(leaf('update', 'change an org'))
    .argument('<org>', 'its id or name')
    .option('--plan <name>', 'what it may do; unlimited: everything')
    .addOption(
      new Option('--email-probation <state>', 'on: 10 requests to send mail a minute instead of 60').choices([
        'on',
        'off',
      ]),
    )
    .option(
      '--rate-limit <kind=n>',
      `calls of a kind in a minute for each client network and project (${RATED.join(', ')}); "default": as others`,
      callRates,
    )
    .action(
      act<Changes>(context, async (flags, [asked = '']) => {
        const { emailProbation, plan, rateLimit = [] } = flags;
        if (emailProbation === undefined && plan === undefined && rateLimit.length === 0)
          throw usageError('Say what to change: --plan, --rate-limit or --email-probation.');
        const { pickOrg, withBeckon } = await import('../session.ts');
        return withBeckon(context, flags, async ({ limits, plans, tenancy }) => {
          const { id } = pickOrg(await tenancy.listOrgs(), asked);
          const said: string[] = [];
          if (plan !== undefined) said.push(`plan ${(await plans.set(id, plan)).name}`);
          if (emailProbation !== undefined) {
            await limits.setEmailProbation(id, emailProbation === 'on');
            said.push(`email probation ${emailProbation}`);
          }
          for (const { kind, perMinute } of rateLimit) {
            await limits.setCallRate(id, kind, perMinute);
            said.push(`${kind} calls ${perMinute === null ? 'as others' : `${perMinute} a minute`}`);
          }
          const changes = {
            ...(plan === undefined ? {} : { plan }),
            ...(emailProbation && { emailProbation }),
            ...(rateLimit.length > 0 && { rateLimits: await limits.callRates(id) }),
          };
          createOutput(context.io, flags).answer({ id, ...changes }, [`${id}: ${said.join(', ')}`]);
          return undefined;
        });
      }),
    );

  outputOptions(leaf('show', 'show an org and its plan'))
    .argument('<org>', 'its id or name')
    .action(
      act(context, async (flags, [asked = '']) => {
        const { pickOrg, withBeckon } = await import('../session.ts');
        return withBeckon(context, flags, async ({ limits, plans, tenancy }) => {
          const org = pickOrg(await tenancy.listOrgs(), asked);
          const plan = await plans.of(org.id);
          const rateLimits = await limits.callRates(org.id);
          const rows = fieldLines([
            ['name', org.name],
            ['id', org.id],
            ['created', org.createdAt.toISOString()],
            ['plan', plan.name],
            ['events a month', plan.eventsPerMonth === null ? 'any number' : String(plan.eventsPerMonth)],
            ['kept', `${plan.retentionDays} days`],
            ['includes', plan.gates.join(', ') || null],
            [
              'calls a minute',
              Object.entries(rateLimits)
                .map((one) => one.join('='))
                .join(', ') || null,
            ],
          ]);
          createOutput(context.io, flags).answer({ ...org, plan, rateLimits }, rows);
          return undefined;
        });
      }),
    );

  outputOptions(leaf('list', 'list them'), ['table', 'json', 'ndjson', 'yaml']).action(
    act(context, async (flags) => {
      const { withBeckon } = await import('../session.ts');
      return withBeckon(context, flags, async ({ tenancy }) => {
        const orgs = await tenancy.listOrgs();
        const output = createOutput(context.io, flags);
        output.rows(orgs, COLUMNS);
        if (output.form === 'table' && orgs.length === 0) output.note(`There is no org yet in ${context.place}.`);
        return undefined;
      });
    }),
  );
};
