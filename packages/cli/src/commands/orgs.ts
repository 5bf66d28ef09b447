import type { Org } from '@beckon/core';
import { type Command, Option } from 'commander';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { type Column, createOutput } from '../output.ts';

const COLUMNS: readonly Column<Org>[] = [
  ['NAME', ({ name }) => name],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['ID', ({ id }) => id],
];

/** `beckon orgs create|update|list`: tenants. */
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
    .argument('<org>', 'its id')
    .addOption(
      new Option('--email-probation <state>', 'on: 10 requests to send mail a minute instead of 60')
        .choices(['on', 'off'])
        .makeOptionMandatory(),
    )
    .action(
      act<{ readonly emailProbation: 'on' | 'off' }>(context, async (flags, [id = '']) => {
        const { withBeckon } = await import('../session.ts');
        const { emailProbation } = flags;
        return withBeckon(context, flags, async ({ limits }) => {
          await limits.setEmailProbation(id, emailProbation === 'on');
          createOutput(context.io, flags).answer({ id, emailProbation }, [`${id}: email probation ${emailProbation}`]);
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
