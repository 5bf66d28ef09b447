/*
 * Runs the code blocks of README.md and of the pages of docs/ from top to bottom, in a copy of the repository as a fresh
 * clone has it. `node scripts/check-readme.mjs docs/start.md` runs those pages alone, after `npm install`.
 * `--sample TARBALLS` runs README.md, the pages that changed and a third of the others, another third for each commit. It
 * takes the dependencies, the built program and the tarballs of this checkout in place of installing and packing again.
 *
 * Each page begins in the clone as it was. bash blocks share one folder and their variables; ts and js blocks are
 * programs. A server (`npm start`, `npx beckon serve`) goes on in the background, until its page ends, once it says where
 * it listens; so does `npx beckon worker`. A key that a page abbreviates (`sk_test_...`) stands for the one that was
 * printed last, and the database of the PostgreSQL pages for an empty one of a server that is started here.
 * `<!-- not run: reason -->` on the line before a block leaves it out.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../packages/core/test/support/postgres-server.ts';
import { baseCommit, changedFiles, isInPart, movingSeed } from './moving-seed.ts';

const BLOCK_MS = 180_000;
const SERVER_MS = 300_000;
const SERVER = /^(npm start|npx beckon (serve|worker))\b(?!.*(&|--drain|--once)\s*$)/;
const LISTENS = /listening|worker running|https?:\/\/(?:127\.0\.0\.1|localhost):\d+/i;
const DATABASE = 'postgres://beckon@db.internal/beckon';
const ABBREVIATED = /\b((?:sk|pk)_(?:test|prod)_)(?:…|\.\.\.)/g;

const root = fileURLToPath(new URL('..', import.meta.url));

/** The fenced blocks of a Markdown text with the line each begins on. */
const blocksOf = (markdown) => {
  const blocks = [];
  let open;
  let before = '';
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open && line.trim() === '```') {
      blocks.push({ ...open, code: open.code.join('\n') });
      open = undefined;
    } else if (open) {
      open.code.push(line);
    } else {
      const language = /^\s*```(\w*)/.exec(line)?.[1];
      const reason = /<!-- not run: (.+?) -->/.exec(before)?.[1];
      if (language !== undefined) open = { language, line: index + 1, reason, code: [] };
    }
    before = line;
  }
  return blocks;
};

const listFiles = () => {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout, status } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (status !== 0) throw new Error('git could not list the files');
  return stdout.split('\0').filter((name) => name && existsSync(join(root, name)));
};

const asked = process.argv.slice(2);
const isSample = asked[0] === '--sample';
const tarballs = isSample ? resolve(asked[1]) : '';
/** Of the pages that did not change one in so many runs. */
const PARTS = 3;

/** README first: it installs. What is generated holds no blocks of ours. */
const pagesOf = (files) => [
  'README.md',
  ...files.filter((name) => /^docs\/(?!reference\/|\.).*\.md$/.test(name)).sort(),
];

const sampledPages = (files) => {
  const changed = new Set(changedFiles(baseCommit()));
  const seed = movingSeed();
  return pagesOf(files).filter((page) => page === 'README.md' || changed.has(page) || isInPart(page, seed, PARTS));
};

/** Dependencies as links to the files of this checkout, and the built packages: what installing and building would make. */
const linkInstalled = () => {
  for (const path of ['node_modules', ...globSync('{packages,examples}/*/node_modules', { cwd: root })])
    runProgram('cp', ['-al', join(root, path), join(clone, path)]);
  for (const path of globSync('packages/*/dist', { cwd: root }))
    cpSync(join(root, path), join(clone, path), { recursive: true });
};

const copyRepository = (files, to) => {
  for (const path of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(root, path), join(to, path));
  }
};

const folder = mkdtempSync(join(tmpdir(), 'beckon-readme-'));
const clone = join(folder, 'beckon');
// What a reader's shell does not have: the variables of the npm and the CI around us.
const plain = Object.entries(process.env).filter(
  ([name]) => !/^(npm_(?!config_)|NODE_OPTIONS|NODE_PATH|BECKON_|INIT_CWD|CI$)/i.test(name),
);
const fresh = { ...Object.fromEntries(plain), PATH: `${join(clone, 'node_modules/.bin')}:${process.env.PATH}` };
let env = fresh;
let cwd = clone;
let isReadme = true;
let postgres;
let database = '';
const servers = [];
const keys = new Map();

const complete = (code) =>
  code.replaceAll(DATABASE, database).replace(ABBREVIATED, (_, prefix) => {
    if (!keys.has(prefix)) throw new Error(`nothing has printed a key that begins with ${prefix}`);
    return keys.get(prefix);
  });

const learnKeys = (output) => {
  for (const [key, prefix] of output.matchAll(/\b((?:sk|pk)_(?:test|prod)_)\w+/g)) keys.set(prefix, key);
};

/** A database of the page's own, which no other page has written to. */
const makeDatabase = async (name) => {
  postgres ??= await startPostgres({ own: true });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  database = postgres.url.replace(/postgres$/, name);
};

const stopServers = async () => {
  for (const server of servers.splice(0)) {
    if (server.exitCode !== null) continue;
    const ended = new Promise((done) => server.once('close', done));
    process.kill(-server.pid, 'SIGKILL');
    await ended;
  }
};

/** The clone as it was: nothing that a page made is there for the next one. */
const beginPage = async (files) => {
  await stopServers();
  env = fresh;
  cwd = clone;
  keys.clear();
  const ours = new Set(files.map((path) => path.split('/', 1)[0]));
  const strange = readdirSync(clone).filter((name) => name !== 'node_modules' && !ours.has(name));
  const beside = readdirSync(folder).filter((name) => name !== 'beckon');
  for (const path of [...strange.map((name) => join(clone, name)), ...beside.map((name) => join(folder, name))])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
};

const startServer = async (command) => {
  let output = '';
  const server = spawn('bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  servers.push(server);
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk));
  const end = performance.now() + SERVER_MS;
  while (!LISTENS.test(output)) {
    if (server.exitCode !== null || performance.now() > end)
      throw new Error(`"${command}" does not listen:\n${output}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  // Keys may follow the address.
  await new Promise((done) => setTimeout(done, 500));
  learnKeys(output);
};

