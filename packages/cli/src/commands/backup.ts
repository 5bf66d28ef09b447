import { resolve } from 'node:path';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { whileWaiting } from '../progress.ts';

type BackupFlags = { readonly withoutSecrets?: boolean; readonly compress?: boolean; readonly force?: boolean };

const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

/** `beckon backup`: the whole database as one file, while the service goes on. */
export const register: Register = (program, context) => {
  outputOptions(databaseOptions(program.command('backup').description('write the whole database into one file')))
    .argument('<file>', 'is made, and readable by nobody else')
    .option('--without-secrets', 'leave out what is sealed, such as credentials; it has to be set again')
    .option('--compress', 'smaller, and slower to make')
    .option('--force', 'replace a file of this name')
    .addHelpText(
      'after',
      '\nThe service may go on meanwhile. With secrets, which stay sealed, a restore needs the same master key.',
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
