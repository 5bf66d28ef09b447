import { type Command, Option } from 'commander';
import type { ConfigFlags } from './config.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import type { Form, OutputFlags } from './output.ts';
import type { Services } from './services.ts';

/** What every command is given, and where it leaves its answer. */
export type Context = {
  readonly io: Io;
  readonly services: Services;
  /** The version of this program. */
  readonly version: string;
  exitCode: ExitCode;
  /** What a failure without a code of its own exits with: 1, or 70 in commands where 1 is an answer. */
  failureCode: ExitCode;
  /** The database that was looked into, as it may be shown; null until one is. */
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

/** Flags that every command takes, before or after its name. */
export type CommonFlags = ConfigFlags & ScopeFlags & OutputFlags & RemoteFlags;

const INHERITED = new WeakSet<Option>();

/** True for an option that many commands take: `--help` of one of them names it in one line. Throws nothing. */
export const isInherited = (option: Option): boolean => INHERITED.has(option);

const inherited = (...options: Option[]): Option[] => {
  for (const option of options) INHERITED.add(option);
  return options;
};

const adding = (command: Command, options: readonly Option[]): Command => {
  for (const option of inherited(...options)) command.addOption(option);
  return command;
};

/** `--json`, `-o`, `-q` and `--no-color`; the first two only where the answer has several forms. */
export const outputOptions = (command: Command, forms: readonly Form[] = ['table', 'json', 'yaml']): Command =>
  adding(command, [
    ...(forms.length === 0
      ? []
      : [
          new Option('-o, --output <form>', 'Form of the answer').choices(forms),
          new Option('--json', 'Same as -o json: one envelope {success, data, error}'),
        ]),
    new Option('-q, --quiet', 'Print results only'),
    new Option('--no-color', 'No colour; same as NO_COLOR=1'),
  ]);

/** Where the database is. */
export const databaseOptions = (command: Command): Command =>
  adding(command, [
    new Option('-c, --config <file>', 'Configuration file (default: beckon.config.json)'),
    new Option('-d, --data-dir <dir>', 'Folder of the SQLite file'),
    new Option('--db <url>', 'sqlite:PATH or postgres://USER@HOST/DATABASE'),
  ]);

/** For commands that a running service can be asked for. */
export const remoteOptions = (command: Command): Command =>
  adding(command, [
    new Option('--url <url>', 'Use a running server instead of the database').conflicts(['db', 'dataDir']),
    new Option('--api-key-file <file>', 'With --url: holds a secret key; - is stdin (default: $BECKON_API_KEY)'),
  ]);

/** `--env`. */
export const environmentOption = (usual = 'BECKON_ENV'): Option =>
  new Option('--env <name>', `Environment (default: ${usual})`).choices(['prod', 'test']);

/** `--org`, of commands about a whole organization. */
export const orgOption = (): Option => new Option('--org <id>', 'Organization id or name (default: the only one)');

/** Whose rows. */
export const scopeOptions = (command: Command): Command =>
  adding(command, [orgOption(), new Option('--project <id>', 'Project id or name (default: the only one)')]);

/** Flags of a command, of the groups it stands in and of the program; the nearest to the command counts. */
export const flagsOf = <Flags extends object>(command: Command): CommonFlags & Flags => {
  const chain: Command[] = [];
  for (let current: Command | null = command; current; current = current.parent) chain.unshift(current);
  // Proof of the cast: Flags spells what the options of this very command say; its tests run each of them.
  return Object.assign({}, ...chain.map((one) => one.opts())) as CommonFlags & Flags;
};

/** An action for commander: runs `work`, and keeps its exit code (nothing means 0). */
export const act =
  <Flags extends object>(
    context: Context,
    work: (flags: CommonFlags & Flags, args: readonly string[]) => Promise<ExitCode | undefined>,
  ) =>
  async (...received: unknown[]): Promise<void> => {
    // Proof of the cast: commander passes the command itself last, always.
    const command = received.at(-1) as Command;
    context.exitCode = (await work(flagsOf<Flags>(command), command.args)) ?? EXIT.ok;
  };
