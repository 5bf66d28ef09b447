/*
 * Uses the packed packages as a reader of the registry would: node scripts/check-packed.mjs <folder with tarballs>
 * Installs them in an empty folder, on the oldest Node that is supported where npm offers it, and runs a deployment.
 */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = '22.19.0';
const tarballs = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'beckon-packed-'));
const bin = join(folder, 'node_modules', '.bin');
// Nothing of the checkout, nor of the npm that runs this, reaches the commands.
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^(npm_(?!config_)|NODE_OPTIONS|NODE_PATH|BECKON_|INIT_CWD)/i.test(name),
);
const env = { ...Object.fromEntries(inherited), PATH: `${bin}${delimiter}${process.env.PATH}` };

const run = (command, ...args) => {
  console.log(`$ ${command} ${args.join(' ')}`);
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (error || status !== 0)
    throw new Error(`ended with status ${status}: ${error?.message ?? ''}\n${stdout}${stderr}`);
  return stdout;
};

const freePort = () =>
  new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });

const until = async (what, milliseconds, attempt) => {
  const end = performance.now() + milliseconds;
  for (;;) {
    const answer = await attempt();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`${what}: not within ${milliseconds} ms`);
    await new Promise((done) => setTimeout(done, 50));
  }
};

const post = async (url, key, body) => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  console.log(`POST ${url} -> ${response.status} ${text}`);
  if (!response.ok || JSON.parse(text).success !== true) throw new Error('the request was refused');
};

/** A Node of this machine that is too old, as one may be that `npm` runs on. */
const oldNode = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((path) => join(path, 'node'))
    .find((path) => {
      const [major = 0, minor = 0] = existsSync(path)
        ? spawnSync(path, ['--print', 'process.versions.node'], { encoding: 'utf8' }).stdout.split('.').map(Number)
        : [99];
      return major < 22 || (major === 22 && minor < 19);
    });

/** The library itself refuses an old Node: the driver of SQLite would end it with a segmentation fault. */
const refuseOldNode = (node) => {
  const program = `import('@beckon/core').then(({ createBeckon, newMasterKey }) =>
    createBeckon({ db: 'sqlite::memory:', masterKey: newMasterKey() })).catch(({ message }) => console.log(message))`;
  const said = run(node, '--eval', program);
  if (!/^Beckon needs Node [\d.]+ or newer, and this is Node [\d.]+\.$/.test(said.trim()))
    throw new Error(`an old Node hears ${said}`);
};

/** A strict program of a reader compiles against the packages, and the mistakes in it do not. */
const checkTypes = () => {
  const program = 'program.mts';
  copyFileSync(new URL('packed-types.ts', import.meta.url), join(folder, program));
  const compilerOptions = {
    ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, lib: ['es2024', 'dom', 'dom.iterable'] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [program] }));
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  run(process.execPath, compiler, '-p', join(folder, 'tsconfig.json'));
};

