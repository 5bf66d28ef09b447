import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { BeckonOptions } from '@beckon/core';
import { type DeliveryOptions, deliveryOptions } from './delivery-options.ts';
import { usageError } from './exit-codes.ts';
import { type Key, parseSettings, type RawSetting, type Values } from './settings.ts';
import { dotEnvSources, environmentSources, fileSource, isReadableByOthers, type Source } from './sources.ts';

/** The configuration file's name, in the working directory or in the data folder. */
export const CONFIG_FILE = 'beckon.config.json';
/** File with the master key in the folder of `serve --dev`, mode 0600. */
export const DEV_KEY_FILE = 'master.key';
/** Folder of `serve --dev`. */
export const DEV_DATA_DIR = '.beckon';
/** Data folder of other deployments. */
export const DATA_DIR = 'data';
/** Chosen: long enough for running work, shorter than the 30 s that orchestrators wait. */
const SHUTDOWN_TIMEOUT_MS = 20_000;

/** Flags that set a configuration key. Absent and undefined mean the same. */
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

/** The configuration, merged from all sources. Paths are absolute. */
export type Config = {
  readonly db: string;
  readonly dataDir: string;
  readonly masterKey: string | undefined;
  readonly publicUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Number of reverse proxies in front whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: number;
  readonly shutdownTimeoutMs: number;
  readonly logFormat: 'json' | 'pretty';
  readonly logLevel: 'info' | 'warn' | 'error' | 'silent';
  readonly durability: 'full' | 'process';
  /** Accepts a database file that is a symbolic link, or whose folder is open to others. */
  readonly isPathTrusted: boolean;
  readonly preparedNames: boolean;
  readonly migrate: 'auto' | 'check' | 'off';
  /** The environment of commands without `--env`; undefined: not configured. */
  readonly env: 'prod' | 'test' | undefined;
  readonly isWorkerEnabled: boolean;
  /** Null: metrics are off. */
  readonly metrics: { readonly host: string; readonly port: number; readonly token: string | undefined } | null;
  /** Rate limits. */
  readonly limits: BeckonOptions['limits'];
  /** Plans of organizations; undefined: the default plans. */
  readonly plans: BeckonOptions['plans'];
  /** Delivery options, including the public URL. */
  readonly delivery: DeliveryOptions;
  /** True for a deployment of `serve --dev`, whose default environment is test. */
  readonly isDev: boolean;
};

/** `find` also looks for the folder of `serve --dev`; `fresh` is for a new deployment. */
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
 * Keys that `serve --dev` ignores in files and variables, because those describe another deployment. `--dev` uses
 * `./.beckon` and its own master key unless flags name another database.
 */
const IGNORED_BY_DEV: readonly Key[] = ['db', 'dataDir', 'masterKey'];

const usesDevFolder = ({ dev, dataDir, db }: ConfigFlags): boolean =>
  dev === true && dataDir === undefined && db === undefined;

const withoutIgnored = (source: Source): Source =>
  new Map([...source].filter(([key]) => !IGNORED_BY_DEV.includes(key)));

const firstOf = (sources: readonly Source[], key: Key): (RawSetting & { readonly folder: string }) | undefined => {
  for (const source of sources) {
    const setting = source.get(key);
    if (setting) return setting;
  }
  return undefined;
};

const merged = (sources: readonly Source[]): Map<Key, RawSetting & { readonly folder: string }> => {
  const all = new Map<Key, RawSetting & { readonly folder: string }>();
  for (const source of sources) for (const [key, setting] of source) if (!all.has(key)) all.set(key, setting);
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
  const applicable = (source: Source): Source => (usesDevFolder(flags) ? withoutIgnored(source) : source);
  const others = [...environmentSources(env, cwd, problems), ...dotEnvSources(cwd, problems)];
  const sources = [flagSource(flags, cwd), ...others.map(applicable)];
  const pathOf = (setting: (RawSetting & { readonly folder: string }) | undefined): string =>
    typeof setting?.value === 'string' ? resolve(setting.folder, setting.value) : defaultDataDir(cwd, flags, mode);
  // The file may be in the data folder, so the folder is determined without the file first.
  const file = configPath(flags, cwd, pathOf(firstOf(sources, 'dataDir')));
  const all = merged(file === undefined ? sources : [...sources, applicable(fileSource(file, problems))]);
  const values: Values = parseSettings(all, problems);
  const dataDir = pathOf(all.get('dataDir'));
  const found = values.masterKey === undefined && mode === 'find' ? devKey(dataDir, problems) : undefined;
  if (problems.length > 0) throw usageError(['Invalid configuration:', ...problems].join('\n  '));
  const isDev = flags.dev === true || found !== undefined;
  const db =
    values.db === undefined
      ? `sqlite:${join(dataDir, 'beckon.db')}`
      : absoluteDb(values.db, all.get('db')?.folder ?? cwd);
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

/** A database for messages, without user, password and parameters. */
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
