import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Beckon, Environment, Log, Org, Project, ProjectScope, Scope } from '@beckon/core';
import type { Metrics } from '@beckon/http';
import type { CommonFlags, Context, ScopeFlags } from './command-line.ts';
import { type Config, loadConfig, shownDb, sqliteFile } from './config.ts';
import { CliError, codeOf, EXIT, failureOf, usageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { whileWaiting } from './progress.ts';
import { isReadableByOthers } from './sources.ts';

/** Milliseconds between looks for due work. SQLite is looked at for next to nothing, PostgreSQL also wakes us. */
export const pollMs = (db: string): number => (db.startsWith('sqlite:') ? 200 : 1_000);

/** Closes the data folder to everybody but its owner. One that is not ours stays as it is: core refuses what is unsafe. */
const tightenDataDir = ({ db, dataDir, isPathTrusted }: Config, { cwd, stderr }: Pick<Io, 'cwd' | 'stderr'>): void => {
  const file = sqliteFile(db);
  // A folder that holds other things too, such as the working directory, is not ours to close.
  if (isPathTrusted || file === null || dirname(file) !== dataDir || dataDir === cwd) return;
  if (!isReadableByOthers(dataDir)) return;
  try {
    chmodSync(dataDir, 0o700);
    stderr.write(`The data folder ${dataDir} was open to others; it is closed to them now.\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EROFS'))) throw error;
  }
};

/** Refuses to go on where a SQLite file would be made by looking at it. */
export const requireDatabase = (config: Config, io: Pick<Io, 'cwd' | 'stderr'>): void => {
  const { cwd } = io;
  const file = sqliteFile(config.db);
  if (file === null) return;
  if (existsSync(file)) {
    tightenDataDir(config, io);
    return;
  }
  throw new CliError(EXIT.negative, `There is no database at ${shownDb(config.db, cwd)}.`, {
    code: 'NOT_FOUND',
    hint: 'Make one with "beckon init", try it out with "beckon serve --dev", or name yours with --db or --data-dir.',
  });
};

/** Makes the folder of a SQLite file, and nobody but its owner may look into it. */
export const makeDataDir = (config: Config, io: Pick<Io, 'cwd' | 'stderr'>): void => {
  const file = sqliteFile(config.db);
  if (file === null) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  tightenDataDir(config, io);
};

/** The master key, checked. Throws CliError usage when it is missing or not one. */
export const requireMasterKey = async ({ services }: Pick<Context, 'services'>, config: Config): Promise<string> => {
  if (config.masterKey === undefined) {
    throw usageError(
      'There is no master key: BECKON_MASTER_KEY and BECKON_MASTER_KEY_FILE are not set.',
      'Make a deployment with "beckon init", or try it out with "beckon serve --dev".',
    );
  }
  try {
    await services.checkMasterKey(config.masterKey);
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`BECKON_MASTER_KEY is not usable: ${error.message}`);
    throw error;
  }
  return config.masterKey;
};

/** Error codes of a failed or lost connection, with their text. */
const NO_CONNECTION: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection closed'],
  ['ETIMEDOUT', 'connection timed out'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENETUNREACH', 'network unreachable'],
  ['ENOTFOUND', 'unknown host'],
  ['EAI_AGAIN', 'the host name cannot be resolved now'],
  ['ENOENT', 'no such socket'],
  ['08006', 'no answer, or the connection was lost'],
  ['57P03', 'the server is starting or stopping'],
  ['53300', 'too many connections'],
]);
const POSTGRES_PORT = '5432';

/** Host and port of a PostgreSQL URL, never user or password. Throws nothing. */
const hostOf = (db: string): string => {
  // A URL with a user has a host; of a socket PostgreSQL leaves it out.
  const url = URL.parse(db) ?? URL.parse(db.replace('@/', '@localhost/'));
  const host = url?.searchParams.get('host') ?? (url?.hostname.replaceAll(/%2f/gi, '/') || 'localhost');
  // A folder holds a socket, whose name says the port.
  if (host.startsWith('/')) return host;
  return `${host}:${url?.searchParams.get('port') ?? (url?.port || POSTGRES_PORT)}`;
};

/** The CliError of a PostgreSQL that is out of reach; null: the error is another one. */
const noConnection = (config: Config, error: unknown): CliError | null => {
  if (!/^postgres(ql)?:/.test(config.db) || error instanceof CliError) return null;
  const why = NO_CONNECTION.get(codeOf(error) ?? '');
  if (why === undefined) return null;
  return new CliError(EXIT.unavailable, `Cannot connect to PostgreSQL at ${hostOf(config.db)} (${why}).`, {
    hint: 'Check that the server runs, and --db, or the db of the configuration.',
    cause: error,
  });
};

/** Names the database in an error about one that cannot be reached or read. Other errors pass as they are. */
export const reaching = async <T>(config: Config, cwd: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const unreached = noConnection(config, error);
    if (unreached !== null) throw unreached;
    const { exitCode, code, message, hint = 'Check --db, or the db of the configuration.' } = failureOf(error);
    if (error instanceof CliError || (code !== 'UNAVAILABLE' && code !== 'FAILED')) throw error;
    const text = `The database ${shownDb(config.db, cwd)} cannot be used: ${message}.`;
    throw new CliError(exitCode, text, { code, hint, cause: error });
  }
};

/** Opens the service on what the configuration names. The caller closes it. */
export const openBeckon = async (
  { io, services }: Pick<Context, 'io' | 'services'>,
  config: Config,
  migrate: Config['migrate'],
  log?: Log,
  metrics: Pick<Metrics, 'meter'> | null = null,
): Promise<Beckon> => {
  const masterKey = await requireMasterKey({ services }, config);
  const { db, durability, isPathTrusted, preparedNames } = config;
  // Logs may be read by a program: what goes on is said to a person alone.
  return whileWaiting(io, { quiet: !io.stderr.isTTY }, 'opening the database', () =>
    reaching(config, io.cwd, () =>
      services.open({
        db,
        masterKey,
        migrate: migrate === 'auto' ? 'auto' : 'check',
        durability,
        trustPath: isPathTrusted,
        preparedNames,
        pollMs: pollMs(db),
        log,
        limits: config.limits,
        plans: config.plans,
        ...config.delivery,
        meter: metrics?.meter,
      }),
    ),
  );
};

/** Runs `work` on the database that the flags and the configuration name, and closes it whatever happens. */
export const withBeckon = async <T>(
  context: Context,
  flags: CommonFlags,
  work: (beckon: Beckon, config: Config) => Promise<T>,
): Promise<T> => {
  const config = loadConfig(context.io, flags);
  requireDatabase(config, context.io);
  const beckon = await openBeckon(context, config, 'check');
  const place = shownDb(config.db, context.io.cwd);
  context.place = place;
  try {
    return await work(beckon, config);
  } catch (error) {
    // By name, as core does not have to be loaded for it. Other networks fail with the same codes.
    const unreached = error instanceof Error && error.name === 'StorageError' ? noConnection(config, error) : null;
    if (unreached !== null) throw unreached;
    if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    const { exitCode, message, code, details, hint } = error;
    throw new CliError(exitCode, message, {
      code,
      details,
      // The command that a hint names stays at its end.
      hint: [`Looked into ${place}.`, hint].join(' ').trim(),
      cause: error,
    });
  } finally {
    await beckon.close();
  }
};

// `init` makes the first and no other.
const HOW_TO_BEGIN = 'Make one with "beckon init".';

/**
 * The one that an id or a name means. Throws CliError: not found (1), several or none given for several (2).
 *
 * @param howToMake what is said where there is none at all
 */
const pick = <Item extends Org | Project>(
  what: string,
  items: readonly Item[],
  asked: string | undefined,
  howToMake: string,
): Item => {
  const found = asked === undefined ? items : items.filter(({ id, name }) => id === asked || name === asked);
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (first) {
    const list = found.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
    throw usageError(
      asked === undefined
        ? `There are several ${what}s; say which with --${what}:\n${list}`
        : `Several ${what}s are called ${asked}. Use an id:\n${list}`,
    );
  }
  const message = asked === undefined ? `There is no ${what} yet.` : `There is no ${what} ${asked}.`;
  const hint = items.length === 0 ? howToMake : `There is: ${items.map(({ name }) => name).join(', ')}.`;
  throw new CliError(EXIT.negative, message, { code: 'NOT_FOUND', hint });
};

/** The org that an id or a name means, or the only one there is. Throws as CliError: 1 not found, 2 several. */
export const pickOrg = (orgs: readonly Org[], asked?: string): Org => pick('org', orgs, asked, HOW_TO_BEGIN);

/** The same of an org's projects. */
export const pickProject = (orgId: string, projects: readonly Project[], asked?: string): Project =>
  pick('project', projects, asked, `Make one with: beckon projects create <name> --org ${orgId}`);

const projectNames = async (beckon: Beckon, flags: ScopeFlags) => {
  const org = pickOrg(await beckon.tenancy.listOrgs(), flags.org);
  const project = pickProject(org.id, await beckon.tenancy.listProjects({ orgId: org.id }), flags.project);
  return { orgId: org.id, projectId: project.id };
};

/** The project that the flags name, or the only one there is. */
export const projectScope = async (beckon: Beckon, flags: ScopeFlags): Promise<ProjectScope> =>
  beckon.tenancy.project(await projectNames(beckon, flags));

/** An environment of the project that the flags name, or of the only one there is. */
export const environmentScope = async (beckon: Beckon, flags: ScopeFlags, environment: Environment): Promise<Scope> =>
  beckon.tenancy.scope({ ...(await projectNames(beckon, flags)), environment });

/**
 * The environment that the flags name, or the default of the configuration. Throws CliError usage.
 *
 * @param isSending the command sends messages to people: a default never means `prod`
 */
export const requireEnvironment = (
  flags: ScopeFlags,
  { env }: Pick<Config, 'env'>,
  isSending = false,
): 'prod' | 'test' => {
  if (flags.env !== undefined) return flags.env;
  if (env === undefined)
    throw usageError(
      'Name the environment: --env prod or --env test.',
      'Set a default with BECKON_ENV, or with env in beckon.config.json.',
    );
  if (env === 'prod' && isSending)
    throw usageError('This command sends to people in prod. Confirm it with --env prod.', 'Try it with --env test.');
  return env;
};
