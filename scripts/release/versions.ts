/* The next versions and changelogs, in a worktree beside the checkout, which stays as it is. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = ['core', 'http', 'cli', 'sdk-js'];

/** Runs a command and returns its output. Throws with the output if the command fails. */
export const run = (cwd: string, command: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${error?.message ?? ''}\n${stdout}${stderr}`);
  return stdout;
};

/** Links what is installed. The packages of the workspace are linked to those of the worktree. */
const linkInstalled = (root: string, folder: string): void => {
  for (const part of ['.', ...PACKAGES.map((name) => `packages/${name}`)]) {
    const from = join(root, part, 'node_modules');
    if (!existsSync(from)) continue;
    mkdirSync(join(folder, part, 'node_modules'), { recursive: true });
    for (const entry of readdirSync(from))
      if (entry !== '@beckon') symlinkSync(join(from, entry), join(folder, part, 'node_modules', entry));
  }
  const own = join(folder, 'node_modules/@beckon');
  mkdirSync(own);
  for (const name of PACKAGES) symlinkSync(`../../packages/${name}`, join(own, name));
};

/** A worktree of a commit that can build with what is installed here. The caller removes it. */
export const addWorktree = (root: string, folder: string, commit = 'HEAD'): void => {
  run(root, 'git', 'worktree', 'add', '--quiet', '--detach', folder, commit);
  linkInstalled(root, folder);
};

/** Removes a worktree. Throws nothing. */
export const removeWorktree = (root: string, folder: string): void => {
  spawnSync('git', ['worktree', 'remove', '--force', folder], { cwd: root });
};

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

export type Versions = Readonly<Record<string, string>>;

/** The versions of the packages in a folder. */
export const versionsIn = (folder: string): Versions =>
  Object.fromEntries(
    PACKAGES.map((name) => readJson(join(folder, 'packages', name, 'package.json'))).map(({ name, version }) => [
      name,
      version,
    ]),
  );

/** The lock file repeats the manifests of the workspace. */
const updateLock = (folder: string): void => {
  const file = join(folder, 'package-lock.json');
  const lock = readJson(file);
  for (const name of PACKAGES) {
    const { version, dependencies } = readJson(join(folder, 'packages', name, 'package.json'));
    const entry = lock.packages[`packages/${name}`];
    entry.version = version;
    if (dependencies) entry.dependencies = dependencies;
  }
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
};

/** Files that name the version of the program. */
const NAMED = [
  'packages/core/src/foundation/program-version.ts',
  'examples/deploy/kubernetes.yaml',
  'docs/guides/self-host-sqlite.md',
];

/** Applies the changesets of a folder: manifests, changelogs, the lock file, and every other mention of the version. */
export const applyVersions = (folder: string): Versions => {
  const before = versionsIn(folder);
  run(folder, process.execPath, join(folder, 'node_modules/@changesets/cli/bin.js'), 'version');
  updateLock(folder);
  const after = versionsIn(folder);
  const [old, next] = [before['@beckon/core'] ?? '', after['@beckon/core'] ?? ''];
  for (const path of NAMED) {
    const text = readFileSync(join(folder, path), 'utf8');
    if (!text.includes(old)) throw new Error(`${path} no longer names the version ${old}`);
    writeFileSync(join(folder, path), text.replaceAll(old, next));
  }
  return after;
};

/** The text of a package's changelog about one version. */
export const changesOf = (folder: string, version: string): string => {
  const text = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  const [, rest = ''] = text.split(`\n## ${version}\n`);
  return (rest.split(/\n## \d/)[0] ?? '').trim();
};
