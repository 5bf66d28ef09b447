import type { DatabaseSchema, SchemaState } from '@beckon/core';
import type { Command } from 'commander';
import { act, type CommonFlags, type Context, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { described } from '../table/noun.ts';

const inSchema = async <T>(
  { io, services }: Context,
  flags: CommonFlags,
  mayCreate: boolean,
  work: (schema: DatabaseSchema) => Promise<T>,
): Promise<T> => {
  const { loadConfig } = await import('../config.ts');
  const { makeDataDir, withDatabaseInErrors, requireDatabase } = await import('../session.ts');
  const config = loadConfig(io, flags);
  if (mayCreate) makeDataDir(config, io);
  else requireDatabase(config, io);
  return withDatabaseInErrors(config, io.cwd, async () => {
    const schema = await services.schema({ db: config.db, trustPath: config.isPathTrusted });
    try {
      return await work(schema);
    } finally {
      await schema.close();
    }
  });
};

const describeState = ({ applied, known, pending, isNewer }: SchemaState): string[] => {
  if (isNewer) return [`The database is newer than this program (${applied} applied, ${known} known).`];
  if (pending.length === 0) return [`Up to date (${applied} of ${known} applied).`];
  return [`${pending.length} pending (${applied} of ${known} applied):`, ...pending.map((name) => `  ${name}`)];
};

const stateCode = ({ isNewer, pending }: SchemaState): ExitCode => {
  if (isNewer) return EXIT.incompatible;
  return pending.length > 0 ? EXIT.negative : EXIT.ok;
};

/** `beckon migrate status|up|check`: compares the schema of the database with that of the program. */
export const register: Register = (program, context) => {
  const group = program.command('migrate').description('Manage database migrations');
  const leaf = (name: string, description: string): Command =>
    outputOptions(databaseOptions(described(group.command(name), description, '')));

  leaf('status', 'Show pending migrations').action(
    act(context, async (flags) => {
      const state = await inSchema(context, flags, false, (schema) => schema.state());
      createOutput(context.io, flags).answer(state, describeState(state));
      return undefined;
    }),
  );
  leaf('up', 'Apply pending migrations').action(
    act(context, async (flags) => {
      const applied = await inSchema(context, flags, true, (schema) =>
        whileWaiting(context.io, flags, 'Applying migrations', () => schema.migrate()),
      );
      const lines = applied.length === 0 ? ['Up to date.'] : applied.map((name) => `applied ${name}`);
      createOutput(context.io, flags).answer({ applied }, lines);
      return undefined;
    }),
  );
  leaf('check', 'Check whether the schema is current')
    .addHelpText('after', '\nExit codes: 0 current, 1 pending, 3 the database is newer')
    .action(
      act(context, async (flags) => {
        context.failureCode = EXIT.internal;
        const state = await inSchema(context, flags, false, (schema) => schema.state());
        createOutput(context.io, flags).answer(state, describeState(state));
        return stateCode(state);
      }),
    );
};
