// Tries the files of examples/deploy as far as one machine can: nginx and Caddy run in front of `beckon serve`, systemd
// analyses the unit, the steps of the Dockerfile run in a chroot, Kubernetes' manifests are compared with its OpenAPI
// description, the CI files push to a server, and the rest is parsed. node scripts/recipes.ts [--without-image]

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryCiFiles } from './recipes/ci-files.ts';
import { brokenRules, instructionsOf, lintImage, tryImage } from './recipes/image.ts';
import { checkAgainstOpenApi, checkManifests } from './recipes/manifests.ts';
import { has, installTools, recipe, reporter, root } from './recipes/tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'beckon-recipes-'));
const children: ChildProcess[] = [];
const { report, failures } = reporter();

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
};

const start = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess => {
  const child = spawn(command, [...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
};

/** A server with one proxy before it. */
const serve = async (): Promise<{ readonly port: number; readonly key: string; readonly secret: string }> => {
  const port = await freePort();
  const child = start(
    process.execPath,
    [
      join(root, 'packages/cli/bin/beckon.js'),
      'serve',
      '--dev',
      '--data-dir',
      join(folder, 'data'),
      '--port',
      String(port),
      '--json',
    ],
    { BECKON_TRUSTED_PROXIES: '1', BECKON_PUBLIC_URL: 'https://beckon.example.com' },
  );
  if (!child.stdout) throw new Error('the server was started without a pipe to its output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { data } = JSON.parse(String(line));
  child.stdout.resume();
  const keyOf = (kind: string): string =>
    data.tenant.keys.find(({ name }: { readonly name: string }) => name === kind).secret;
  return { port, key: keyOf('pk_test'), secret: keyOf('sk_test') };
};

const isOpen = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(50);
  }
  throw new Error(`${url} does not answer`);
};

/** What matters of a proxy: paths, large bodies, and the client's address. */
const tryProxy = async (name: string, origin: string, key: string): Promise<void> => {
  await isOpen(origin);
  const status = async (path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${origin}${path}`, init)).status;
  report(`${name} passes the API`, 200, await status('/api/v1/openapi.json'));
  report(
    `${name} hides the rest`,
    [404, 404, 404],
    [await status('/'), await status('/healthz'), await status('/metrics')],
  );
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const post = (body: string, more: Record<string, string> = {}) =>
    status('/api/v1/auth-service/login', { method: 'POST', headers: { ...headers, ...more }, body });
  report(`${name} lets Beckon refuse a large body`, 413, await post(JSON.stringify({ email: 'a'.repeat(1_500_000) })));
  // 30 sign-ins a minute from one address. The proxy's own header cannot be forged: the last address counts.
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      post('{"email":"a@example.com","password":"wrong"}', { 'x-forwarded-for': `203.0.113.${at}` }),
    ),
  );
  report(`${name} shows the client's address`, [true, true], [answers.includes(401), answers.includes(429)]);
};

const tryNginx = async (upstream: number, key: string): Promise<void> => {
  const port = await freePort();
  const site = recipe('nginx.conf')
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${upstream};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ {2}ssl_certificate.*\n/gm, '');
  const file = join(folder, 'nginx.conf');
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  writeFileSync(
    file,
    // As root nginx would change to another user, who may not write here.
    `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid ${folder}/nginx.pid; error_log stderr warn; worker_processes 1; events {} http { access_log off; ${places.join(' ')}\n${site}}\n`,
  );
  start('nginx', ['-c', file, '-p', folder]);
  await tryProxy('nginx', `http://127.0.0.1:${port}`, key);
};

const tryCaddy = async (upstream: number, key: string): Promise<void> => {
  const port = await freePort();
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${recipe('Caddyfile')}`);
  start('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    BECKON_SITE: `http://127.0.0.1:${port}`,
    BECKON_UPSTREAM: `127.0.0.1:${upstream}`,
    HOME: folder,
  });
  await tryProxy('caddy', `http://127.0.0.1:${port}`, key);
};

/** Exposure from 0 to 10, as `systemd-analyze security` counts it. */
const MAX_EXPOSURE = 2;

const trySystemd = (): void => {
  const unit = join(folder, 'beckon.service');
  writeFileSync(unit, recipe('beckon.service').replace('/usr/local/bin/beckon', process.execPath));
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  report('systemd accepts the unit', '', verified.stderr.trim());
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' });
  const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
  console.log(`recipe systemd exposure: ${exposure}`);
  report('systemd hardens the unit', true, exposure <= MAX_EXPOSURE);
};

try {
  checkManifests(report);
  report('Dockerfile, rules of hadolint', [], brokenRules(instructionsOf(recipe('Dockerfile'))));
  const tools = installTools(folder);
  if (tools !== null) {
    lintImage(report, tools);
    await checkAgainstOpenApi(report, folder);
  }
  if (!process.argv.includes('--without-image')) await tryImage(report, folder);
  const { port, secret } = await serve();
  tryCiFiles(report, folder, { url: `http://127.0.0.1:${port}`, key: secret });
  rmSync(join(folder, 'data'), { recursive: true, force: true });
  if (has('systemd-analyze')) trySystemd();
  else console.log('recipe systemd: not tried, there is no systemd-analyze');
  for (const [program, attempt] of [
    ['nginx', tryNginx],
    ['caddy', tryCaddy],
  ] as const) {
    if (!has(program)) {
      console.log(`recipe ${program}: not tried, it is not installed`);
      continue;
    }
    const { port, key } = await serve();
    await attempt(port, key);
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  }
} finally {
  for (const child of children) child.kill('SIGTERM');
  await sleep(500);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures() === 0 ? 0 : 1;
