/*
 * npm run release -- --dry-run [--packed FOLDER] [--out FOLDER]   everything but the commit and the upload
 * npm run release -- --repository URL                             commits, tags, keeps the files in .releases, uploads
 * npm run release -- --upload FOLDER                              goes on with an upload that failed
 *
 * Works in a worktree beside the checkout: next versions and changelogs from the changesets, packages, their contents,
 * checksums, lists of materials and licences. `--packed` checks tarballs that exist instead of packing anew.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changedMigrations, DIGESTS, digestsOf } from '../packages/core/test/support/fixtures/frozen.ts';
import { faultsOf, type Packed } from './release/contents.ts';
import { bomOf, bundledOf, licensesOf, type Material, materialsOf, unacceptedOf } from './release/materials.ts';
import { addWorktree, applyVersions, changesOf, removeWorktree, run, versionsIn } from './release/versions.ts';

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    packed: { type: 'string' },
    out: { type: 'string' },
    upload: { type: 'string' },
    repository: { type: 'string' },
  },
});
const isDry = values['dry-run'];
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
/** In the order of the upload: a package comes after those that it depends on. */
const UPLOADED = ['beckon-core', 'beckon-http', 'beckon-sdk-js', 'beckon-cli', 'create-beckon'];
const WORKSPACES: Readonly<Record<string, string>> = {
  '@beckon/core': 'packages/core',
  '@beckon/http': 'packages/http',
  '@beckon/sdk-js': 'packages/sdk-js',
  '@beckon/cli': 'packages/cli',
};

const faults: string[] = [];
const needs: string[] = [];
const say = (what: string, value: string): void => console.log(`release ${what}: ${value}`);

const unpack = (tarball: string, to: string): Packed => {
  mkdirSync(to);
  run(to, 'tar', '-xzf', tarball, '--strip-components=1');
  const paths = readdirSync(to, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(to, join(entry.parentPath, entry.name)));
  const files = new Map(paths.map((path) => [path, readFileSync(join(to, path), 'utf8')]));
  return { manifest: JSON.parse(files.get('package.json') ?? '{}'), files };
};

/** The licence in the manifest of an installed package, also in the form of old manifests. */
const licenseOf = (path: string): string | null => {
  const { license, licenses } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  if (typeof license === 'string') return license;
  const old: unknown = Array.isArray(licenses) ? licenses[0]?.type : license?.type;
  return typeof old === 'string' ? old : null;
};

const frozen: Readonly<Record<string, string>> = JSON.parse(readFileSync(DIGESTS, 'utf8'));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

/** Checks one tarball, and writes its list of materials. */
const check = (tarball: string, scratch: string, out: string): readonly Material[] => {
  const packed = unpack(tarball, join(scratch, basename(tarball, '.tgz')));
  const { name, version } = packed.manifest;
  faults.push(
    ...faultsOf(packed, { root, repository: values.packed ? undefined : values.repository }).map(
      (fault) => `${name} ${fault}`,
    ),
  );
  const workspace = WORKSPACES[name];
  const materials = [
    ...(workspace === undefined ? [] : materialsOf(lock, workspace, licenseOf)),
    ...bundledOf(packed.files.get('dist/THIRD-PARTY.txt') ?? ''),
  ];
  faults.push(
    ...unacceptedOf(materials).map((one) => `${name} brings ${one.name} with the licence ${one.license ?? 'none'}`),
  );
  writeFileSync(
    join(out, `${basename(tarball, '.tgz')}.cdx.json`),
    `${JSON.stringify(bomOf(name, version, materials), null, 2)}\n`,
  );
  const { size } = statSync(tarball);
  say(
    name,
    `${version}, ${packed.files.size} files, ${(size / 1e3).toFixed(0)} kB, brings ${materials.length} packages`,
  );
  return materials;
};

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Uploads what the registry does not have yet, so that an upload that failed can be repeated. */
const upload = (out: string): void => {
  for (const name of UPLOADED)
    for (const file of globSync(join(out, `${name}-[0-9]*.tgz`))) {
      const [, version = ''] = /-(\d+\..*)\.tgz$/.exec(file) ?? [];
      const registered = name.startsWith('beckon-') ? name.replace('beckon-', '@beckon/') : name;
      if (
        spawnSync('npm', ['view', `${registered}@${version}`, 'version'])
          .stdout.toString()
          .trim() === version
      )
        continue;
      run(out, 'npm', 'publish', file);
      say('uploaded', basename(file));
    }
};

