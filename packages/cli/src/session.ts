import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Beckon, Environment, Log, Org, Project, ProjectScope, Scope } from '@beckon/core';
import type { Metrics } from '@beckon/http';
import type { CommonFlags, Context, ScopeFlags } from './command-line.ts';
import { type Config, loadConfig, shownDb, sqliteFile } from './config.ts';
import { CliError, codeOf, EXIT, failureOf, usageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { allRows } from './listing.ts';
import { whileWaiting } from './progress.ts';
import { isReadableByOthers } from './sources.ts';

/** Polling interval for due work. Polling SQLite is cheap; PostgreSQL also notifies. */
export const pollMs = (db: string): number => (db.startsWith('sqlite:') ? 200 : 1_000);

/** Restricts the data folder to its owner. Another user's folder stays unchanged; core rejects unsafe ones. */
const tightenDataDir = ({ db, dataDir, isPathTrusted }: Config, { cwd, stderr }: Pick<Io, 'cwd' | 'stderr'>): void => {
  const file = sqliteFile(db);
  // Not a folder with other files, such as the working directory.
  if (isPathTrusted || file === null || dirname(file) !== dataDir || dataDir === cwd) return;
  if (!isReadableByOthers(dataDir)) return;
  try {
    chmodSync(dataDir, 0o700);
    stderr.write(`Restricted the data folder ${dataDir} to its owner; it was open to others.\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EROFS'))) throw error;
  }
};

/** Throws if the SQLite file does not exist, because opening it would create it. */
export const requireDatabase = (config: Config, io: Pick<Io, 'cwd' | 'stderr'>): void => {
  const { cwd } = io;
  const file = sqliteFile(config.db);
  if (file === null) return;
  if (existsSync(file)) {
    tightenDataDir(config, io);
    return;
  }
  throw new CliError(EXIT.negative, `No database at ${shownDb(config.db, cwd)}.`, {
    code: 'NOT_FOUND',
    hint: 'Create one with "beckon init" or "beckon serve --dev", or pass yours with --db or --data-dir.',
  });
};

/** Creates the folder of a SQLite file, private to its owner. */
export const makeDataDir = (config: Config, io: Pick<Io, 'cwd' | 'stderr'>): void => {
  const file = sqliteFile(config.db);
  if (file === null) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  tightenDataDir(config, io);
};

/** The validated master key. Throws CliError usage if it is missing or invalid. */
export const requireMasterKey = async ({ services }: Pick<Context, 'services'>, config: Config): Promise<string> => {
  if (config.masterKey === undefined) {
    throw usageError(
      'Missing master key: set BECKON_MASTER_KEY or BECKON_MASTER_KEY_FILE.',
      'Set up a new deployment with "beckon init", or try Beckon with "beckon serve --dev".',
    );
  }
  try {
    await services.checkMasterKey(config.masterKey);
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`Invalid BECKON_MASTER_KEY: ${error.message}`);
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
  ['EAI_AGAIN', 'the host name could not be resolved'],
  ['ENOENT', 'no such socket'],
  ['08006', 'no response, or the connection was lost'],
  ['57P03', 'the server is starting or stopping'],
  ['53300', 'too many connections'],
]);
const POSTGRES_PORT = '5432';

/** Host and port of a PostgreSQL URL, never user or password. Throws nothing. */
const hostOf = (db: string): string => {
  // PostgreSQL allows a URL with a user but without a host for a socket; URL.parse does not.
  const url = URL.parse(db) ?? URL.parse(db.replace('@/', '@localhost/'));
  const host = url?.searchParams.get('host') ?? (url?.hostname.replaceAll(/%2f/gi, '/') || 'localhost');
  // A path is the folder of a socket.
  if (host.startsWith('/')) return host;
  return `${host}:${url?.searchParams.get('port') ?? (url?.port || POSTGRES_PORT)}`;
};

/** The CliError for an unreachable PostgreSQL; null: it is another error. */
const connectionErrorOf = (config: Config, error: unknown): CliError | null => {
  if (!/^postgres(ql)?:/.test(config.db) || error instanceof CliError) return null;
  const why = NO_CONNECTION.get(codeOf(error) ?? '');
  if (why === undefined) return null;
  return new CliError(EXIT.unavailable, `Cannot connect to PostgreSQL at ${hostOf(config.db)} (${why}).`, {
    hint: 'Check that the server runs, and check --db or db in the configuration.',
    cause: error,
  });
};

/** Adds the database to errors about an unreachable or unreadable one. Other errors pass unchanged. */
export const withDatabaseInErrors = async <T>(config: Config, cwd: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const connectionError = connectionErrorOf(config, error);
    if (connectionError !== null) throw connectionError;
    const { exitCode, code, message, hint = 'Check --db or db in the configuration.' } = failureOf(error);
    if (error instanceof CliError || (code !== 'UNAVAILABLE' && code !== 'FAILED')) throw error;
    const text = `Cannot use the database ${shownDb(config.db, cwd)}: ${message}.`;
    throw new CliError(exitCode, text, { code, hint, cause: error });
  }
};

/** Opens Beckon with the configuration. The caller closes it. */
export const openBeckon = async (
  { io, services }: Pick<Context, 'io' | 'services'>,
  config: Config,
  migrate: Config['migrate'],
  log?: Log,
  metrics: Pick<Metrics, 'meter'> | null = null,
): Promise<Beckon> => {
  const masterKey = await requireMasterKey({ services }, config);
  const { db, durability, isPathTrusted, preparedNames } = config;
  // Progress only on a terminal, because programs may parse the log.
  return whileWaiting(io, { quiet: !io.stderr.isTTY }, 'Opening the database', () =>
    withDatabaseInErrors(config, io.cwd, () =>
      services.open({
        db,
        masterKey,
        migrate,
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

/** Runs `work` on the selected database and always closes it. */
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
    // Only StorageError, because other network calls fail with the same codes. Compared by name, to not load core.
    const connectionError =
      error instanceof Error && error.name === 'StorageError' ? connectionErrorOf(config, error) : null;
    if (connectionError !== null) throw connectionError;
    if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    const { exitCode, message, code, details, hint } = error;
    throw new CliError(exitCode, message, {
      code,
      details,
      hint: [hint?.replace(/\.?$/, '.'), `(Database: ${place})`].join(' ').trim(),
      cause: error,
    });
  } finally {
    await beckon.close();
  }
};

// `init` creates only the first organization.
const HOW_TO_BEGIN = 'Create one with "beckon init".';

/**
 * Selects an organization or a project by id or name. Throws CliError: not found (1), ambiguous (2).
 *
 * @param createHint the hint if there is none at all
 */
const pick = <Item extends Org | Project>(
  what: string,
  items: readonly Item[],
  requested: string | undefined,
  createHint: string,
): Item => {
  const noun = what === 'org' ? 'organization' : what;
  const found =
    requested === undefined ? items : items.filter(({ id, name }) => id === requested || name === requested);
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (first) {
    const list = found.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
    throw usageError(
      requested === undefined
        ? `Several ${noun}s exist. Pass --${what} with an id or name:\n${list}`
        : `Several ${noun}s have the name "${requested}". Pass an id:\n${list}`,
    );
  }
  const message = requested === undefined ? `No ${noun} exists yet.` : `No ${noun} has the id or name "${requested}".`;
  const hint = items.length === 0 ? createHint : `Existing: ${items.map(({ name }) => name).join(', ')}.`;
  throw new CliError(EXIT.negative, message, { code: 'NOT_FOUND', hint });
};

/** An organization by id or name, or the only one. Throws CliError: not found (1), ambiguous (2). */
export const pickOrg = (orgs: readonly Org[], requested?: string): Org => pick('org', orgs, requested, HOW_TO_BEGIN);

/** A project of an organization; as `pickOrg`. */
export const pickProject = (orgId: string, projects: readonly Project[], requested?: string): Project =>
  pick('project', projects, requested, `Create one: beckon projects create <name> --org ${orgId}`);

/** All projects of an organization. Throws the errors of the database. */
export const projectsOf = ({ tenancy }: Pick<Beckon, 'tenancy'>, orgId: string): Promise<readonly Project[]> =>
  allRows((query) => tenancy.listProjects({ ...query, orgId }));

const projectNames = async (beckon: Beckon, flags: ScopeFlags) => {
  const org = pickOrg(await allRows(beckon.tenancy.listOrgs), flags.org);
  const project = pickProject(org.id, await projectsOf(beckon, org.id), flags.project);
  return { orgId: org.id, projectId: project.id };
};

/** The project of the flags, or the only one. */
export const projectScope = async (beckon: Beckon, flags: ScopeFlags): Promise<ProjectScope> =>
  beckon.tenancy.project(await projectNames(beckon, flags));

/** An environment of the project of the flags, or of the only project. */
export const environmentScope = async (beckon: Beckon, flags: ScopeFlags, environment: Environment): Promise<Scope> =>
  beckon.tenancy.scope({ ...(await projectNames(beckon, flags)), environment });

/**
 * The environment of the flags, or the default of the configuration. Throws CliError usage.
 *
 * @param isSending the command sends messages, so `prod` must be explicit
 */
export const requireEnvironment = (
  flags: ScopeFlags,
  { env }: Pick<Config, 'env'>,
  isSending = false,
): 'prod' | 'test' => {
  if (flags.env !== undefined) return flags.env;
  if (env === undefined)
    throw usageError(
      'Missing environment. Pass --env prod or --env test.',
      'Set a default with BECKON_ENV or env in beckon.config.json.',
    );
  if (env === 'prod' && isSending)
    throw usageError(
      'This command sends real messages in prod. Pass --env prod to confirm.',
      'To try it, pass --env test.',
    );
  return env;
};
