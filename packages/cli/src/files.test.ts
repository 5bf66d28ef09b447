import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createNamedFile,
  openNamedFile,
  readFileWithin,
  readNamedFile,
  writeFileWithin,
  writeNamedFile,
} from './files.ts';

const LIMIT = 1_000;

let home: string;
let root: string;
let outside: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'beckon-files-'));
  root = join(home, 'root');
  outside = join(home, 'outside.txt');
  mkdirSync(join(root, 'folder'), { recursive: true });
  writeFileSync(outside, 'secret');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const within = (...parts: string[]): string => join(root, ...parts);
const pipe = (path: string): void => void execFileSync('mkfifo', [path]);

describe('a file found by walking a folder', () => {
  it('a file within a folder is read up to the limit and refused beyond it', () => {
    writeFileSync(within('folder', 'full'), 'x'.repeat(LIMIT));
    writeFileSync(within('folder', 'larger'), 'x'.repeat(LIMIT + 1));
    expect(readFileWithin(root, within('folder', 'full'), LIMIT)).toHaveLength(LIMIT);
    expect(() => readFileWithin(root, within('folder', 'larger'), LIMIT)).toThrow('larger than 1000 bytes');
  });

  it('a file within a folder is not read through a symbolic link', () => {
    symlinkSync(outside, within('folder', 'link'));
    expect(() => readFileWithin(root, within('folder', 'link'), LIMIT)).toThrow('is a symbolic link');
  });

  it('reading a file does not follow a parent folder that is a symbolic link', () => {
    mkdirSync(join(home, 'other'));
    writeFileSync(join(home, 'other', 'file'), 'secret');
    symlinkSync(join(home, 'other'), within('linked'));
    expect(() => readFileWithin(root, within('linked', 'file'), LIMIT)).toThrow('is not a folder');
  });

  it('a pipe, a folder or a device in place of a file is refused without waiting', () => {
    pipe(within('folder', 'pipe'));
    expect(() => readFileWithin(root, within('folder', 'pipe'), LIMIT)).toThrow('not a regular file');
    expect(() => readFileWithin(root, within('folder'), LIMIT)).toThrow('not a regular file');
    expect(() => readFileWithin('/dev', '/dev/zero', LIMIT)).toThrow('not a regular file');
  });

  it('a file within a folder is read although the folder that the user named is a link', () => {
    symlinkSync(root, join(home, 'named'));
    writeFileSync(within('folder', 'file'), 'text');
    expect(readFileWithin(join(home, 'named'), join(home, 'named', 'folder', 'file'), LIMIT).toString()).toBe('text');
  });
});

describe('a file written into a folder', () => {
  it('writing a file into a folder creates missing parents and tells whether anything changed', () => {
    const path = within('a', 'b', 'file');
    expect([writeFileWithin(root, path, 'text'), writeFileWithin(root, path, 'text')]).toEqual([true, false]);
    expect(readFileSync(path, 'utf8')).toBe('text');
  });

  it('writing a file never replaces the target of a symbolic link', () => {
    symlinkSync(outside, within('folder', 'link'));
    expect(() => writeFileWithin(root, within('folder', 'link'), 'text')).toThrow('not a regular file');
    expect([readFileSync(outside, 'utf8'), lstatSync(within('folder', 'link')).isSymbolicLink()]).toEqual([
      'secret',
      true,
    ]);
  });

  it('writing a file does not follow a parent folder that is a symbolic link', () => {
    mkdirSync(join(home, 'other'));
    symlinkSync(join(home, 'other'), within('linked'));
    expect(() => writeFileWithin(root, within('linked', 'file'), 'text')).toThrow('is not a folder');
    expect(readdirSync(join(home, 'other'))).toEqual([]);
  });

  it('a file written into a folder keeps the permissions of the file it replaces and leaves no draft', () => {
    const path = within('folder', 'file');
    writeFileSync(path, 'before');
    chmodSync(path, 0o640);
    writeFileWithin(root, path, 'after');
    expect([statSync(path).mode & 0o777, readdirSync(within('folder'))]).toEqual([0o640, ['file']]);
  });
});

