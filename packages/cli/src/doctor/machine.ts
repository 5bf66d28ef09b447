// Checks of the machine, without opening the database: runtime, data folder, disk and file permissions.

import { accessSync, chmodSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { CONFIG_FILE, type Config, DEV_DATA_DIR, DEV_KEY_FILE, sqliteFile } from '../config.ts';
import type { Io } from '../io.ts';
import type { Services } from '../services.ts';
import { dotEnvSources, isReadableByOthers } from '../sources.ts';
import { type Finding, finding } from './finding.ts';

const GIB = 1_073_741_824;
/** Free bytes below which doctor warns and fails. Chosen: room for a write-ahead log and its checkpoint. */
const [WARN_FREE_BYTES, MIN_FREE_BYTES] = [GIB, GIB / 10];
const OWNER_ONLY = 0o600;

/** Checks of Node and native modules. Throws nothing. */
export const runtimeFindings = async ({ sqliteVersion }: Pick<Services, 'sqliteVersion'>): Promise<Finding[]> => {
  const node = finding('runtime', 'node', 'ok', process.version);
  try {
    return [node, finding('runtime', 'native modules', 'ok', `SQLite ${await sqliteVersion()}`)];
  } catch {
    return [
      node,
      finding('runtime', 'native modules', 'fail', 'better-sqlite3 does not load. Run: npm rebuild better-sqlite3'),
    ];
  }
};

/** Files with secrets that others can read; `isFixing` restricts them. The configuration does not load before that. */
export const modeFindings = (cwd: string, isFixing: boolean): Finding[] =>
  ['.env', join(DEV_DATA_DIR, DEV_KEY_FILE)].flatMap((name): Finding[] => {
    const path = join(cwd, name);
    if (!existsSync(path) || !isReadableByOthers(path)) return [];
    if (!isFixing) return [finding('secrets', name, 'fail', `readable by others: chmod 600 ${name}, or pass --fix`)];
    chmodSync(path, OWNER_ONLY);
    return [finding('secrets', name, 'ok', 'was readable by others; now restricted to its owner')];
  });

/**
 * Checks the format and the source of the master key. Opening the database checks whether it is the right key.
 *
 * `init` writes the key to `.env` beside the configuration; elsewhere a key in `.env` belongs in its own file.
 */
export const keyFindings = async (
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  { masterKey, isDev }: Config,
  { checkMasterKey }: Pick<Services, 'checkMasterKey'>,
): Promise<Finding[]> => {
  const keyFinding = (state: Finding['state'], message: string): Finding[] => [
    finding('secrets', 'master key', state, message),
  ];
  if (masterKey === undefined) return keyFinding('fail', 'not set. Run: beckon init');
  try {
    await checkMasterKey(masterKey);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return keyFinding('fail', `unusable: ${error.message}`);
  }
  if (env['BECKON_MASTER_KEY'] || env['BECKON_MASTER_KEY_FILE'] || isDev) return keyFinding('ok', 'set');
  const inFile = dotEnvSources(cwd, []).some((source) => source.has('masterKey'));
  return inFile && !existsSync(join(cwd, CONFIG_FILE))
    ? keyFinding('warn', 'set in .env: move it to a file and name the file in BECKON_MASTER_KEY_FILE')
    : keyFinding('ok', inFile ? 'set in .env, readable by its owner only' : 'set');
};

/** Permissions of the master key file; `isFixing` restricts them. Throws nothing. */
export const keyFileFindings = ({ env, cwd }: Pick<Io, 'env' | 'cwd'>, isFixing: boolean): Finding[] => {
  const name = env['BECKON_MASTER_KEY_FILE'];
  const path = name ? resolve(cwd, name) : null;
  if (!name || path === null || !existsSync(path) || !isReadableByOthers(path)) return [];
  const fileFinding = (state: Finding['state'], message: string): Finding[] => [
    finding('secrets', 'master key file', state, message),
  ];
  const advice = `readable by others: chmod 600 ${name}`;
  if (!isFixing) return fileFinding('warn', `${advice}, or pass --fix`);
  try {
    chmodSync(path, OWNER_ONLY);
    return fileFinding('ok', 'was readable by others; now restricted to its owner');
  } catch {
    // The mode of a mounted secret cannot be changed.
    return fileFinding('warn', advice);
  }
};

/** The folder of a SQLite file. Throws nothing. */
export const folderFindings = ({ db, durability }: Config, cwd: string): Finding[] => {
  const file = sqliteFile(db);
  if (file === null) return [finding('storage', 'data folder', 'skip', 'not applicable: the database is not a file')];
  const folder = dirname(file);
  const shown = relative(cwd, folder) || '.';
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const state = free < MIN_FREE_BYTES ? 'fail' : free < WARN_FREE_BYTES ? 'warn' : 'ok';
    return [
      finding('storage', 'data folder', 'ok', `${shown} is writable`),
      finding('storage', 'disk', state, `${(free / GIB).toFixed(1)} GiB free`),
      durability === 'full'
        ? finding('storage', 'durability', 'ok', 'full: acknowledged writes survive a power loss')
        : finding('storage', 'durability', 'warn', 'process: a power loss loses the last acknowledged writes'),
    ];
  } catch {
    return [finding('storage', 'data folder', 'fail', `${shown} is not writable: chown it to the user of the server`)];
  }
};
