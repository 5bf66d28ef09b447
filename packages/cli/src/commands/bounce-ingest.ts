import type { BounceTaken } from '@beckon/core';
import { act, type CommonFlags, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { CliError, EXIT, failureOf } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { createOutput } from '../output.ts';
import { described } from '../table/noun.ts';

/** Octets of a mail; ours: one that returns a whole mail with its files. */
const MAX_BYTES = 32 * 1_048_576;

const REPORTED: Readonly<Record<Exclude<BounceTaken['reported'], null>, string>> = {
  bounced: 'The message was marked as bounced, and its address is listed',
  failed: 'The message was marked as failed, and its address was kept',
  partial: 'The message and its address were kept, and the code was noted',
  complained: 'The message was marked as complained about, and its address is listed',
};

const saidOf = ({ result, reported }: BounceTaken): string => {
  if (result === 'unknown') return `It is about no message of this service${reported === null ? '' : ` (${reported})`}`;
  if (result === 'ignored' || reported === null)
    return reported === null
      ? 'Nothing changed: it reports no failure and no complaint'
      : `Nothing changed (${reported})`;
  return REPORTED[reported];
};

/**
 * Whatever keeps a report from being read is over some time, so the mail server has to bring it again: for any other code
 * than this one, Postfix and Exim throw it away.
 */
const kept = (error: unknown): never => {
  const { exitCode, code, message, hint } = failureOf(error);
  if (exitCode === EXIT.invalid) throw error;
  throw new CliError(EXIT.mailAgain, message, { code, cause: error, ...(hint === undefined ? {} : { hint }) });
};

type Flags = CommonFlags & { readonly recipient?: string };

/** `beckon bounce-ingest`: reads one mail from stdin, as a mail server pipes it. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(
      described(program.command('bounce-ingest'), 'Read a bounce or complaint email from stdin', '< bounce.eml'),
    ),
  )
    .option('--recipient <address>', 'Address that it came to (default: from its headers)')
    .addHelpText(
      'after',
      `
An address is listed only if the report says that it does not exist or takes no
mail. For other failures the message is marked as failed and the address kept.

Postfix, in master.cf:
  bounces unix - n n - - pipe user=beckon
    argv=beckon bounce-ingest -q --recipient $\{recipient}

Exit codes: 0 read, also for mail about nobody; 75 deliver it again later`,
    )
    .action(
      act<Flags>(context, async (flags) => {
        const { io } = context;
        const tooLarge = (): CliError =>
          new CliError(EXIT.invalid, `A mail of more than ${MAX_BYTES} bytes is no bounce.`);
        const mail = await readInput(io, '-', MAX_BYTES, tooLarge);
        const { withBeckon } = await import('../session.ts');
        const taking = withBeckon(context, flags, async ({ bounces }) => {
          const taken = await bounces.ingest(mail, { recipient: flags.recipient });
          if (taken.result === 'early')
            throw new CliError(EXIT.mailAgain, 'Its message is still being handed over.', {
              hint: 'Bring the mail again in a minute.',
            });
          const about = taken.messageId === null ? '' : `: ${taken.messageId}`;
          createOutput(io, flags).answer(taken, [`${saidOf(taken)}${about}.`]);
          return undefined;
        });
        return taking.catch(kept);
      }),
    );
};