describe('a file that the user names', () => {
  it('a file that the user names is read through a symbolic link, as secrets of a cluster are mounted', async () => {
    symlinkSync(outside, within('secret'));
    expect(Buffer.from((await readNamedFile(within('secret'), 'secret', LIMIT)) ?? []).toString()).toBe('secret');
  });

  it('a file that the user names is bounded by the bytes that are read, not by the size that the system says', async () => {
    expect(await readNamedFile('/dev/zero', '/dev/zero', LIMIT)).toBeNull();
    if (existsSync('/proc/self/environ')) {
      expect(statSync('/proc/self/environ').size).toBe(0);
      expect(await readNamedFile('/proc/self/environ', 'environ', 1)).toBeNull();
    }
  });

  it('a file that the user names and that does not exist is an error with its name', async () => {
    await expect(readNamedFile(within('none'), 'none', LIMIT)).rejects.toThrow('none cannot be read (ENOENT)');
  });

  it('a file that the user names is written whole, and again only where the text differs', () => {
    const path = within('out');
    expect([writeNamedFile(path, 'out', 'text'), writeNamedFile(path, 'out', 'text')]).toEqual([true, false]);
    expect(readdirSync(root).sort()).toEqual(['folder', 'out']);
  });

  it('a file that the user names is not written through a symbolic link to a file, there or not', () => {
    symlinkSync(outside, within('link'));
    symlinkSync(join(home, 'nothing'), within('dangling'));
    for (const name of ['link', 'dangling'])
      expect(() => writeNamedFile(within(name), name, 'text')).toThrow(`${name} is a symbolic link`);
    expect([readFileSync(outside, 'utf8'), existsSync(join(home, 'nothing'))]).toEqual(['secret', false]);
  });

  it('a file that the user names may be a device', () => {
    expect(writeNamedFile('/dev/null', '/dev/null', 'text')).toBe(true);
    expect(() => writeNamedFile(root, 'root', 'text')).toThrow('root is a folder');
  });
});

describe('a file that the user names and that is read in parts', () => {
  const textOf = async (path: string, limit = LIMIT): Promise<string | null> => {
    await using file = await openNamedFile(path, 'list', limit);
    if (file === null) return null;
    const texts: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      const parts: Buffer[] = [];
      for await (const part of file.chunks()) parts.push(part);
      texts.push(Buffer.concat(parts).toString());
    }
    expect(texts[0]).toBe(texts[1]);
    return texts[0] ?? '';
  };

  it('a large file is read twice, through a symbolic link too, whatever the limit of pipes is', async () => {
    const text = 'x'.repeat(150_000);
    writeFileSync(within('list'), text);
    symlinkSync(within('list'), within('link'));
    expect([await textOf(within('list')), await textOf(within('link'))]).toEqual([text, text]);
  });

  it('a pipe is opened once and kept, up to the limit', async () => {
    pipe(within('pipe'));
    const write = (size: number): void => void spawn('sh', ['-c', `head -c ${size} /dev/zero > "$0"`, within('pipe')]);
    write(LIMIT);
    expect(await textOf(within('pipe'))).toHaveLength(LIMIT);
    write(LIMIT + 1);
    expect(await textOf(within('pipe'))).toBeNull();
    expect(await textOf('/dev/null')).toBe('');
    expect(await textOf('/dev/zero')).toBeNull();
  });

  it('a folder and a file that is not there are refused by name', async () => {
    for (const path of [root, within('none')]) await expect(textOf(path)).rejects.toThrow('list cannot be read (E');
  });
});

describe('a file that is written in parts', () => {
  it('a new file is there once it is finished, and keeps the permissions of the one before', () => {
    const path = within('out');
    writeFileSync(path, 'before');
    chmodSync(path, 0o640);
    const file = createNamedFile(path, 'out');
    file.write('a');
    expect(readFileSync(path, 'utf8')).toBe('before');
    file.write('b');
    file.finish();
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['ab', 0o640]);
    createNamedFile(path, 'out').discard();
    expect([readFileSync(path, 'utf8'), readdirSync(root).sort()]).toEqual(['ab', ['folder', 'out']]);
  });

  it('a new file is not written through a symbolic link or in place of a folder, and may be a device', () => {
    symlinkSync(outside, within('link'));
    symlinkSync(join(home, 'nothing'), within('dangling'));
    for (const name of ['link', 'dangling'])
      expect(() => createNamedFile(within(name), name)).toThrow(`${name} is a symbolic link`);
    expect(() => createNamedFile(root, 'root')).toThrow('root is a folder');
    const device = createNamedFile('/dev/null', 'null');
    device.write('text');
    device.finish();
    expect([readFileSync(outside, 'utf8'), existsSync(join(home, 'nothing'))]).toEqual(['secret', false]);
  });
});
