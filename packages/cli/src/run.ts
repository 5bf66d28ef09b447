import { CommanderError } from 'commander';
import type { Context } from './command-line.ts';
import { EXIT, type Failure, failureOf } from './exit-codes.ts';
import type { Io } from './io.ts';
import { failureEnvelope } from './output.ts';
import { buildProgram } from './program.ts';
import { services as realServices, type Services } from './services.ts';
import { cleanLines } from './text.ts';
import { programVersion } from './version.ts';

// Looked at before parsing, because the very parse may be what fails.
const wantsJson = (argv: readonly string[]): boolean => {
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return flags.some(
    (flag, index) =>
      flag === '--json' ||
      flag === '-ojson' ||
      flag === '--output=json' ||
      (flag === 'json' && (flags[index - 1] === '-o' || flags[index - 1] === '--output')),
  );
};

const fieldLines = (details: unknown): string[] => {
  if (typeof details !== 'object' || details === null || !('fieldErrors' in details)) return [];
  const { fieldErrors } = details;
  if (typeof fieldErrors !== 'object' || fieldErrors === null) return [];
  return Object.entries(fieldErrors).flatMap(([field, messages]) =>
    (Array.isArray(messages) ? messages : [messages]).map((message) => `  ${field}: ${message}`),
  );
};

const failureText = ({ message, details, hint, stack }: Failure): string =>
  cleanLines(
    [`beckon: ${message}`, ...fieldLines(details), ...(hint === undefined ? [] : [hint]), ...(stack ? [stack] : [])]
      .map((line) => `${line}\n`)
      .join(''),
  );

const usageFailure = (error: CommanderError): Failure => ({
  exitCode: EXIT.usage,
  code: 'USAGE',
  message: error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, ''),
});

/**
 * Runs one command line and answers the exit code. Throws nothing: every failure is written for its reader, as a
 * sentence on stderr or, with `--json`, as the one envelope on stdout.
 *
 * @param argv the arguments after the program's name
 */
export const run = async (argv: readonly string[], io: Io, services: Services = realServices): Promise<number> => {
  const isJson = wantsJson(argv);
  const version = programVersion();
  const context: Context = { io, services, version, exitCode: EXIT.ok, failureCode: EXIT.negative, place: null };
  try {
    const program = buildProgram(context, (text) => {
      if (!isJson) io.stderr.write(cleanLines(text));
    });
    await program.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    const isUsage = error instanceof CommanderError;
    if (isUsage && error.exitCode === 0) return EXIT.ok;
    const failure = isUsage ? usageFailure(error) : failureOf(error);
    if (isJson) {
      io.stdout.write(failureEnvelope(failure));
      if (failure.stack) io.stderr.write(cleanLines(`${failure.stack}\n`));
    }
    if (!isJson && !isUsage) io.stderr.write(failureText(failure));
    return failure.exitCode === EXIT.negative ? context.failureCode : failure.exitCode;
  }
};
