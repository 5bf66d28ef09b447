/*
 * Builds the program as one executable: node scripts/binary/build.mjs [FOLDER]
 *
 * The executable is the Node of the checkout, stripped, with one compressed archive: the bundled program, and the
 * packages with native addons or worker files, which cannot be bundled. At its first start it extracts them.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, zstdCompressSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const core = join(root, 'packages/core');
const cli = join(root, 'packages/cli');
const target = `${process.platform}-${process.arch}`;
/** Packages that stay packages: they have native addons, start threads from files, or are loaded by name on demand. */
const OUTSIDE = ['better-sqlite3', '@node-rs/argon2', '@node-rs/bcrypt', 'piscina', 'string-width', 'yaml'];
/** What a package needs at run time. */
const RUNTIME_FILES = /\.(c?js|mjs|json|node|wasm)$/;

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');
const run = (command, args, options = {}) => {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
};

/** The folder of an installed package, as another one finds it. */
const folderOf = (name, from) => {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return path;
    if (folder === dirname(folder)) return null;
  }
};

/** The manifest of the package that a file belongs to. */
const findManifest = (file) => {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path) && 'name' in readJson(path)) return readJson(path);
    if (folder === dirname(folder)) return {};
  }
};

/** Copies a package and what it depends on. Optional packages of other platforms are not installed, so not found. */
const copyPackage = (name, from, to, copied = new Set()) => {
  const folder = folderOf(name, from);
  if (folder === null || copied.has(name)) return copied;
  copied.add(name);
  const { dependencies = {}, optionalDependencies = {} } = readJson(join(folder, 'package.json'));
  for (const path of globSync('**/*', { cwd: folder, exclude: (path) => /(^|\/)node_modules$/.test(path) })) {
    const source = join(folder, path);
    const isAddon = path.endsWith('.node');
    if (!statSync(source).isFile() || !RUNTIME_FILES.test(path)) continue;
    if (/(^|\/)(deps|src|test|tests|benchmark|docs|examples?|types)\//.test(path)) continue;
    if (isAddon && name === 'better-sqlite3' && !path.endsWith(`${target}.node`)) continue;
    const at = join(to, 'node_modules', name, path);
    mkdirSync(dirname(at), { recursive: true });
    copyFileSync(source, at);
  }
  for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) copyPackage(next, folder, to, copied);
  return copied;
};

