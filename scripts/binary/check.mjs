/*
 * Tries an executable where nothing else is: node scripts/binary/check.mjs FILE
 *
 * A chroot with a read-only root holds the executable, the shared libraries that ldd names, /etc/passwd, and a writable
 * data and cache folder. Its network namespace has loopback alone. Linux, as root.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
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
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [file = '', stage] = process.argv.slice(2);
const executable = resolve(file);

const run = (command, args, options = {}) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000, ...options });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
};

/** Runs a command with another root, in its data folder. */
const INSIDE = ['--wd', '/data', '--root'];

/** Libraries as `ldd` prints them: `name => path (address)`, or the loader's path alone. */
const librariesOf = (path) =>
  run('ldd', [path])
    .split('\n')
    .flatMap((line) => /=> (\/\S+)|^\s*(\/\S+)/.exec(line)?.slice(1).find(Boolean) ?? []);

const makeRoot = (root) => {
  for (const folder of ['data', 'cache', 'etc', 'tmp']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/false\n');
  // The native addons need libraries too, such as librt of glibc.
  const draft = join(root, 'tmp');
  run(executable, ['--help'], { env: { BECKON_CACHE_DIR: draft } });
  const addons = globSync('**/*.node', { cwd: draft }).map((path) => join(draft, path));
  const libraries = new Set([executable, ...addons].flatMap(librariesOf));
  rmSync(draft, { recursive: true });
  mkdirSync(draft);
  for (const path of libraries) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
  copyFileSync(executable, join(root, 'beckon'));
  chmodSync(join(root, 'beckon'), 0o755);
  // Read-only, but for the data and the cache.
  run('mount', ['--bind', root, root]);
  for (const folder of ['data', 'cache']) run('mount', ['--bind', join(root, folder), join(root, folder)]);
  run('mount', ['-o', 'remount,ro,bind', root]);
};

const check = async () => {
  run('ip', ['link', 'set', 'lo', 'up']);
  const root = mkdtempSync(join(tmpdir(), 'beckon-chroot-'));
  makeRoot(root);
  const env = {
    PATH: process.env['PATH'],
    BECKON_CACHE_DIR: '/cache',
    BECKON_MASTER_KEY: '0123456789abcdef'.repeat(4),
  };
  const beckon = (...args) => run('unshare', [...INSIDE, root, '/beckon', ...args], { env });
  let server;
  const line = (what, value) => console.log(`binary ${what}: ${value}`);
  try {
    line('version', beckon('--version').trim());
    const made = JSON.parse(
      beckon('init', '--public-url', 'http://127.0.0.1:8080', '--org', 'Acme', '--project', 'App', '--json'),
    );
    line('init', made.success);
    const key = made.data.keys.find(({ name }) => name === 'sk_test').secret;

    const start = performance.now();
    server = spawn('unshare', [...INSIDE, root, '/beckon', 'serve', '--port', '0', '--worker', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server.stderr.pipe(process.stderr);
    const [first] = await once(createInterface({ input: server.stdout }), 'line');
    line('serve listens', `${Math.round(performance.now() - start)} ms`);
    const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
    line('serve RSS', `${Math.round(Number(rss) / 1024)} MiB`);
    const { url } = JSON.parse(first).data;
    const post = async (path, body) => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${text}`);
      return JSON.parse(text).data;
    };
    line('event', (await post('/events', { module: 'shop', eventType: 'cart.filled', userId: 'ada' })).accepted);
    await post('/identify', { userId: 'ada', traits: { email: 'ada@example.com', phone: '+14155550123' } });
    await post('/push/tokens', { userId: 'ada', platform: 'ios', token: 'a'.repeat(64) });
    const to = { userIds: ['ada'] };
    line('push', (await post('/push/send', { ...to, title: 'Hello', body: 'World' })).status);
    line('email', (await post('/email/send', { ...to, subject: 'Hello', text: 'World' })).status);
    line('sms', (await post('/sms/send', { ...to, body: 'Hello' })).status);
    const signedUp = await post('/auth-service/signup', {
      email: 'bob@example.com',
      password: 'a long enough password',
    });
    line('sign-up, with argon2 in a thread', signedUp.status);
    await new Promise((done) => void setTimeout(done, 1_500));
    line('dashboard', beckon('dashboard', '--once').split('\n').length > 5);
    line('outbox', JSON.parse(beckon('outbox', 'list', '--json')).data.length);
    beckon('backup', '/data/one.backup');
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    const [code] = await ended;
    line('exit code after SIGTERM', code);
    beckon('restore', '/data/one.backup', '--db', 'sqlite:/data/restored.db');
    line('restored', existsSync(join(root, 'data/restored.db')));

    // A changed file of the cache is replaced and never loaded.
    const [id] = readdirSync(join(root, 'cache'));
    const main = join(root, 'cache', id, 'dist/main.js');
    chmodSync(main, 0o700);
    writeFileSync(main, "console.log('changed')");
    line('a changed file is replaced', beckon('--help').includes('Usage: beckon'));
    line('create', JSON.parse(beckon('create', '/data/shop', '--json')).data.files.length);
    line(
      'licences',
      `${readFileSync(join(root, 'cache', id, 'THIRD-PARTY.txt'), 'utf8').split('\n---\n').length} packages`,
    );
  } finally {
    server?.kill('SIGKILL');
    for (const folder of ['data', 'cache', '']) spawnSync('umount', ['--lazy', join(root, folder)]);
    rmSync(root, { recursive: true, force: true });
  }
};

if (stage === 'inside') await check();
else {
  if (!existsSync(executable)) throw new Error(`there is no ${basename(file)}`);
  const { status } = spawnSync(
    'unshare',
    ['--net', '--mount', process.execPath, import.meta.filename, executable, 'inside'],
    { stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
}
