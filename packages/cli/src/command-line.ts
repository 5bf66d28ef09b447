import { type Command, Option } from 'commander';
import type { ConfigFlags } from './config.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import type { Form, OutputFlags } from './output.ts';
import type { Services } from './services.ts';

/** Input of every command, and its exit code. */
export type Context = {
  readonly io: Io;
  readonly services: Services;
  /** The version of this program. */
  readonly version: string;
  exitCode: ExitCode;
  /** Exit code of a failure without a specific code: 1, or 70 in commands where 1 is a result. */
  failureCode: ExitCode;
  /** The opened database or server, without secrets, for messages; null until one is opened. */
  place: string | null;
};

/** Adds its command to the program. */
export type Register = (program: Command, context: Context) => void;

/** The flags of `scopeOptions`. */
export type ScopeFlags = {
  readonly org?: string | undefined;
  readonly project?: string | undefined;
  readonly env?: 'prod' | 'test' | undefined;
};

/** The flags of `remoteOptions`. */
export type RemoteFlags = { readonly url?: string | undefined; readonly apiKeyFile?: string | undefined };

/** Flags that every command accepts, before or after its name. */
export type CommonFlags = ConfigFlags & ScopeFlags & OutputFlags & RemoteFlags;

const INHERITED = new WeakSet<Option>();

/** True for an option of many commands, which `--help` lists in one line. Throws nothing. */
export const isInherited = (option: Option): boolean => INHERITED.has(option);

const inherited = (...options: Option[]): Option[] => {
  for (const option of options) INHERITED.add(option);
  return options;
};

const adding = (command: Command, options: readonly Option[]): Command => {
  for (const option of inherited(...options)) command.addOption(option);
  return command;
};

/** `--json`, `-o`, `-q` and `--no-color`; the first two only where the output has several formats. */
export const outputOptions = (command: Command, forms: readonly Form[] = ['table', 'json', 'yaml']): Command =>
  adding(command, [
    ...(forms.length === 0
      ? []
      : [new Option('-o, --output <format>', 'Output format').choices(forms), new Option('--json', 'Same as -o json')]),
    new Option('-q, --quiet', 'Print results only'),
    new Option('--no-color', 'Turn colours off; same as NO_COLOR=1'),
  ]);

/** Options that locate the database. */
export const databaseOptions = (command: Command): Command =>
  adding(command, [
    new Option('-c, --config <file>', 'Configuration file (default: beckon.config.json)'),
    new Option('-d, --data-dir <dir>', 'Folder of the SQLite file (default: ./data)'),
    new Option('--db <url>', 'Database: sqlite:PATH or postgres://USER@HOST/DATABASE'),
  ]);

/** Options of commands that a running server can execute. */
export const remoteOptions = (command: Command): Command =>
  adding(command, [
    new Option('--url <url>', 'Use a running server instead of the database').conflicts(['db', 'dataDir']),
    new Option('--api-key-file <file>', 'Secret key for --url, - for stdin (default: $BECKON_API_KEY)'),
  ]);

/** `--env`. */
export const environmentOption = (usual = 'BECKON_ENV'): Option =>
  new Option('--env <name>', `Environment (default: ${usual})`).choices(['prod', 'test']);

/** `--org`, for commands on an organization. */
export const orgOption = (): Option => new Option('--org <id>', 'Organization id or name (default: the only one)');

/** Options that select the organization and the project. */
export const scopeOptions = (command: Command): Command =>
  adding(command, [orgOption(), new Option('--project <id>', 'Project id or name (default: the only one)')]);

/** Flags of a command, its groups and the program; the one nearest to the command wins. */
export const flagsOf = <Flags extends object>(command: Command): CommonFlags & Flags => {
  const chain: Command[] = [];
  for (let current: Command | null = command; current; current = current.parent) chain.unshift(current);
  // Proof of the cast: Flags has the options of this command; its tests run each of them.
  return Object.assign({}, ...chain.map((one) => one.opts())) as CommonFlags & Flags;
};

/** An action for commander: runs `work` and stores its exit code; undefined means 0. */
export const act =
  <Flags extends object>(
    context: Context,
    work: (flags: CommonFlags & Flags, args: readonly string[]) => Promise<ExitCode | undefined>,
  ) =>
  async (...received: unknown[]): Promise<void> => {
    // Proof of the cast: commander always passes the command last.
    const command = received.at(-1) as Command;
    context.exitCode = (await work(flagsOf<Flags>(command), command.args)) ?? EXIT.ok;
  };
