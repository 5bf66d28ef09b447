/*
 * Runs the code blocks of README.md from top to bottom, in a copy of the repository as a fresh clone has it.
 *
 * bash blocks share one folder and their variables; ts and js blocks are programs. A server (`npm start`, `npx beckon
 * serve`) goes on in the background once it says where it listens. A key that the README abbreviates (`sk_test_...`)
 * stands for the one that the server printed. `<!-- not run: reason -->` on the line before a block leaves it out.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BLOCK_MS = 180_000;
const SERVER_MS = 300_000;
const SERVER = /^(npm start|npx beckon serve)\b(?!.*&\s*$)/;
const LISTENS = /listening|https?:\/\/(?:127\.0\.0\.1|localhost):\d+/i;
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

const copyRepository = (to) => {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout, status } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (status !== 0) throw new Error('git could not list the files');
  for (const path of stdout.split('\0').filter((name) => name && existsSync(join(root, name)))) {
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
let env = { ...Object.fromEntries(plain), PATH: `${join(clone, 'node_modules/.bin')}:${process.env.PATH}` };
let cwd = clone;
const servers = [];
const keys = new Map();

const complete = (code) =>
  code.replace(ABBREVIATED, (_, prefix) => {
    if (!keys.has(prefix)) throw new Error(`no server has printed a key that begins with ${prefix}`);
    return keys.get(prefix);
  });

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
  for (const [key, prefix] of output.matchAll(/\b((?:sk|pk)_(?:test|prod)_)\w+/g)) keys.set(prefix, key);
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
};

const runBash = (code) => {
  const state = join(folder, 'state');
  const curl = 'curl() { command curl --fail-with-body "$@"; }';
  runProgram('bash', ['-c', `set -ea -o pipefail\n${curl}\n${code}\nunset -f curl\n{ pwd; env -0; } >'${state}'`]);
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
    const file = join(clone, `readme-line-${line}.${language}`);
    writeFileSync(file, complete(code));
    return runProgram('node', ['--import', join(clone, 'scripts/source-preload.mjs'), file]);
  }
  const lines = code.split('\n');
  const server = lines.findIndex((one) => SERVER.test(one));
  if (server < 0) return runBash(complete(code));
  if (server > 0) runBash(complete(lines.slice(0, server).join('\n')));
  await startServer(lines[server]);
  return runBash(complete(lines.slice(server + 1).join('\n')));
};

try {
  copyRepository(clone);
  for (const block of blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))) {
    if (!['bash', 'ts', 'js'].includes(block.language)) continue;
    const name = `README.md:${block.line} (${block.language})`;
    if (block.reason) {
      console.log(`not run  ${name}: ${block.reason}`);
      continue;
    }
    try {
      await runBlock(block);
    } catch (error) {
      throw new Error(`${name} failed: ${error.message}`, { cause: error });
    }
    console.log(`ok       ${name}`);
  }
} finally {
  for (const server of servers) if (server.exitCode === null) process.kill(-server.pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
