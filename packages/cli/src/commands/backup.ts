import { resolve } from 'node:path';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { described } from '../table/noun.ts';

type BackupFlags = { readonly withoutSecrets?: boolean; readonly compress?: boolean; readonly force?: boolean };

const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

/** `beckon backup`: the whole database as one file, while the service goes on. */
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
    .argument('<file>', 'File to create, readable by its owner alone')
    .option('--without-secrets', 'Leave out sealed values, such as credentials')
    .option('--compress', 'Compress the file')
    .option('--force', 'Replace an existing file')
    .addHelpText(
      'after',
      '\nThe service may go on meanwhile. Secrets stay sealed, so a restore needs the\nsame master key.',
    )
    .action(
      act<BackupFlags>(context, async (flags, [file = '']) => {
        const { io, services, version } = context;
        const { loadConfig, shownDb } = await import('../config.ts');
        const { reaching, requireDatabase } = await import('../session.ts');
        const config = loadConfig(io, flags);
        requireDatabase(config, io);
        const made = await reaching(config, io.cwd, () =>
          whileWaiting(io, flags, 'writing the backup', () =>
            services.backup({
              ...{ db: config.db, file: resolve(io.cwd, file), program: version, clock: io },
              ...{ withoutSecrets: flags.withoutSecrets, isCompressed: flags.compress, isReplacing: flags.force },
            }),
          ),
        );
        createOutput(io, flags).answer({ file, ...made }, [
          `${shownDb(config.db, io.cwd)} is in ${file} (${mebibytes(made.bytes)}), as of ${made.createdAt.toISOString()}.`,
          made.withSecrets
            ? 'Secrets are in it, sealed: keep the master key too, and elsewhere.'
            : 'Secrets are not in it; a restore says what has to be set again.',
        ]);
        return undefined;
      }),
    );
};
