/*
 * Makes packages/<name>/dist as it is published: declarations from TypeScript, and per package one bundle split at its
 * dynamic imports. drizzle-orm is part of the bundle, because importing its hundred files costs half a second and
 * 190 MB; everything a manifest names stays an import.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildSdk } from './build-sdk.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = {
  core: [
    ...['src/index.ts', 'src/identity.ts', 'src/testing.ts'],
    ...['src/database/sqlite/reader.ts', 'src/identity/passwords/hash-thread.ts'],
  ],
  http: ['src/index.ts', ...['express', 'fastify', 'hono', 'next'].map((host) => `src/hosts/${host}.ts`)],
  cli: ['src/main.ts'],
};
/** Entries that may import optional peers at once, since nobody without them has a use for it. */
const NEEDS_PEERS = new Set(['src/testing.ts']);

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Chunks that are loaded with the entry, that is, without any dynamic import. */
const loadedAtOnce = (outputs, entry) => {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const one of outputs[path]?.imports ?? []) if (one.kind === 'import-statement') visit(one.path);
  };
  visit(Object.keys(outputs).find((path) => outputs[path].entryPoint === entry));
  return seen;
};

/** The name, licence and licence text of every package that became part of a bundle. */
const notices = (metafile) => {
  const folders = Object.keys(metafile.inputs).map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(folders)].filter(Boolean).map((folder) => {
    const { name, version, license } = readManifest(join(root, folder));
    const texts = globSync(join(root, folder, '{LICEN[CS]E*,licen[cs]e*}')).map((path) => readFileSync(path, 'utf8'));
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
};

const bundle = async (name, files) => {
  const folder = join(root, 'packages', name);
  const manifest = readManifest(folder);
  const outside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const { metafile } = await build({
    absWorkingDir: root,
    // All beside each other: what a thread runs is found beside the bundle, as migrations are.
    entryPoints: files.map((file) => ({ in: join('packages', name, file), out: basename(file, '.ts') })),
    outdir: join('packages', name, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: outside.flatMap((dependency) => [dependency, `${dependency}/*`]),
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of files.filter((one) => !NEEDS_PEERS.has(one))) {
    const early = loadedAtOnce(metafile.outputs, join('packages', name, file));
    for (const peer of Object.keys(manifest.peerDependenciesMeta ?? {})) {
      if (early.has(peer))
        throw new Error(`${manifest.name} imports its optional peer ${peer} at once; it must be behind import().`);
    }
  }
  const included = notices(metafile);
  if (included.length > 0) writeFileSync(join(folder, 'dist', 'THIRD-PARTY.txt'), `${included.join('\n\n---\n\n')}\n`);
};

/** Builds all packages anew. Throws when a step fails; its output has then been shown. */
export const buildAll = async () => {
  const names = [...Object.keys(entries), 'sdk-js'];
  // Declarations stay: tsc -b knows which of them are out of date.
  for (const path of globSync('packages/*/dist/**', { cwd: root, withFileTypes: true }))
    if (path.isFile() && !/\.d\.ts(\.map)?$|\.tsbuildinfo$/.test(path.name)) rmSync(join(path.parentPath, path.name));
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc');
  const checked = spawnSync(
    process.execPath,
    [tsc, '-b', ...names.map((name) => `packages/${name}`), 'packages/sdk-js/tsconfig.node.json'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  if (checked.status !== 0) throw new Error('tsc -b failed');
  for (const [name, files] of Object.entries(entries)) await bundle(name, files);
  await buildSdk(root);
  const migrations = join(root, 'packages/core/src/database/migrations');
  for (const dialect of existsSync(migrations) ? ['sqlite', 'postgres'] : []) {
    for (const file of globSync(join(migrations, dialect, '*.sql'))) {
      cpSync(file, join(root, 'packages/core/dist/migrations', dialect, basename(file)));
    }
  }
};

if (import.meta.main) await buildAll();
