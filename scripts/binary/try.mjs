/*
 * Builds the executable in a temporary folder and tries it: node scripts/binary/try.mjs [--timed]
 * `--timed` compares its start and memory with the bundled package, in turns.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildAll } from '../build.mjs';
import { buildBinary } from './build.mjs';

const ROUNDS = 7;
const packaged = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'beckon-binary-'));
const environment = {
  ...process.env,
  BECKON_DB: `sqlite:${join(folder, 'beckon.db')}`,
  BECKON_PUBLIC_URL: 'http://127.0.0.1:8080',
  BECKON_MASTER_KEY: '0123456789abcdef'.repeat(4),
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Milliseconds until `serve` listens, and its memory in MiB then. */
const serve = async (command, args, env) => {
  const begun = performance.now();
  const child = spawn(command, [...args, 'serve', '--port', '0', '--worker', '--json'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  const ms = performance.now() - begun;
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return { ms, rss };
};

const timed = async (output) => {
  await buildAll();
  const ours = { ...environment, BECKON_CACHE_DIR: join(folder, 'cache') };
  const version = [];
  const [binary, node] = [[], []];
  spawnSync(output, ['init', '--org', 'Acme', '--project', 'App'], { cwd: folder, env: ours });
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    spawnSync(output, ['--version'], { env: ours });
    version.push(performance.now() - begun);
    binary.push(await serve(output, [], ours));
    node.push(await serve(process.execPath, [packaged], environment));
  }
  const of = (results, key) => median(results.map((result) => result[key]));
  const line = (key, unit) =>
    `${of(binary, key).toFixed(0)} ${unit}, ${(of(binary, key) / of(node, key)).toFixed(2)} times the package (${of(node, key).toFixed(0)} ${unit})`;
  console.log(`binary version: ${median(version).toFixed(0)} ms`);
  console.log(`binary start: ${line('ms', 'ms')}`);
  console.log(`binary memory: ${line('rss', 'MiB')}`);
};

try {
  const { output, size } = await buildBinary(folder);
  console.log(`binary size: ${(size / 1e6).toFixed(1)} MB`);
  if (process.argv.includes('--timed')) await timed(output);
  else if (process.platform !== 'linux' || process.getuid?.() !== 0)
    console.log('binary chroot: not tried; it needs Linux and root');
  else {
    const check = fileURLToPath(new URL('check.mjs', import.meta.url));
    process.exitCode = spawnSync(process.execPath, [check, output], { stdio: 'inherit' }).status ?? 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
