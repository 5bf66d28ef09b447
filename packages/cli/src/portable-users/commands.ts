// `beckon users import` and `beckon users export`.

import { resolve } from 'node:path';
import { Option } from 'commander';
import { CliError, EXIT } from '../exit-codes.ts';
import { readSecretBytes } from '../input.ts';
import { isObject } from '../is-object.ts';
import { createOutput } from '../output.ts';
import { inApi } from '../scoped.ts';
import { customLocal } from '../table/custom.ts';
import type { Verb } from '../table/noun.ts';
import { SYSTEMS, type System } from './systems.ts';

type ImportFlags = {
  readonly from: System;
  readonly onConflict?: 'skip' | 'update' | 'fail';
  readonly overwritePassword?: boolean;
  readonly emitEvents?: boolean;
  readonly hashConfig?: string;
  readonly errors?: string;
  readonly resume?: boolean;
  readonly cursor?: string;
  readonly encoding?: string;
};

const hashConfigOf = (bytes: Uint8Array, shown: string): object => {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw new CliError(EXIT.invalid, `${shown} is not a JSON object.`, {
    hint: 'It must look like {"signerKey":"...","saltSeparator":"Bw==","rounds":8,"memoryCost":14}.',
  });
};

/** Imports the users of a file. */
export const importUsers: Verb = {
  about: 'Import users with their password hashes from a file',
  examples: [
    'auth0.json --from auth0 --env test',
    'users.json --from firebase --hash-config hash.json --errors rejected.csv --env prod',
    'users.ndjson --from ndjson --resume --env prod',
  ],
  exits: '0 all imported or skipped, 7 some records rejected',
  help: '\nUsers that exist are skipped. After an interruption, run the same command with --resume. The guide "Import user accounts" describes each system: beckon docs',
  args: [['<file>', 'File with the users, - for stdin']],
  options: [
    new Option('--from <system>', 'System that wrote the file').choices(SYSTEMS).makeOptionMandatory(),
    new Option('--on-conflict <action>', 'Users that exist').choices(['skip', 'update', 'fail']).default('skip'),
    new Option('--overwrite-password', 'With update: replace the passwords of users that exist'),
    new Option('--emit-events', 'Raise user.signed_up for new users'),
    new Option('--hash-config <file>', 'JSON file with the hash parameters of Firebase, - for stdin'),
    new Option('--errors <file>', 'Write rejected records with line and reason to a CSV file'),
    new Option('--resume', 'Go on where an interrupted import stopped'),
    new Option('--cursor <file>', 'File that notes the progress (default: FILE.cursor)'),
    new Option('--encoding <name>', 'Encoding, such as windows-1252 (default: UTF-8 or UTF-16)'),
  ],
  isRemote: true,
  run: async (context, common, [path = '']) => {
    const { openRecords } = await import('./records.ts');
    const { openCursor } = await import('./cursor.ts');
    const { exitOf, importFile } = await import('./import-file.ts');
    const { io } = context;
    // Proof of the cast: the options above.
    const flags = common as typeof common & ImportFlags;
    const { from, onConflict = 'skip', hashConfig, errors, resume: isResumed = false } = flags;
    const config =
      hashConfig === undefined ? undefined : hashConfigOf(await readSecretBytes(io, hashConfig), hashConfig);
    await using records = await openRecords(io, path, from, flags.encoding);
    const cursorPath = path === '-' ? null : resolve(io.cwd, flags.cursor ?? `${path}.cursor`);
    const cursor = openCursor(cursorPath, records, { system: from, isResumed });
    const options = {
      onConflict,
      overwritePassword: flags.overwritePassword === true,
      emitEvents: flags.emitEvents === true,
    };
    const output = createOutput(io, flags);
    // Awaited here, or the file would be closed before it is read.
    return await inApi(context, flags, {}, async (api) => {
      const imported = await importFile(io, output, records, { errors, cursor, isResumed }, (users) =>
        api.call('POST /auth-service/users/bulk-import', {
          // Safe: core checks the file of --hash-config.
          body: { users, options, ...(config && { hashConfig: config as never }) },
        }),
      ).catch((error: unknown) => {
        if (cursorPath !== null) output.note('The import stopped. Run the same command with --resume to go on.');
        throw error;
      });
      const { rejected, records: total, ...counts } = imported;
      output.answer({ total, ...counts, rejected }, [
        `Imported ${counts.imported} of ${total} users; updated ${counts.updated}, skipped ${counts.skipped}, rejected ${counts.failed}.`,
        ...(errors !== undefined && counts.failed > 0 ? [`Rejected records: ${errors}`] : []),
      ]);
      return exitOf(imported);
    });
  },
};

/** Writes all users to a file. */
export const exportUsers = customLocal<{ readonly force?: boolean }>({
  about: 'Write all users with hashes and other secrets to a file',
  examples: ['users.ndjson --env test'],
  help: '\nReads the database; the HTTP API never returns these secrets. Guests are left out. Import the file with "beckon users import FILE --from ndjson". Keep it as safe as a backup, and delete it afterwards.',
  args: [['<file>', 'New file; only its owner can read it']],
  options: [new Option('--force', 'Replace an existing file')],
  work: async (beckon, { flags, config, context: { io }, output, args: [path = ''] }) => {
    const { environmentScope, requireEnvironment } = await import('../session.ts');
    const { exportFile } = await import('./export-file.ts');
    const scope = await environmentScope(beckon, flags, requireEnvironment(flags, config));
    const count = await exportFile(io, path, flags.force === true, (query) => beckon.users.export(scope, query));
    output.answer({ users: count, file: path }, [`Exported ${count} ${count === 1 ? 'user' : 'users'} to ${path}.`]);
    return undefined;
  },
});
