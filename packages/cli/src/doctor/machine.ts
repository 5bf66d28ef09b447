// What the machine gives a service, without asking the service: what it runs on, where it writes, who may read that.

import { accessSync, chmodSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { CONFIG_FILE, type Config, DEV_DATA_DIR, DEV_KEY_FILE, sqliteFile } from '../config.ts';
import type { Io } from '../io.ts';
import type { Services } from '../services.ts';
import { dotEnvSources, isReadableByOthers } from '../sources.ts';
import { type Finding, finding } from './finding.ts';

const GIB = 1_073_741_824;
/** Bytes that are little, and too few, for a log and its copy; ours. */
const [LITTLE_BYTES, TOO_FEW_BYTES] = [GIB, GIB / 10];
const OWNER_ONLY = 0o600;

/** Node, and what of the program is made for this machine. Throws nothing. */
export const runtimeFindings = async ({ sqliteVersion }: Pick<Services, 'sqliteVersion'>): Promise<Finding[]> => {
  const node = finding('runtime', 'node', 'ok', process.version);
  try {
    return [node, finding('runtime', 'native modules', 'ok', `SQLite ${await sqliteVersion()}`)];
  } catch {
    return [
      node,
      finding('runtime', 'native modules', 'fail', 'better-sqlite3 does not load: npm rebuild better-sqlite3'),
    ];
  }
};

/** Files with secrets that others may read; `isFixing` closes them. The configuration refuses to be read before that. */
export const modeFindings = (cwd: string, isFixing: boolean): Finding[] =>
  ['.env', join(DEV_DATA_DIR, DEV_KEY_FILE)].flatMap((name): Finding[] => {
    const path = join(cwd, name);
    if (!existsSync(path) || !isReadableByOthers(path)) return [];
    if (!isFixing) return [finding('secrets', name, 'fail', `can be read by others: chmod 600 ${name}, or --fix`)];
    chmodSync(path, OWNER_ONLY);
    return [finding('secrets', name, 'ok', 'was open to others; it is closed to them')];
  });

/**
 * Whether the master key has the form of one, and where it comes from. That it fits shows when the database opens.
 *
 * `.env` is where `init` writes it, beside the configuration; elsewhere a key in `.env` deserves a file of its own.
 */
export const keyFindings = async (
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  { masterKey, isDev }: Config,
  { checkMasterKey }: Pick<Services, 'checkMasterKey'>,
): Promise<Finding[]> => {
  const said = (state: Finding['state'], message: string): Finding[] => [
    finding('secrets', 'master key', state, message),
  ];
  if (masterKey === undefined) return said('fail', 'is not set: beckon init');
  try {
    await checkMasterKey(masterKey);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return said('fail', `is not usable: ${error.message}`);
  }
  if (env['BECKON_MASTER_KEY'] || env['BECKON_MASTER_KEY_FILE'] || isDev) return said('ok', 'is set');
  const inFile = dotEnvSources(cwd, []).some((source) => source.has('masterKey'));
  return inFile && !existsSync(join(cwd, CONFIG_FILE))
    ? said('warn', 'comes from .env: move it to a secret file, and name that with BECKON_MASTER_KEY_FILE')
    : said('ok', inFile ? 'is set, in .env, which only its owner can read' : 'is set');
};

/** The file that the master key comes from; `isFixing` closes it to others. Throws nothing. */
export const keyFileFindings = ({ env, cwd }: Pick<Io, 'env' | 'cwd'>, isFixing: boolean): Finding[] => {
  const name = env['BECKON_MASTER_KEY_FILE'];
  const path = name ? resolve(cwd, name) : null;
  if (!name || path === null || !existsSync(path) || !isReadableByOthers(path)) return [];
  const said = (state: Finding['state'], message: string): Finding[] => [
    finding('secrets', 'master key file', state, message),
  ];
  const advice = `can be read by others: chmod 600 ${name}`;
  if (!isFixing) return said('warn', `${advice}, or --fix`);
  try {
    chmodSync(path, OWNER_ONLY);
    return said('ok', 'was open to others; it is closed to them');
  } catch {
    // Whoever mounted it set its mode.
    return said('warn', advice);
  }
};

/** The folder of a SQLite file. Throws nothing. */
export const folderFindings = ({ db, durability }: Config, cwd: string): Finding[] => {
  const file = sqliteFile(db);
  if (file === null) return [finding('storage', 'data folder', 'skip', 'the database is elsewhere')];
  const folder = dirname(file);
  const shown = relative(cwd, folder) || '.';
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const state = free < TOO_FEW_BYTES ? 'fail' : free < LITTLE_BYTES ? 'warn' : 'ok';
    return [
      finding('storage', 'data folder', 'ok', `${shown} can be written`),
      finding('storage', 'disk', state, `${(free / GIB).toFixed(1)} GiB free`),
      durability === 'full'
        ? finding('storage', 'durability', 'ok', 'full: what is answered survives a loss of power')
        : finding('storage', 'durability', 'warn', 'process: a loss of power takes what was answered last'),
    ];
  } catch {
    return [
      finding('storage', 'data folder', 'fail', `${shown} cannot be written: chown it to the user of the service`),
    ];
  }
};
