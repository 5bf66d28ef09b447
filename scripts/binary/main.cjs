// Entry of the executable: puts the program and its native addons into a cache folder, checks every file against the
// digest inside the executable, and runs the program from there. CommonJS, because an ES module inside an executable
// cannot import files.
'use strict';

const sea = require('node:sea');
const { version, id, files } = JSON.parse(sea.getAsset('index.json', 'utf8'));

const [, , first, ...others] = process.argv;
if (first === '--version' && others.length === 0) process.stdout.write(`${version}\n`);
else start();

function start() {
  const { createHash } = require('node:crypto');
  const fs = require('node:fs');
  const { createRequire, enableCompileCache } = require('node:module');
  const { homedir, tmpdir } = require('node:os');
  const { dirname, join } = require('node:path');
  const uid = process.getuid?.() ?? 0;

  const chunk = Buffer.allocUnsafe(1 << 18);
  const digestOf = (path) => {
    const hash = createHash('sha256');
    // Not followed: a link may point anywhere.
    const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      for (let read = 1; read > 0; ) {
        read = fs.readSync(file, chunk);
        hash.update(chunk.subarray(0, read));
      }
    } finally {
      fs.closeSync(file);
    }
    return hash.digest('hex');
  };

  /** The value of `--data-dir`, or of its variable. */
  const dataDir = () => {
    const at = process.argv.findIndex((word) => word === '--data-dir' || word.startsWith('--data-dir='));
    const word = at === -1 ? undefined : process.argv[at];
    if (word === '--data-dir') return process.argv[at + 1];
    return word?.slice('--data-dir='.length) ?? process.env['BECKON_DATA_DIR'];
  };

  /** Cache folders in the order in which they are tried. A configured one has no alternative. */
  const candidates = () => {
    const { BECKON_CACHE_DIR, XDG_CACHE_HOME, HOME } = process.env;
    if (BECKON_CACHE_DIR) return [BECKON_CACHE_DIR];
    const home = HOME || homedir();
    const data = dataDir();
    return [
      ...(XDG_CACHE_HOME ? [join(XDG_CACHE_HOME, 'beckon')] : []),
      ...(home ? [join(home, '.cache', 'beckon')] : []),
      ...(data ? [join(data, '.cache')] : []),
      join(tmpdir(), `beckon-${uid}`),
    ];
  };

  /** True for a plain file of this user with the expected content: anything else is code of somebody else. */
  const isIntact = (path, { size, sha256 }) => {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.uid !== uid || found.size !== size) return false;
    return digestOf(path) === sha256;
  };

  let archive;
  const contentOf = ({ offset, size }) => {
    archive ??= require('node:zlib').zstdDecompressSync(new Uint8Array(sea.getRawAsset('files')));
    return archive.subarray(offset, offset + size);
  };

  /** Writes the files that are missing or were changed. Safe beside another process that does the same. */
  const extractTo = (folder) => {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid: owner, mode } = fs.statSync(folder);
    if (owner !== uid) throw new Error(`${folder} belongs to another user`);
    if (mode & 0o022) fs.chmodSync(folder, 0o700);
    for (const file of files) {
      const path = join(folder, file.path);
      if (isIntact(path, file)) continue;
      fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}`;
      fs.writeFileSync(draft, contentOf(file), { mode: 0o500 });
      fs.renameSync(draft, path);
    }
  };

  const refused = [];
  for (const candidate of candidates()) {
    const folder = join(candidate, id);
    try {
      extractTo(folder);
    } catch (error) {
      refused.push(`${candidate}: ${error.message}`);
      continue;
    }
    const load = createRequire(join(folder, 'boot.cjs'));
    try {
      // A folder that is mounted noexec lets files be written, and fails here.
      load(`./node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`);
    } catch (error) {
      refused.push(`${candidate}: ${error.message}`);
      continue;
    }
    // The program's own configuration knows no such variable.
    delete process.env['BECKON_CACHE_DIR'];
    enableCompileCache(join(folder, 'compiled'));
    load('./boot.cjs')(join(folder, 'dist', 'main.js'));
    return;
  }
  process.stderr.write(
    `beckon needs a folder that it may write to and load programs from. Set BECKON_CACHE_DIR to one.\n${refused.join('\n')}\n`,
  );
  process.exitCode = 1;
}
