/*
 * Checks the Dockerfile: a linter, rules of hadolint, and without a Docker engine its steps in a chroot that debootstrap
 * fills with the same Debian: RUN, COPY of the executable, and as its user ENTRYPOINT, HEALTHCHECK and STOPSIGNAL.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, globSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { has, type Report, recipe, root } from './tools.ts';

type Instruction = { readonly keyword: string; readonly text: string };

/** The instructions of a Dockerfile, with continued lines joined and comments removed. */
export const instructionsOf = (text: string): readonly Instruction[] =>
  text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ keyword: line.split(' ')[0] ?? '', text: line.slice(line.indexOf(' ') + 1).trim() }));

/**
 * Numbers of broken rules of hadolint: those for this kind of image. DL3008 (versions of Debian packages) is left out:
 * Debian removes superseded versions, so that pinned ones cannot be installed a week later.
 */
export const brokenRules = (instructions: readonly Instruction[]): readonly string[] => {
  const all = (keyword: string): readonly string[] =>
    instructions.filter((one) => one.keyword === keyword).map(({ text }) => text);
  const runs = all('RUN');
  const installs = runs.filter((one) => one.includes('apt-get install'));
  const isJson = (text: string): boolean => /^\[.*\]$/.test(text);
  const rules: readonly (readonly [string, boolean])[] = [
    ['DL3002 last user is root', ['', 'root', '0'].includes(all('USER').at(-1) ?? '')],
    ['DL3000 WORKDIR is relative', all('WORKDIR').some((path) => !path.startsWith('/'))],
    ['DL3004 sudo', runs.some((one) => /\bsudo\b/.test(one))],
    ['DL3006 image without a tag', all('FROM').some((one) => !/[:@]/.test(one))],
    ['DL3007 tag latest', all('FROM').some((one) => /:latest\b/.test(one))],
    ['DL3009 lists of apt are left', installs.some((one) => !one.includes('rm -rf /var/lib/apt/lists/*'))],
    ['DL3014 apt-get without -y', installs.some((one) => !/ -y /.test(one))],
    ['DL3015 recommended packages', installs.some((one) => !one.includes('--no-install-recommends'))],
    ['DL3020 ADD of files', all('ADD').length > 0],
    ['DL3025 CMD or ENTRYPOINT is not JSON', [...all('CMD'), ...all('ENTRYPOINT')].some((one) => !isJson(one))],
    ['DL3027 apt', runs.some((one) => /\bapt (install|update)/.test(one))],
    ['DL3057 no HEALTHCHECK', all('HEALTHCHECK').length === 0],
    ['DL4000 MAINTAINER', all('MAINTAINER').length > 0],
  ];
  return rules.filter(([, isBroken]) => isBroken).map(([name]) => name);
};

export const lintImage = (report: Report, tools: NodeJS.Require): void => {
  const { validate } = tools('dockerfile-utils');
  const found: readonly { readonly message: string }[] = validate(recipe('Dockerfile'));
  report(
    'Dockerfile, dockerfile-utils',
    [],
    found.map(({ message }) => message),
  );
};

const run = (command: string, ...args: readonly string[]): void => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 900_000 });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`.slice(-4_000));
};

/** The executable, built into a folder. */
const buildExecutable = (folder: string): string => {
  run(process.execPath, join(root, 'scripts/binary/build.mjs'), folder);
  const [file] = globSync(join(folder, 'beckon-*-linux-*')).filter((path) => !/\.\w+$/.test(path));
  if (file === undefined) throw new Error('no executable was built');
  return file;
};

const untilExit = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
};

/** Runs the steps of the Dockerfile in a folder, which the caller removes. Root, Linux. */
export const tryImage = async (report: Report, folder: string): Promise<void> => {
  if (process.getuid?.() !== 0 || !has('debootstrap') || !has('unshare')) {
    console.log('recipe Dockerfile steps: not tried, they need root and debootstrap');
    return;
  }
  const instructions = instructionsOf(recipe('Dockerfile'));
  const all = (keyword: string): readonly string[] =>
    instructions.filter((one) => one.keyword === keyword).map(({ text }) => text);
  const image = join(folder, 'image');
  const release = /^debian:(\w+)-slim/.exec(all('FROM')[0] ?? '')?.[1] ?? '';
  run('debootstrap', '--variant=minbase', release, image);
  for (const step of all('RUN')) run('chroot', image, '/bin/sh', '-c', step);
  report('Dockerfile RUN steps in a chroot', 1, all('RUN').length);

  const built = join(folder, 'executable');
  mkdirSync(built);
  const [, program = ''] = / (\/\S+)$/.exec(all('COPY')[0] ?? '') ?? [];
  copyFileSync(buildExecutable(built), join(image, program));
  chmodSync(join(image, program), 0o755);

  const user = all('USER')[0] ?? '';
  const env = [...all('ENV').join(' ').split(' '), `BECKON_MASTER_KEY=${'0123456789abcdef'.repeat(4)}`];
  const inside = ['chroot', `--userspec=${user}:${user}`, image, '/usr/bin/env', '-i', ...env, 'HOME=/data'];
  const entry = JSON.parse(all('ENTRYPOINT')[0] ?? '[]').join(' ');
  const inWorkdir = (args: string): string =>
    `${inside.join(' ')} /bin/sh -c 'cd ${all('WORKDIR')[0]} && exec ${entry} ${args}'`;
  // As `docker run` does before the first start.
  run('sh', '-c', inWorkdir('init --public-url https://beckon.example.com'));
  const start = `ip link set lo up && exec ${inWorkdir(JSON.parse(all('CMD')[0] ?? '[]').join(' '))}`;
  const child = spawn('unshare', ['--net', 'sh', '-c', start], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const probe: readonly string[] = JSON.parse(/CMD (\[.*\])/.exec(all('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]');
    const isHealthy = (): boolean =>
      spawnSync('nsenter', ['--target', String(child.pid), '--net', ...inside, ...probe]).status === 0;
    let tries = 0;
    while (!isHealthy() && tries < 100 && child.exitCode === null) {
      tries += 1;
      await sleep(100);
    }
    report('Dockerfile HEALTHCHECK of the running program', true, isHealthy());
    const [database] = globSync(join(image, 'data/**/*.db'));
    report('Dockerfile user owns the database', Number(user), database === undefined ? -1 : statSync(database).uid);
    const ended = untilExit(child);
    child.kill('SIGTERM');
    report('Dockerfile STOPSIGNAL', ['SIGTERM', 0], [all('STOPSIGNAL')[0], await ended]);
  } finally {
    child.kill('SIGKILL');
    rmSync(image, { recursive: true, force: true });
  }
};
