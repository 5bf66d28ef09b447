import type { Org } from '@beckon/core';
import type { Command } from 'commander';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { type Column, createOutput } from '../output.ts';

const COLUMNS: readonly Column<Org>[] = [
  ['NAME', ({ name }) => name],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['ID', ({ id }) => id],
];

/** `beckon orgs create|list`: tenants. */
export const register: Register = (program, context) => {
  const group = program.command('orgs').description('make and list orgs');
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