const serve = async (url, port, key) => {
  const server = spawn(join(bin, 'beckon'), ['serve', '--port', String(port)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk));
  const end = new Promise((done) => server.once('exit', (code, signal) => done({ code, signal })));
  try {
    await until('beckon serve answers', 30_000, () => {
      if (server.exitCode !== null) throw new Error(`beckon serve ended with status ${server.exitCode}`);
      return fetch(url).then(
        () => true,
        () => false,
      );
    });
    const person = { userId: 'reader-1' };
    await post(`${url}/api/v1/events`, key, {
      module: 'analytics',
      eventType: 'packed.checked',
      ...person,
      properties: { n: 1 },
    });
    await post(`${url}/api/v1/email/send`, key, {
      to: 'reader@example.com',
      from: 'us@example.com',
      subject: 'Hello',
      text: 'Packed.',
    });
    // The client of programs, on this Node: the event is there once, and a list comes to its end.
    const program = `import('@beckon/sdk-js/node').then(async ({ createServerClient }) => {
      const beckon = createServerClient({ apiKey: '${key}', baseUrl: '${url}' });
      await beckon.events.track({ module: 'analytics', eventType: 'client.checked', userId: 'reader-1' });
      let count = 0;
      for await (const { eventType } of beckon.events.list({ limit: 1 })) count += eventType === 'client.checked' ? 1 : 0;
      console.log(count);
    })`;
    if (run('node', '--eval', program).trim() !== '1') throw new Error('@beckon/sdk-js/node does not find its event');
    // Beside the server, as its operator would.
    run('npx', 'beckon', 'backup', 'one.backup');
    run('npx', 'beckon', 'restore', 'one.backup', '--db', 'sqlite:other/beckon.db');
    const other = ['--db', 'sqlite:other/beckon.db'];
    if (!run('npx', 'beckon', 'orgs', 'list', ...other).includes('Acme')) throw new Error('the backup lacks its org');
    if (!run('npx', 'beckon', 'dashboard', '--once').includes('throughput')) throw new Error('the dashboard is empty');
    server.kill('SIGTERM');
    const late = new Promise((done) => setTimeout(done, 25_000, 'late').unref());
    const ended = await Promise.race([end, late]);
    if (ended.code !== 0) throw new Error(`SIGTERM did not end beckon serve well: ${JSON.stringify(ended)}`);
  } catch (error) {
    throw new Error(`${error.message}\nbeckon serve said:\n${output}`, { cause: error });
  } finally {
    server.kill('SIGKILL');
  }
};

const serveDocs = async (port) => {
  const server = spawn(join(bin, 'beckon'), ['docs', '--port', String(port)], { cwd: folder, env, stdio: 'ignore' });
  const end = new Promise((done) => server.once('exit', (code, signal) => done({ code, signal })));
  try {
    const url = `http://127.0.0.1:${port}/reference/api`;
    await until('beckon docs answers', 30_000, () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    server.kill('SIGTERM');
    const ended = await end;
    if (ended.code !== 0) throw new Error(`SIGTERM did not end beckon docs well: ${JSON.stringify(ended)}`);
  } finally {
    server.kill('SIGKILL');
  }
};

try {
  const packages = readdirSync(tarballs)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(tarballs, name));
  if (packages.length === 0) throw new Error(`no tarball in ${tarballs}`);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const node = process.platform === 'linux' ? [`node-linux-${process.arch}@${OLDEST_NODE}`] : [];
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages, ...node);
  if (node.length > 0 && run('node', '--version').trim() !== `v${OLDEST_NODE}`)
    throw new Error('this is not the oldest Node');
  const version = JSON.parse(run('npx', 'beckon', 'version', '--json'));
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@beckon/cli/package.json'), 'utf8'));
  if (version.data?.version !== manifest.version) throw new Error(`version says ${JSON.stringify(version)}`);
  // The suite of transports is there, and wants nothing but vitest of whoever uses it.
  const suite = "import('@beckon/core/testing').then(() => 'loaded', ({ message }) => message).then(console.log)";
  const lacks = run('node', '--eval', suite);
  if (!lacks.includes("Cannot find package 'vitest'")) throw new Error(`@beckon/core/testing says ${lacks}`);
  // Without its file reads would go on, in the thread of everybody else.
  const thread = "import('./node_modules/@beckon/core/dist/reader.js').then(({ read }) => console.log(typeof read))";
  if (run('node', '--eval', thread).trim() !== 'function') throw new Error('there is no file for reader threads');
  // The client of pages is whole, and needs no page to be imported.
  const client = "import('@beckon/sdk-js').then(({ createClient }) => console.log(typeof createClient))";
  if (run('node', '--eval', client).trim() !== 'function') throw new Error('@beckon/sdk-js lacks createClient');
  checkTypes();
  const old = oldNode();
  if (old) refuseOldNode(old);
  await serveDocs(await freePort());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const key = /\bsk_test_\w+/.exec(
    run('npx', 'beckon', 'init', '--public-url', url, '--org', 'Acme', '--project', 'App'),
  )?.[0];
  if (!key) throw new Error('beckon init printed no sk_test_ key');
  await serve(url, port, key);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
