import { resolve } from 'node:path';
import type { Backup } from '@beckon/core';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { described } from '../table/noun.ts';

const lines = (place: string, { createdAt, program, leftOut }: Backup): string[] => [
  `${place} is as of ${createdAt.toISOString()}, written by Beckon ${program}.`,
  ...(leftOut.length === 0 ? [] : ['It came without secrets. Set again:']),
  ...leftOut.map(({ what, rows }) => `  ${rows}  ${what}`),
  'What waited to be sent then is sent once a worker starts: look first, with "beckon serve --no-worker".',
];

/** `beckon restore`: a backup in the place of the database, all of it or nothing. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(described(program.command('restore'), 'Restore the database from a backup', 'beckon.backup')),
  )
    .argument('<file>', 'File that "beckon backup" wrote')
    .option('--force', 'Replace what the database holds')
    .addHelpText('after', '\nStop every server and worker first. All is restored, or nothing is changed.')
    .action(
      act<{ readonly force?: boolean }>(context, async (flags, [file = '']) => {
        const { io, services } = context;
        const { loadConfig, shownDb } = await import('../config.ts');
        const { makeDataDir, reaching, requireMasterKey } = await import('../session.ts');
        const config = loadConfig(io, flags);
        const masterKey = await requireMasterKey(context, config);
        makeDataDir(config, io);
        const { db, isPathTrusted: trustPath } = config;
        const restored = await reaching(config, io.cwd, () =>
          whileWaiting(io, flags, 'restoring the backup', () =>
            services.restore({ db, file: resolve(io.cwd, file), masterKey, trustPath, isForced: flags.force }),
          ),
        );
        createOutput(io, flags).answer(restored, lines(shownDb(db, io.cwd), restored));
        return undefined;
      }),
    );
};
