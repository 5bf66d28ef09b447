import type { WorkflowSecret } from '@beckon/core';
import { type Command, InvalidArgumentError } from 'commander';
import { act, type Context, databaseOptions, environmentOption, outputOptions, scopeOptions } from '../command-line.ts';
import { readSecret } from '../input.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { inEnvironment, inProject } from '../scoped.ts';

const COLUMNS: readonly Column<WorkflowSecret>[] = [
  ['NAME', ({ name }) => name],
  ['UPDATED', ({ updatedAt }) => updatedAt.toISOString()],
];

const hours = (text: string): number => {
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number) || number < 0 || number > 168)
    throw new InvalidArgumentError('It is a whole number from 0 to 168.');
  return number;
};

/** `beckon secrets set|list|remove|rotate-signing`: what webhook steps of workflows say and sign with. */
export const registerWorkflowSecrets = (group: Command, context: Context): void => {
  const leaf = (name: string, description: string): Command =>
    scopeOptions(databaseOptions(group.command(name).description(description)));

  outputOptions(leaf('set', 'set a secret that headers of webhook steps may name as {{secret.NAME}}'))
    .addOption(environmentOption())
    .argument('<name>', 'letters, digits, _ and -')
    .option('--file <file>', 'holds the value; - is stdin', '-')
    .action(
      act<{ readonly file: string }>(context, ({ file, ...flags }, [name = '']) =>
        inEnvironment(context, flags, async ({ secrets }, scope) => {
          const secret = await secrets.set(scope, name, { value: await readSecret(context.io, file) });
          createOutput(context.io, flags).answer(secret, [`The secret ${secret.name} is set.`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('list', 'list names of secrets; what they hold is never shown'), [
    'table',
    'json',
    'ndjson',
    'yaml',
  ])
    .addOption(environmentOption())
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<{ readonly limit: number }>(context, ({ limit, ...flags }) =>
        inEnvironment(context, flags, async ({ secrets }, scope) => {
          const { rows, hasMore } = await collect(limit, (query) => secrets.list(scope, query));
          const output = createOutput(context.io, flags);
          output.rows(rows, COLUMNS);
          if (output.form === 'table' && rows.length === 0) output.note('There are no secrets.');
          noteMore(output, hasMore, limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('remove', 'remove a secret; steps that name it end as error'))
    .addOption(environmentOption())
    .argument('<name>', 'as "secrets list" shows it')
    .action(
      act(context, (flags, [name = '']) =>
        inEnvironment(context, flags, async ({ secrets }, scope) => {
          const gone = await secrets.remove(scope, name);
          createOutput(context.io, flags).answer(gone, [`The secret ${gone.name} is removed.`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('rotate-signing', 'give the project another secret to sign with what its workflows post'))
    .option('--grace-hours <number>', 'how long the one before signs along (0 to 168)', hours, 24)
    .addHelpText(
      'after',
      '\nThe new secret is shown once. Receivers that know either of both go on while the one before signs along.',
    )
    .action(
      act<{ readonly graceHours: number }>(context, ({ graceHours, ...flags }) =>
        inProject(context, flags, async ({ secrets }, project) => {
          const rotation = await secrets.rotateSigning(project, { graceSeconds: graceHours * 3_600 });
          const { secret, previousUntil } = rotation;
          createOutput(context.io, flags).answer(rotation, [
            secret,
            previousUntil === null
              ? 'The one before signs no more.'
              : `The one before signs along until ${previousUntil.toISOString()}.`,
          ]);
          return undefined;
        }),
      ),
    );
};
