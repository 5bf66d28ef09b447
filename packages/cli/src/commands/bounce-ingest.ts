import type { BounceTaken } from '@beckon/core';
import { act, type CommonFlags, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { createOutput } from '../output.ts';

/** Octets of a mail; ours: one that returns a whole mail with its files. */
const MAX_BYTES = 32 * 1_048_576;

const SAID: Readonly<Record<BounceTaken['result'], string>> = {
  applied: 'The message was marked',
  ignored: 'Nothing changed',
  unknown: 'It is about no message of this service',
  early: 'Its message is still being handed over',
};

type Flags = CommonFlags & { readonly recipient?: string };

/** `beckon bounce-ingest`: reads one mail from stdin, as a mail server pipes it. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(
      program
        .command('bounce-ingest')
        .description('take one bounce or complaint that came by mail, from stdin; for the pipe of a mail server'),
    ),
  )
    .option('--recipient <address>', 'the address that it came to; without it, what the servers on its way noted')
    .addHelpText(
      'after',
      '\nAn address is listed only if the report says that it does not exist or takes no mail. For other failures the ' +
        'message is marked as failed and the address is kept.\n' +
        'Postfix, in master.cf: beckon unix - n n - - pipe user=beckon argv=beckon bounce-ingest -q --recipient $' +
        '{recipient}\n' +
        'It exits 0 for whatever was read, also for mails about nobody, and 10 where the mail is to come again.',
    )
    .action(
      act<Flags>(context, async (flags) => {
        const { io } = context;
        const tooLarge = (): CliError =>
          new CliError(EXIT.invalid, `A mail of more than ${MAX_BYTES} bytes is no bounce.`);
        const mail = await readInput(io, '-', MAX_BYTES, tooLarge);
        const { withBeckon } = await import('../session.ts');
        return withBeckon(context, flags, async ({ bounces }) => {
          const taken = await bounces.ingest(mail, { recipient: flags.recipient });
          if (taken.result === 'early')
            throw new CliError(EXIT.unavailable, `${SAID.early}.`, { hint: 'Bring the mail again in a minute.' });
          const about = taken.messageId === null ? '' : `: ${taken.messageId}`;
          createOutput(io, flags).answer(taken, [
            `${SAID[taken.result]}${taken.reported === null ? '' : ` (${taken.reported})`}${about}.`,
          ]);
          return undefined;
        });
      }),
    );
};
