/*
 * Creates applications with the packed packages and runs them: node scripts/check-starter.mjs <folder with tarballs> [express|hono]
 * Beckon comes from the tarballs; everything else has the versions of this checkout, which npm's cache has.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const tarballs = resolve(process.argv[2] ?? '.');
const frameworks = process.argv[3] ? [process.argv[3]] : ['express', 'hono'];
const folder = mkdtempSync(join(tmpdir(), 'beckon-starter-'));
// Nothing of the npm that runs this reaches the commands.
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|NODE_OPTIONS|NODE_PATH|BECKON_|INIT_CWD)/i.test(name),
  ),
);

const run = (cwd, command, ...args) => {
  console.log(`$ ${command} ${args.join(' ')}`);
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 300_000 });
  if (error || status !== 0)
    throw new Error(`ended with status ${status}: ${error?.message ?? ''}\n${stdout}${stderr}`);
  return stdout;
};

const tarball = (name) => {
  const [file] = globSync(join(tarballs, `${name}-[0-9]*.tgz`));
  if (!file) throw new Error(`${tarballs} has no tarball of ${name}`);
  return file;
};
const beckon = ['beckon-core', 'beckon-http', 'beckon-cli'].map(tarball);

/** The program of `create-beckon`, which needs nothing installed. */
const unpackCreate = () => {
  const to = join(folder, 'create-beckon');
  mkdirSync(to);
  run(to, 'tar', '-xzf', tarball('create-beckon'), '--strip-components=1');
  return join(to, 'dist/create-beckon.js');
};

/** Starts the application, signs a user up, and finds the email in the outbox. */
const use = async (app) => {
  const server = spawn('npm', ['start'], { cwd: app, env: { ...env, PORT: '0' }, detached: true });
  let errors = '';
  server.stderr.on('data', (chunk) => (errors += chunk));
  const end = new Promise((done) => server.once('exit', (code) => done(code)));
  try {
    let url;
    for await (const line of createInterface({ input: server.stdout })) {
      url = /^Listening on (http:\S+)$/.exec(line)?.[1];
      if (url) break;
    }
    if (!url) throw new Error(`npm start ended: ${errors}`);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ userId: 'ada', email: 'ada@example.com', name: 'Ada' });
    const { status } = await fetch(`${url}/sign-up`, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`the sign-up was answered ${status}`);
    for (const path of ['/healthz', '/readyz', '/api/v1/openapi.json']) {
      const response = await fetch(`${url}${path}`);
      if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    }
    for (let tries = 0; ; tries += 1) {
      if (run(app, 'npx', 'beckon', 'outbox', 'list', '--env', 'test').includes('Welcome, Ada')) break;
      if (tries === 20) throw new Error('the welcome email is not in the outbox');
    }
    process.kill(-server.pid, 'SIGTERM');
    await end;
    if (errors !== '') throw new Error(`npm start wrote to its error output: ${errors}`);
  } finally {
    if (server.exitCode === null && server.signalCode === null) process.kill(-server.pid, 'SIGKILL');
  }
};

const check = async (createBeckon, framework) => {
  const app = join(folder, framework);
  run(folder, process.execPath, createBeckon, app, '--framework', framework);
  // Most of what the second one needs is there already.
  const before = join(folder, 'node_modules');
  if (existsSync(before)) renameSync(before, join(app, 'node_modules'));
  run(app, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...beckon);
  run(app, 'npm', 'run', 'typecheck');
  const tested = run(app, 'npm', 'test');
  if (!tested.includes('2 passed, 0 failed') || !/^# pass 1$|^ℹ pass 1$/m.test(tested))
    throw new Error(`the tests of the starter ran otherwise:\n${tested}`);
  await use(app);
  // The installed program writes the same files.
  run(app, 'npx', 'beckon', 'create', join(folder, 'again', framework), '--framework', framework);
  const written = (path) =>
    readdirSync(path).filter((name) => !['node_modules', 'data', 'package-lock.json'].includes(name));
  const [first, second] = [app, join(folder, 'again', framework)].map((path) => written(path).toSorted().join());
  if (first !== second) throw new Error(`beckon create wrote ${second}, and create-beckon ${first}`);
  renameSync(join(app, 'node_modules'), before);
  console.log(`starter ${framework}: created, tested, started, a sign-up sent its email`);
};

try {
  const createBeckon = unpackCreate();
  for (const framework of frameworks) await check(createBeckon, framework);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