/** A CycloneDX bill of materials of the packages in the executable. Source of the format: CycloneDX 1.6. */
const materialsOf = (version, folders) => {
  const component = (folder) => {
    const { name, version: of, license } = readJson(join(folder, 'package.json'));
    return {
      ...{ type: 'library', name, version: of, purl: `pkg:npm/${name.replace('@', '%40')}@${of}` },
      ...(typeof license === 'string' && {
        licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
      }),
    };
  };
  const node = {
    type: 'platform',
    name: 'node',
    version: process.versions.node,
    licenses: [{ license: { id: 'MIT' } }],
  };
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: {
      component: { type: 'application', name: 'beckon', version, licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components: [node, ...[...folders].toSorted().map(component)],
  };
};

/** Name, licence and licence text of each package in the executable. */
const noticesOf = (folders) =>
  [...folders].toSorted().map((folder) => {
    const { name, version, license = 'no licence named' } = readJson(join(folder, 'package.json'));
    const texts = globSync('{LICEN[CS]E,licen[cs]e,COPYING,NOTICE}*', { cwd: folder })
      .filter((file) => statSync(join(folder, file)).isFile())
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${typeof license === 'string' ? license : license.type})`, ...texts].join('\n\n');
  });

/**
 * `import()` of a CommonJS package gives its named exports in Node, but only `default` in a bundle. This names them, as
 * Node finds them.
 */
const namedExports = {
  name: 'named exports of CommonJS packages',
  setup: ({ onResolve, onLoad, resolve: resolvePath }) => {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData?.isNamed || OUTSIDE.includes(path)) return;
      if (path.startsWith('node:') || path.startsWith('@beckon/')) return;
      const { path: file } = await resolvePath(path, {
        kind: 'require-call',
        resolveDir,
        pluginData: { isNamed: true },
      });
      const manifest = findManifest(file);
      if (file.endsWith('.mjs') || (manifest.type === 'module' && !file.endsWith('.cjs'))) return;
      return { path: file, namespace: 'named' };
    });
    onLoad({ filter: /./, namespace: 'named' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default' && name !== 'module.exports');
      const contents = `const whole = require(${JSON.stringify(path)}); export default whole; export const { ${names.join(', ')} } = whole;`;
      return { contents, resolveDir: dirname(path), loader: 'js' };
    });
  },
};

/** Throws if the program has two copies of the registry of ASN.1 types: each ES256 passkey would then be refused. */
const requireOneRegistry = (inputs) => {
  const copies = inputs.flatMap((path) => /^(.*\/asn1-schema\/build\/\w+)\//.exec(path)?.[1] ?? []);
  if (new Set(copies).size > 1) throw new Error(`Several copies in one program: ${[...new Set(copies)].join(', ')}`);
};

/** Bundles the program into `to`; the folders of the packages that became part of it. */
const bundleProgram = async (to) => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      main: join(cli, 'src/main.ts'),
      reader: join(core, 'src/database/sqlite/reader.ts'),
      'hash-thread': join(core, 'src/identity/passwords/hash-thread.ts'),
    },
    outdir: join(to, 'dist'),
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    legalComments: 'none',
    format: 'esm',
    platform: 'node',
    target: 'node26',
    conditions: ['@beckon/source', 'module', 'node'],
    external: OUTSIDE.flatMap((name) => [name, `${name}/*`]),
    // Optional parts of libraries that Beckon does not use.
    alias: {
      'react-devtools-core': join(root, 'scripts/binary/absent.cjs'),
      'pg-native': join(root, 'scripts/binary/absent.cjs'),
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    // CommonJS libraries in a bundle of ES modules need what CommonJS files have.
    banner: {
      js: "import{createRequire as $requireOf}from'node:module';import{fileURLToPath as $pathOf}from'node:url';import{dirname as $folderOf}from'node:path';const require=$requireOf(import.meta.url),__filename=$pathOf(import.meta.url),__dirname=$folderOf(__filename);",
    },
    plugins: [namedExports],
    metafile: true,
    logLevel: 'warning',
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.startsWith('named:'));
  requireOneRegistry(inputs);
  const folders = inputs.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return new Set(folders.filter(Boolean).map((folder) => join(root, folder)));
};

/** The program as a folder of files. */
const stage = async (to) => {
  const { version } = readJson(join(cli, 'package.json'));
  const write = (path, text) => {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
  };
  const packages = await bundleProgram(to);
  cpSync(join(core, 'src/database/migrations'), join(to, 'dist/migrations'), {
    recursive: true,
    filter: (path) => !/meta|\.ts$/.test(relative(join(core, 'src/database/migrations'), path)),
  });
  write('package.json', JSON.stringify({ name: '@beckon/cli', version, type: 'module' }));
  write('boot.cjs', 'module.exports = (path) => import(path);\n');
  // The command line finds schemas, and the copy of better-sqlite3 that core loads, by this name.
  const named = 'node_modules/@beckon/core';
  const schemas = ['bundle', 'workflow'].map((kind) => `./${kind}.schema.json`);
  write(
    `${named}/package.json`,
    JSON.stringify({
      name: '@beckon/core',
      version,
      exports: { '.': './index.js', ...Object.fromEntries(schemas.map((file) => [file, file])) },
    }),
  );
  for (const file of schemas) write(`${named}/${file}`, readFileSync(join(core, file)));
  const outside = new Set();
  for (const name of OUTSIDE) copyPackage(name, name === 'string-width' || name === 'yaml' ? cli : core, to, outside);
  for (const name of outside) packages.add(folderOf(name, cli) ?? folderOf(name, core));
  const node = readFileSync(join(root, `node_modules/node-${target}/LICENSE`), 'utf8').trim();
  write(
    'THIRD-PARTY.txt',
    `${[`Node.js ${process.version}\n\n${node}`, ...noticesOf(packages)].join('\n\n---\n\n')}\n`,
  );
  return { version, materials: materialsOf(version, packages) };
};

/** One executable in a folder, with its checksum, the licences and a software bill of materials. */
export const buildBinary = async (out) => {
  const work = join(out, 'work');
  rmSync(work, { recursive: true, force: true });
  const app = join(work, 'app');
  mkdirSync(app, { recursive: true });
  const { version, materials } = await stage(app);

  const paths = globSync('**/*', { cwd: app })
    .filter((path) => statSync(join(app, path)).isFile())
    .toSorted();
  let offset = 0;
  const files = paths.map((path) => {
    const bytes = readFileSync(join(app, path));
    const file = { path, offset, size: bytes.length, sha256: digestOf(bytes) };
    offset += bytes.length;
    return file;
  });
  const id = `${version}-${digestOf(JSON.stringify(files)).slice(0, 12)}`;
  writeFileSync(join(work, 'index.json'), JSON.stringify({ version, id, files }));
  const whole = Buffer.concat(paths.map((path) => readFileSync(join(app, path))));
  writeFileSync(join(work, 'files'), zstdCompressSync(whole, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }));

  const base = join(work, 'node');
  copyFileSync(process.execPath, base);
  chmodSync(base, 0o755);
  // Only the base: stripping the result would remove the archive.
  if (process.platform === 'linux') run('strip', [base]);
  const name = `beckon-${version}-${target}`;
  const output = join(out, name);
  writeFileSync(
    join(work, 'sea.json'),
    JSON.stringify({
      main: join(root, 'scripts/binary/main.cjs'),
      executable: base,
      output,
      useCodeCache: false,
      disableExperimentalSEAWarning: true,
      execArgv: ['--disable-warning=DEP0169'],
      execArgvExtension: 'none',
      assets: { 'index.json': join(work, 'index.json'), files: join(work, 'files') },
    }),
  );
  run(process.execPath, ['--build-sea', join(work, 'sea.json')]);
  if (process.platform === 'darwin') run('codesign', ['--sign', '-', output]);
  copyFileSync(join(app, 'THIRD-PARTY.txt'), join(out, `${name}.licenses.txt`));
  writeFileSync(join(out, `${name}.cdx.json`), `${JSON.stringify(materials, null, 2)}\n`);
  writeFileSync(join(out, `${name}.sha256`), `${digestOf(readFileSync(output))}  ${name}\n`);
  rmSync(work, { recursive: true, force: true });
  return { output, size: statSync(output).size, files: files.length, unpacked: offset };
};

if (import.meta.main) {
  const out = resolve(process.argv[2] ?? join(root, 'dist'));
  mkdirSync(out, { recursive: true });
  const { output, size, files, unpacked } = await buildBinary(out);
  console.log(
    `${output}: ${(size / 1e6).toFixed(1)} MB; unpacked at the first start: ${files} files, ${(unpacked / 1e6).toFixed(1)} MB`,
  );
}
