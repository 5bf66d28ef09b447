import { CommanderError } from 'commander';
import { paintOf } from './colour.ts';
import type { Context } from './command-line.ts';
import { EXIT, type Failure, failureOf } from './exit-codes.ts';
import type { Io } from './io.ts';
import { failureEnvelope } from './output.ts';
import { buildProgram } from './program.ts';
import { services as realServices, type Services } from './services.ts';
import { cleanLines } from './text.ts';
import { programVersion } from './version.ts';

// Read before parsing, because parsing may fail.
const flagsIn = (argv: readonly string[]): readonly string[] =>
  argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;

const wantsJson = (argv: readonly string[]): boolean =>
  flagsIn(argv).some(
    (flag, index, flags) =>
      flag === '--json' ||
      flag === '-ojson' ||
      flag === '--output=json' ||
      (flag === 'json' && (flags[index - 1] === '-o' || flags[index - 1] === '--output')),
  );

/** The process for commands: `--no-color` sets `NO_COLOR`. */
const withColour = (argv: readonly string[], io: Io): Io =>
  flagsIn(argv).includes('--no-color') ? { ...io, env: { ...io.env, NO_COLOR: '1' } } : io;

/** Colours the first word of an error. */
const errorText = (text: string, io: Io): string =>
  cleanLines(text).replace(/^(?:beckon|error):/, (word) => paintOf(io, 'stderr')(word, 'bad'));

/** The wrong fields, but for the one that the message names. */
const fieldLines = (message: string, details: unknown): string[] => {
  if (typeof details !== 'object' || details === null || !('fieldErrors' in details)) return [];
  const { fieldErrors } = details;
  if (typeof fieldErrors !== 'object' || fieldErrors === null) return [];
  return Object.entries(fieldErrors).flatMap(([field, messages]) =>
    (Array.isArray(messages) ? messages : [messages])
      .filter((text) => !message.includes(`\`${field}\`: ${text}`))
      .map((text) => `  ${field}: ${text}`),
  );
};

const failureText = ({ message, details, hint, stack }: Failure): string =>
  [
    `beckon: ${message}`,
    ...fieldLines(message, details),
    ...(hint === undefined ? [] : [hint]),
    ...(stack ? [stack] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');

const usageFailure = (error: CommanderError): Failure => ({
  exitCode: EXIT.usage,
  code: 'USAGE',
  message:
    error.code === 'commander.help' ? 'Missing command. Run beckon --help.' : error.message.replace(/^error: /, ''),
});

/**
 * Runs one command line and returns the exit code. Throws nothing: failures are printed as text on stderr or, with
 * `--json`, as one envelope on stdout.
 *
 * @param argv the arguments after the program's name
 */
export const run = async (argv: readonly string[], process: Io, services: Services = realServices): Promise<number> => {
  const io = withColour(argv, process);
  const isJson = wantsJson(argv);
  const version = programVersion();
  const context: Context = { io, services, version, exitCode: EXIT.ok, failureCode: EXIT.negative, place: null };
  try {
    const program = buildProgram(context, (text) => {
      if (!isJson) io.stderr.write(errorText(text, io));
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
    if (!isJson && !isUsage) io.stderr.write(errorText(failureText(failure), io));
    return failure.exitCode === EXIT.negative ? context.failureCode : failure.exitCode;
  }
};