const release = (scratch: string, worktree: string): void => {
  const dirty = run(root, 'git', 'status', '--porcelain').trim();
  if (dirty !== '') needs.push('the checkout has changes that are not committed');
  addWorktree(root, worktree);
  const before = versionsIn(root);
  const after = applyVersions(worktree);
  const version = after['@beckon/core'] ?? '';
  for (const [name, next] of Object.entries(after))
    if (next !== before[name]) {
      const lines = changesOf(join(worktree, WORKSPACES[name] ?? ''), next).split('\n').length;
      say('version', `${name} ${before[name]} -> ${next}, ${lines} lines of the changelog`);
    }
  if (values.repository === undefined) needs.push('provenance points to a repository: pass --repository URL');
  if (version === before['@beckon/core']) needs.push('no changeset asks for a new version');
  const unfrozen = Object.keys(digestsOf()).filter((name) => !(name in frozen));
  if (unfrozen.length > 0)
    needs.push(`migrations without a fixture (${unfrozen.join(', ')}): run scripts/schema-fixture.ts ${version}`);
  faults.push(...changedMigrations().map((name) => `the released migration ${name} has changed`));

  const out = resolve(values.out ?? (isDry ? join(scratch, 'out') : join(root, '.releases', version)));
  mkdirSync(out, { recursive: true });
  if (values.packed !== undefined)
    for (const file of globSync(join(resolve(values.packed), '*.tgz'))) cpSync(file, join(out, basename(file)));
  else
    run(
      worktree,
      process.execPath,
      'scripts/pack.mjs',
      out,
      ...(values.repository === undefined ? [] : [values.repository]),
    );
  const tarballs = globSync(join(out, '*.tgz')).toSorted();
  const names = tarballs.map((file) => basename(file).replace(/-\d+\..*$/, ''));
  if (names.join() !== UPLOADED.toSorted().join()) faults.push(`the packages are ${names.join(', ')}`);
  const materials = tarballs.flatMap((tarball) => check(tarball, scratch, out));
  const distinct = [...new Map(materials.map((one) => [`${one.name} ${one.version}`, one])).values()];
  say(
    'licences',
    licensesOf(distinct)
      .map(([license, count]) => `${license} ${count}`)
      .join(', '),
  );
  const sums = tarballs.map((file) => `${sha256(file)}  ${basename(file)}\n`).join('');
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  run(out, 'sha256sum', '--check', '--quiet', 'SHA256SUMS');
  say('files', globSync('*', { cwd: out }).toSorted().join(', '));

  for (const need of needs) say('needs', need);
  for (const fault of faults) say('fault', fault);
  if (faults.length > 0 || (!isDry && needs.length > 0)) throw new Error('Nothing was committed or uploaded.');
  if (isDry) say('ends', 'a dry run commits and uploads nothing');
  else {
    run(worktree, 'git', 'add', '--all', '--', '.', ':!node_modules', ':!packages/*/node_modules');
    run(worktree, 'git', 'commit', '--quiet', '--message', `Release ${version}`);
    run(worktree, 'git', 'tag', `v${version}`);
    run(root, 'git', 'merge', '--quiet', '--ff-only', `v${version}`);
    upload(out);
  }
};

if (values.upload !== undefined) upload(resolve(values.upload));
else {
  const scratch = mkdtempSync(join(tmpdir(), 'beckon-release-'));
  const worktree = join(scratch, 'checkout');
  try {
    release(scratch, worktree);
  } finally {
    removeWorktree(root, worktree);
    rmSync(scratch, { recursive: true, force: true });
  }
}
