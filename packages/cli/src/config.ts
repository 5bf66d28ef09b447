import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { BeckonOptions } from '@beckon/core';
import { type DeliveryOptions, deliveryOptions } from './delivery-options.ts';
import { usageError } from './exit-codes.ts';
import { type Given, type Key, parseSettings, type Values } from './settings.ts';
import { dotEnvSources, environmentSources, fileSource, isReadableByOthers, type Source } from './sources.ts';

/** The configuration file's name, in the working directory or in the data folder. */
export const CONFIG_FILE = 'beckon.config.json';
/** Holds the master key of a folder that `serve --dev` made, mode 0600. */
export const DEV_KEY_FILE = 'master.key';
/** Folder of `serve --dev`. */
export const DEV_DATA_DIR = '.beckon';
/** Folder of everything else. */
export const DATA_DIR = 'data';
/** Source: `beckon help config`; long enough for what is in hand, shorter than what orchestrators wait (30 s). */
const SHUTDOWN_TIMEOUT_MS = 20_000;

/** Flags that set a key. Absent and undefined mean the same. */
export type ConfigFlags = {
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly db?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly trustedProxies?: string | undefined;
  readonly shutdownTimeout?: string | undefined;
  readonly migrate?: string | undefined;
  readonly worker?: boolean | undefined;
  readonly dev?: boolean | undefined;
};

/** What every source together says. Paths are absolute. */
export type Config = {
  readonly db: string;
  readonly dataDir: string;
  readonly masterKey: string | undefined;
  readonly publicUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Proxies in front whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: number;
  readonly shutdownTimeoutMs: number;
  readonly logFormat: 'json' | 'pretty';
  readonly logLevel: 'info' | 'warn' | 'error' | 'silent';
  readonly durability: 'full' | 'process';
  /** The file may be a link, and its folder open to others. */
  readonly isPathTrusted: boolean;
  readonly preparedNames: boolean;
  readonly migrate: 'auto' | 'check' | 'off';
  /** The environment of commands that are not given `--env`; undefined: nothing says it. */
  readonly env: 'prod' | 'test' | undefined;
  readonly isWorkerEnabled: boolean;
  /** Null: no figures are kept. */
  readonly metrics: { readonly host: string; readonly port: number; readonly token: string | undefined } | null;
  /** How many calls are let pass. */
  readonly limits: BeckonOptions['limits'];
  /** What orgs may do by their plans; undefined: as the service has them. */
  readonly plans: BeckonOptions['plans'];
  /** The public URL among them. */
  readonly delivery: DeliveryOptions;
  /** Made, or about to be made, by `serve --dev`: nothing in it reaches people unless asked to. */
  readonly isDev: boolean;
};

/** `find` also looks for a folder that `serve --dev` made; `fresh` is for making a new deployment. */
export type ConfigMode = 'find' | 'fresh';

const FLAGS: readonly (readonly [flag: keyof ConfigFlags, key: Key, name: string])[] = [
  ['dataDir', 'dataDir', '--data-dir'],
  ['db', 'db', '--db'],
  ['publicUrl', 'publicUrl', '--public-url'],
  ['host', 'host', '--host'],
  ['port', 'port', '--port'],
  ['trustedProxies', 'trustedProxies', '--trusted-proxies'],
  ['shutdownTimeout', 'shutdownTimeout', '--shutdown-timeout'],
  ['migrate', 'migrate', '--migrate'],
  ['worker', 'worker.enabled', '--worker'],
];

const flagSource = (flags: ConfigFlags, cwd: string): Source =>
  new Map(
    FLAGS.flatMap(([flag, key, from]) =>
      flags[flag] === undefined ? [] : [[key, { value: flags[flag], from, folder: cwd }] as const],
    ),
  );

/**
 * What `serve --dev` takes from no file and no variable, since they speak of another deployment: it is `./.beckon` with a
 * key of its own unless the very command line says otherwise.
 */
const OF_DEV: readonly Key[] = ['db', 'dataDir', 'masterKey'];

const isOwnDev = ({ dev, dataDir, db }: ConfigFlags): boolean =>
  dev === true && dataDir === undefined && db === undefined;

const withoutOfDev = (source: Source): Source => new Map([...source].filter(([key]) => !OF_DEV.includes(key)));

const firstOf = (sources: readonly Source[], key: Key): (Given & { readonly folder: string }) | undefined => {
  for (const source of sources) {
    const given = source.get(key);
    if (given) return given;
  }
  return undefined;
};

const merged = (sources: readonly Source[]): Map<Key, Given & { readonly folder: string }> => {
  const all = new Map<Key, Given & { readonly folder: string }>();
  for (const source of sources) for (const [key, given] of source) if (!all.has(key)) all.set(key, given);
  return all;
};

const isMemory = (db: string): boolean => db === 'sqlite::memory:';

