import { resolve } from 'node:path';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { described } from '../table/noun.ts';

type BackupFlags = { readonly withoutSecrets?: boolean; readonly compress?: boolean; readonly force?: boolean };

const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

/** `beckon backup`: writes the database to one file while servers and workers run. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(
      described(
        program.command('backup'),
        'Back up the database to a file',
        'beckon.backup',
        'beckon.backup --compress',
      ),
    ),
  )
    .argument('<file>', 'File to create, readable by its owner only')
    .option('--without-secrets', 'Omit encrypted secrets, such as credentials')
    .option('--compress', 'Compress the file')
    .option('--force', 'Replace an existing file')
    .addHelpText(
      'after',
      '\nServers and workers may keep running. Secrets stay encrypted, so a restore\nneeds the same master key.',
    )
    .action(
      act<BackupFlags>(context, async (flags, [file = '']) => {
        const { io, services, version } = context;
        const { loadConfig, shownDb } = await import('../config.ts');
        const { withDatabaseInErrors, requireDatabase } = await import('../session.ts');
        const config = loadConfig(io, flags);
        requireDatabase(config, io);
        const made = await withDatabaseInErrors(config, io.cwd, () =>
          whileWaiting(io, flags, 'Writing the backup', () =>
            services.backup({
              ...{ db: config.db, file: resolve(io.cwd, file), program: version, clock: io },
              ...{ withoutSecrets: flags.withoutSecrets, isCompressed: flags.compress, isReplacing: flags.force },
            }),
          ),
        );
        createOutput(io, flags).answer({ file, ...made }, [
          `Backed up ${shownDb(config.db, io.cwd)} to ${file} (${mebibytes(made.bytes)}) as of ${made.createdAt.toISOString()}.`,
          made.withSecrets
            ? 'It contains encrypted secrets. Store the master key in another place: a restore needs it.'
            : 'It contains no secrets. A restore lists those to set again.',
        ]);
        return undefined;
      }),
    );
};