const runProgram = (command, args) => {
  const done = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: BLOCK_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (done.status !== 0)
    throw new Error(`${done.error?.message ?? `status ${done.status}`}\n${done.stdout}${done.stderr}`);
  learnKeys(done.stdout);
};

const runBash = (code) => {
  const state = join(folder, 'state');
  const curl = 'curl() { command curl --fail-with-body "$@"; }';
  // npx takes longer than most of our commands. README shows that it finds them; pages of docs/ stay in the clone.
  const npx = isSample
    ? `npx() { [ "$1" = beckon ] && shift && node '${clone}/packages/cli/dist/main.js' "$@"; }`
    : isReadme
      ? ''
      : 'npx() { "$@"; }';
  const npm = isSample
    ? `npm() { if [ "$*" = "run tarballs -- $4" ]; then mkdir -p "$4" && cp '${tarballs}'/*.tgz "$4"; else command npm "$@"; fi; }`
    : '';
  runProgram('bash', [
    '-c',
    `set -ea -o pipefail\n${curl}\n${npx}\n${npm}\n${code}\nunset -f curl npx npm\n{ pwd; env -0; } >'${state}'`,
  ]);
  const [where, ...rest] = readFileSync(state, 'utf8').split(/\n(.*)/s);
  cwd = where;
  env = Object.fromEntries(
    rest
      .join('')
      .split('\0')
      .filter(Boolean)
      .map((one) => [one.split('=', 1)[0], one.slice(one.indexOf('=') + 1)]),
  );
};

const runBlock = async ({ language, line, code }) => {
  if (language !== 'bash') {
    const file = join(clone, `block-of-line-${line}.${language}`);
    writeFileSync(file, complete(code));
    return runProgram('node', ['--import', join(clone, 'scripts/source-preload.mjs'), file]);
  }
  const lines = code.split('\n');
  const server = lines.findIndex((one) => SERVER.test(one));
  if (server < 0) return runBash(complete(code));
  if (server > 0) runBash(complete(lines.slice(0, server).join('\n')));
  await startServer(complete(lines[server]));
  return runBash(complete(lines.slice(server + 1).join('\n')));
};

const runPage = async (page) => {
  isReadme = page === 'README.md';
  const blocks = blocksOf(readFileSync(join(root, page), 'utf8'));
  if (blocks.some(({ code, reason }) => !reason && code.includes(DATABASE)))
    await makeDatabase(page.toLowerCase().replace(/[^a-z]/g, '_'));
  for (const block of blocks.filter(({ language }) => ['bash', 'ts', 'js'].includes(language))) {
    const name = `${page}:${block.line} (${block.language})`;
    if (block.reason) {
      console.log(`not run  ${name}: ${block.reason}`);
      continue;
    }
    const start = performance.now();
    try {
      await runBlock(block);
    } catch (error) {
      throw new Error(`${name} failed: ${error.message}`, { cause: error });
    }
    console.log(`ok       ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
};

try {
  const files = listFiles();
  copyRepository(files, clone);
  if (isSample) linkInstalled();
  else if (asked.length > 0) runProgram('node', ['scripts/bootstrap.mjs']);
  for (const page of isSample ? sampledPages(files) : asked.length > 0 ? asked : pagesOf(files)) {
    await beginPage(files);
    await runPage(page);
  }
} finally {
  await stopServers();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