const absoluteDb = (db: string, folder: string): string =>
  db.startsWith('sqlite:') && !isMemory(db) ? `sqlite:${resolve(folder, db.slice('sqlite:'.length))}` : db;

const defaultDataDir = (cwd: string, flags: ConfigFlags, mode: ConfigMode): string => {
  const dev = join(cwd, DEV_DATA_DIR);
  const isFound = mode === 'find' && existsSync(join(dev, DEV_KEY_FILE));
  return flags.dev === true || isFound ? dev : join(cwd, DATA_DIR);
};

const devKey = (dataDir: string, problems: string[]): string | undefined => {
  const path = join(dataDir, DEV_KEY_FILE);
  if (!existsSync(path)) return undefined;
  if (isReadableByOthers(path)) problems.push(`${path} can be read by others: chmod 600 ${path}`);
  return readFileSync(path, 'utf8').trim();
};

const configPath = (flags: ConfigFlags, cwd: string, dataDir: string): string | undefined => {
  if (flags.config !== undefined) return resolve(cwd, flags.config);
  return [join(cwd, CONFIG_FILE), join(dataDir, CONFIG_FILE)].find((path) => existsSync(path));
};

/**
 * Reads the configuration: flag, `BECKON_X`, `BECKON_X_FILE`, `.env`, `beckon.config.json`, default, in this order.
 *
 * @throws CliError usage with every problem of every source in one message
 */
export const loadConfig = (
  { env, cwd }: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string },
  flags: ConfigFlags,
  mode: ConfigMode = 'find',
): Config => {
  const problems: string[] = [];
  const fitting = (source: Source): Source => (isOwnDev(flags) ? withoutOfDev(source) : source);
  const others = [...environmentSources(env, cwd, problems), ...dotEnvSources(cwd, problems)];
  const sources = [flagSource(flags, cwd), ...others.map(fitting)];
  const pathOf = (given: (Given & { readonly folder: string }) | undefined): string =>
    typeof given?.value === 'string' ? resolve(given.folder, given.value) : defaultDataDir(cwd, flags, mode);
  // The file may lie in the data folder, so the folder is first looked for without it.
  const file = configPath(flags, cwd, pathOf(firstOf(sources, 'dataDir')));
  const given = merged(file === undefined ? sources : [...sources, fitting(fileSource(file, problems))]);
  const values: Values = parseSettings(given, problems);
  const dataDir = pathOf(given.get('dataDir'));
  const found = values.masterKey === undefined && mode === 'find' ? devKey(dataDir, problems) : undefined;
  if (problems.length > 0) throw usageError(['The configuration is not valid:', ...problems].join('\n  '));
  const isDev = flags.dev === true || found !== undefined;
  const db =
    values.db === undefined
      ? `sqlite:${join(dataDir, 'beckon.db')}`
      : absoluteDb(values.db, given.get('db')?.folder ?? cwd);
  return {
    db,
    dataDir,
    masterKey: values.masterKey ?? found,
    publicUrl: values.publicUrl,
    host: values.host ?? '127.0.0.1',
    port: values.port ?? 8080,
    trustedProxies: values.trustedProxies ?? 0,
    shutdownTimeoutMs: values.shutdownTimeout ?? SHUTDOWN_TIMEOUT_MS,
    logFormat: values['log.format'] ?? (isDev ? 'pretty' : 'json'),
    logLevel: values['log.level'] ?? 'info',
    durability: values.durability ?? 'full',
    isPathTrusted: values['sqlite.trustPath'] ?? false,
    preparedNames: values['postgres.preparedNames'] ?? true,
    migrate: values.migrate ?? 'auto',
    env: values.env ?? (isDev ? 'test' : undefined),
    isWorkerEnabled: values['worker.enabled'] ?? true,
    metrics:
      values['metrics.port'] === undefined
        ? null
        : { host: values['metrics.host'] ?? '127.0.0.1', port: values['metrics.port'], token: values['metrics.token'] },
    limits: {
      callsPerMinute: values['limits.callsPerMinute'],
      ingestPerSecond: values['limits.ingestPerSecond'],
      ingestBurst: values['limits.ingestBurst'],
    },
    plans: values.plans,
    delivery: deliveryOptions(values),
    isDev,
  };
};

/** The file of a SQLite database; null for memory and PostgreSQL. */
export const sqliteFile = (db: string): string | null =>
  db.startsWith('sqlite:') && !isMemory(db) ? db.slice('sqlite:'.length) : null;

/** A database as it may be shown: without user, password and parameters. */
export const shownDb = (db: string, cwd: string): string => {
  const file = sqliteFile(db);
  if (file !== null) {
    const near = relative(cwd, file);
    return `sqlite ${near.startsWith('..') ? file : `./${near}`}`;
  }
  if (isMemory(db)) return 'sqlite in memory';
  const url = URL.parse(db);
  return url ? `postgres ${url.host}${url.pathname}` : 'postgres';
};
