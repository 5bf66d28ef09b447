import type { Project } from '@beckon/core';
import type { Command } from 'commander';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { type Column, createOutput } from '../output.ts';

type Row = Project & { readonly orgName: string };

const COLUMNS: readonly Column<Row>[] = [
  ['NAME', ({ name }) => name],
  ['ORG', ({ orgName }) => orgName],
  ['CREATED', ({ createdAt }) => createdAt.toISOString().slice(0, 10)],
  ['ID', ({ id }) => id],
];

/** `beckon projects create|list`: applications of an org, each with a prod and a test environment. */
export const register: Register = (program, context) => {
  const group = program.command('projects').description('make and list projects');
  const leaf = (name: string, description: string): Command =>
    databaseOptions(group.command(name).description(description)).option(
      '--org <id>',
      'org, by id or name; may be left out when there is only one',
    );

  outputOptions(leaf('create', 'make a project; it has no keys yet'))
    .argument('<name>', 'what it is called')
    .action(
      act(context, async (flags, [name = '']) => {
        const { pickOrg, withBeckon } = await import('../session.ts');
        return withBeckon(context, flags, async ({ tenancy }) => {
          const org = pickOrg(await tenancy.listOrgs(), flags.org);
          const project = await tenancy.createProject({ orgId: org.id, name });
          const output = createOutput(context.io, flags);
          output.answer(project, [project.id]);
          output.note(`Make a key for it: beckon keys create --org ${org.id} --project ${project.id} --env test`);
          return undefined;
        });
      }),
    );

  outputOptions(leaf('list', 'list them'), ['table', 'json', 'ndjson', 'yaml']).action(
    act(context, async (flags) => {
      const { pickOrg, withBeckon } = await import('../session.ts');
      return withBeckon(context, flags, async ({ tenancy }) => {
        const orgs = await tenancy.listOrgs();
        const orgId = flags.org === undefined ? undefined : pickOrg(orgs, flags.org).id;
        const names = new Map(orgs.map(({ id, name }) => [id, name]));
        const projects = await tenancy.listProjects({ orgId });
        const output = createOutput(context.io, flags);
        if (output.form === 'table')
          output.rows(
            projects.map((one) => ({ ...one, orgName: names.get(one.orgId) ?? one.orgId })),
            COLUMNS,
          );
        else output.rows(projects, []);
        if (output.form === 'table' && projects.length === 0)
          output.note(`There is no project yet in ${context.place}.`);
        return undefined;
      });
    }),
  );
};
