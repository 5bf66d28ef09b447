import type { BounceTaken } from '@beckon/core';
import { act, type CommonFlags, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { CliError, EXIT, failureOf } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { createOutput } from '../output.ts';
import { described } from '../table/noun.ts';

/** Maximum bytes of a report. Chosen: room for a report that returns a whole email with attachments. */
const MAX_BYTES = 32 * 1_048_576;

const REPORTED: Readonly<Record<Exclude<BounceTaken['reported'], null>, string>> = {
  bounced: 'Marked the message as bounced and suppressed its address',
  failed: 'Marked the message as failed; its address is not suppressed',
  partial: 'Stored the code; the status of the message and its address are unchanged',
  complained: 'Marked the message as complained and suppressed its address',
};

const resultText = ({ result, reported }: BounceTaken): string => {
  if (result === 'unknown')
    return `No message of this deployment matches the report${reported === null ? '' : ` (${reported})`}`;
  if (result === 'ignored' || reported === null)
    return reported === null
      ? 'Nothing changed: the email reports no failure and no complaint'
      : `Nothing changed (${reported})`;
  return REPORTED[reported];
};

/**
 * Turns failures into exit code 75, so that the mail server delivers the report again. Postfix and Exim discard it for
 * other codes.
 */
const deliverAgain = (error: unknown): never => {
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
    .option('--recipient <address>', 'Recipient of the report (default: from its headers)')
    .addHelpText(
      'after',
      `
An address is suppressed only if the report says that it does not exist or
accepts no email. Other failures only mark the message as failed.

Postfix, in master.cf:
  bounces unix - n n - - pipe user=beckon
    argv=beckon bounce-ingest -q --recipient $\{recipient}

Exit codes: 0 read, also if no message matches; 75 deliver it again later`,
    )
    .action(
      act<Flags>(context, async (flags) => {
        const { io } = context;
        const tooLarge = (): CliError =>
          new CliError(EXIT.invalid, `The email on stdin exceeds ${MAX_BYTES} bytes, so it is not a bounce.`);
        const mail = await readInput(io, '-', MAX_BYTES, tooLarge);
        const { withBeckon } = await import('../session.ts');
        const ingesting = withBeckon(context, flags, async ({ bounces }) => {
          const ingested = await bounces.ingest(mail, { recipient: flags.recipient });
          if (ingested.result === 'early')
            throw new CliError(EXIT.mailAgain, 'The message of the report is still being sent.', {
              hint: 'Deliver the report again in a minute.',
            });
          const about = ingested.messageId === null ? '' : `: ${ingested.messageId}`;
          createOutput(io, flags).answer(ingested, [`${resultText(ingested)}${about}.`]);
          return undefined;
        });
        return ingesting.catch(deliverAgain);
      }),
    );
};
