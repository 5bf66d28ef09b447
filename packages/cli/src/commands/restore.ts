import { resolve } from 'node:path';
import type { Backup } from '@beckon/core';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { described } from '../table/noun.ts';

const lines = (place: string, { createdAt, program, leftOut }: Backup): string[] => [
  `Restored ${place} as of ${createdAt.toISOString()}, written by Beckon ${program}.`,
  ...(leftOut.length === 0 ? [] : ['The backup contains no secrets. Set these again:']),
  ...leftOut.map(({ what, rows }) => `  ${rows}  ${what}`),
  'A worker sends all messages that were queued then. To check them first, run "beckon serve --no-worker".',
];

/** `beckon restore`: replaces the database by a backup, in one transaction. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(described(program.command('restore'), 'Restore the database from a backup', 'beckon.backup')),
  )
    .argument('<file>', 'File written by "beckon backup"')
    .option('--force', 'Replace a database that is not empty')
    .addHelpText('after', '\nStop all servers and workers first. A failed restore changes nothing.')
    .action(
      act<{ readonly force?: boolean }>(context, async (flags, [file = '']) => {
        const { io, services } = context;
        const { loadConfig, shownDb } = await import('../config.ts');
        const { makeDataDir, withDatabaseInErrors, requireMasterKey } = await import('../session.ts');
        const config = loadConfig(io, flags);
        const masterKey = await requireMasterKey(context, config);
        makeDataDir(config, io);
        const { db, isPathTrusted: trustPath } = config;
        const restored = await withDatabaseInErrors(config, io.cwd, () =>
          whileWaiting(io, flags, 'Restoring the backup', () =>
            services.restore({ db, file: resolve(io.cwd, file), masterKey, trustPath, isForced: flags.force }),
          ),
        );
        createOutput(io, flags).answer(restored, lines(shownDb(db, io.cwd), restored));
        return undefined;
      }),
    );
};
