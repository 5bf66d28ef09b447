/*
 * Makes the tarballs that are published: node scripts/pack.mjs <folder> [<URL of the repository>]
 * Works on copies, so that no manifest of the checkout changes.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildAll } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PLATFORM_NODE = /^node-/;

const CREATE_README = `# create-beckon

Creates an application with Beckon inside: a server with Express or Hono, a workflow in git and its test.

\`\`\`bash
npm create beckon my-app
npm create beckon my-app -- --framework hono
\`\`\`

\`npx @beckon/cli create my-app\` does the same.
`;

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The files that every package has. */
const writePackage = (to, manifest, readme) => {
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
  if (readme !== '') writeFileSync(join(to, 'README.md'), readme);
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
};

/** The manifest for readers of the registry: nothing that points into a checkout. */
const toPublished = ({ scripts: _scripts, devDependencies: _devDependencies, ...manifest }) => {
  const withoutSource = (node) =>
    node && typeof node === 'object'
      ? Object.fromEntries(
          Object.entries(node)
            .filter(([key]) => key !== '@beckon/source')
            .map(([key, value]) => [key, withoutSource(value)]),
        )
      : node;
  if (
    Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).some((name) => PLATFORM_NODE.test(name))
  ) {
    throw new Error(`${manifest.name} must not depend on a platform package of Node`);
  }
  return manifest.exports ? { ...manifest, exports: withoutSource(manifest.exports) } : manifest;
};

/** Where provenance of the registry points to; the URL is known when a release is made. */
const repositoryOf = (url, directory) => (url === undefined ? {} : { repository: { type: 'git', url, directory } });
const PUBLISH = { publishConfig: { access: 'public', provenance: true } };

/** Copies a declaration and what it imports; refuses drizzle-orm, which readers do not have. */
const copyDeclarations = (from, to, file, seen = new Set()) => {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(join(from, file), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
  if (/['"]drizzle-orm/.test(text)) throw new Error(`${join(from, file)} is public and names drizzle-orm`);
  const relative = /((?:from|import)\s*\(?\s*['"])(\.[^'"]+)\.ts(['"])/g;
  for (const [, , path] of text.matchAll(relative))
    copyDeclarations(from, to, join(dirname(file), `${path}.d.ts`), seen);
  mkdirSync(dirname(join(to, file)), { recursive: true });
  writeFileSync(join(to, file), text.replace(relative, '$1$2.js$3'));
};

const stage = (name, to, url) => {
  const folder = join(root, 'packages', name);
  const manifest = toPublished(readManifest(folder));
  cpSync(join(folder, 'dist'), join(to, 'dist'), {
    recursive: true,
    filter: (path) => !/\.d\.ts$|\.map$|\.tsbuildinfo/.test(path),
  });
  for (const { types } of Object.values(manifest.exports ?? {}))
    if (types) copyDeclarations(join(folder, 'dist'), join(to, 'dist'), types.replace('./dist/', ''));
  for (const file of Object.values(manifest.exports ?? {}))
    if (typeof file === 'string') cpSync(join(folder, file), join(to, file));
  for (const part of ['bin', 'starter'])
    if (existsSync(join(folder, part))) cpSync(join(folder, part), join(to, part), { recursive: true });
  cpSync(join(folder, 'CHANGELOG.md'), join(to, 'CHANGELOG.md'));
  const files = [...manifest.files, 'CHANGELOG.md'];
  const readme = [join(folder, 'README.md'), join(root, 'README.md')].find(existsSync);
  const published = { ...manifest, ...repositoryOf(url, `packages/${name}`), ...PUBLISH, files };
  writePackage(to, published, readme ? readFileSync(readme, 'utf8') : '');
};

/** `npm create beckon DIR` runs the package of this name: the starters and one program without dependencies. */
const stageCreate = async (to, url) => {
  const folder = join(root, 'packages/cli');
  const { version, license, type, engines } = readManifest(folder);
  await build({
    entryPoints: [join(folder, 'src/create-beckon.ts')],
    outfile: join(to, 'dist/create-beckon.js'),
    banner: { js: '#!/usr/bin/env node' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'warning',
  });
  cpSync(join(folder, 'starter'), join(to, 'starter'), { recursive: true });
  const manifest = {
    ...{ name: 'create-beckon', version, description: 'Creates an application with Beckon inside: npm create beckon.' },
    ...{ keywords: ['create', 'beckon', 'starter', 'customer engagement', 'express', 'hono'] },
    ...repositoryOf(url, 'packages/cli'),
    ...PUBLISH,
    ...{ license, type, engines, bin: { 'create-beckon': 'dist/create-beckon.js' }, files: ['dist', 'starter'] },
  };
  writePackage(to, manifest, CREATE_README);
};

/** The site that `beckon docs` serves is a part of the program's dist, which a build has emptied. */
const buildDocs = () => {
  const preload = new URL('source-preload.mjs', import.meta.url).href;
  const script = join(root, 'scripts/build-docs.ts');
  const { status } = spawnSync(process.execPath, ['--import', preload, script], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the docs were not built');
};

const removeEmpty = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
};

const packFolder = (name, from, folder) => {
  const { stdout, stderr, status } = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: from,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm pack failed for ${name}:\n${stderr}`);
  return join(folder, JSON.parse(stdout)[0].filename);
};

/** Builds, packs every package into `folder` and answers the paths of the tarballs. */
export const packAll = async (folder, url) => {
  await buildAll();
  buildDocs();
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'beckon-pack-'));
  try {
    const tarballs = [];
    for (const name of ['core', 'http', 'cli', 'sdk-js', 'create-beckon']) {
      const to = join(staging, name);
      mkdirSync(to);
      if (name === 'create-beckon') await stageCreate(to, url);
      else stage(name, to, url);
      removeEmpty(to);
      tarballs.push(packFolder(name, to, folder));
    }
    return tarballs;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  if (!process.argv[2]) throw new Error('usage: node scripts/pack.mjs <folder>');
  for (const path of await packAll(resolve(process.argv[2]), process.argv[3])) console.log(path);
}
