import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openBreachFile } from './breach-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'beckon-breach-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sha1 = (password: string): string => hash('sha1', password).toUpperCase();
const linesOf = (passwords: readonly string[]): string[] =>
  passwords.map((password, at) => `${sha1(password)}:${(at * 7_919) % 100_000_000}`).toSorted();

let files = 0;
const fileOf = (text: string): string => {
  files += 1;
  const path = join(folder, `${files}.txt`);
  writeFileSync(path, text);
  return path;
};

const passwords = Array.from({ length: 5_000 }, (_, at) => `secret ${at}`);
const sorted = linesOf(passwords);

const found = async (text: string, tried: readonly string[]): Promise<string[]> => {
  const file = await openBreachFile(fileOf(text));
  try {
    const results = await Promise.all(tried.map(async (password) => ((await file.has(password)) ? [password] : [])));
    return results.flat();
  } finally {
    await file.close();
  }
};

describe('openBreachFile', () => {
  const absent = Array.from({ length: 500 }, (_, at) => `absent ${at}`);

  it.each([
    ['LF', `${sorted.join('\n')}\n`],
    ['CRLF', `${sorted.join('\r\n')}\r\n`],
    ['LF, without one at its end', sorted.join('\n')],
    ['CRLF, without one at its end', sorted.join('\r\n')],
    ['LF, with hashes in lower case', `${sorted.join('\n').toLowerCase()}\n`],
  ])('passwords of a file with lines that end in %s are found, and no others', async (_, text) => {
    const tried = passwords.filter((_, at) => at % 7 === 0);
    expect(await found(text, tried)).toEqual(tried);
    expect(await found(text, absent)).toEqual([]);
  });

  it('the first and the last line are found, whatever the size of the file', async () => {
    for (let lines = 1; lines < 400; lines += 7) {
      const some = passwords.slice(0, lines);
      const ends = some.toSorted((a, b) => (sha1(a) < sha1(b) ? -1 : 1)).filter((_, at) => at < 2 || at >= lines - 2);
      expect(await found(linesOf(some).join('\n'), [...ends, ...absent.slice(0, 5)])).toEqual(ends);
    }
  });

  it('lines are found wherever they lie across the limits of blocks', async () => {
    // Counts of other lengths move every later line.
    for (let shift = 0; shift < 60; shift += 1) {
      const moved = sorted.map((line, at) => (at < shift ? `${line.slice(0, 40)}:1` : line));
      const tried = passwords.slice(shift * 10, shift * 10 + 20);
      expect(await found(moved.join('\n'), tried)).toEqual(tried);
    }
  });

  it('hashes before the first and after the last line are absent', async () => {
    const middle = sorted.filter((line) => line > '4' && line < 'C');
    const outside = passwords.filter((password) => sha1(password) < '4' || sha1(password) > 'C');
    expect(outside.length).toBeGreaterThan(100);
    expect(await found(middle.join('\n'), outside)).toEqual([]);
  });

  it('a search reads blocks of 4 KB, at most as many as the logarithm of their number', async () => {
    const path = fileOf(sorted.join('\n'));
    const file = await openBreachFile(path);
    const fs = await import('node:fs/promises');
    const probe = await fs.open(path);
    const read = vi.spyOn(Object.getPrototypeOf(probe), 'read');
    try {
      const blocks = Math.ceil(sorted.join('\n').length / 3_968);
      for (const password of [...passwords.slice(0, 50), ...absent.slice(0, 50)]) {
        read.mockClear();
        await file.has(password);
        expect(read.mock.calls.length).toBeLessThanOrEqual(Math.ceil(Math.log2(blocks + 1)));
        for (const [, , length] of read.mock.calls) expect(length).toBe(4_096);
      }
    } finally {
      read.mockRestore();
      await probe.close();
      await file.close();
    }
  });

  it.each([
    ['an empty file', '', 'is empty'],
    ['text', 'These are not hashes.\n', 'has a line that is not HASH:COUNT'],
    ['hashes without counts', sorted.map((line) => line.slice(0, 40)).join('\n'), 'has a line that is not HASH:COUNT'],
    ['hashes of 32 digits', sorted.map((line) => line.slice(8)).join('\n'), 'has a line that is not HASH:COUNT'],
    ['one long line', 'A'.repeat(100_000), 'has a line that is not HASH:COUNT'],
    ['lines in the order of the passwords', passwords.map((one) => `${sha1(one)}:1`).join('\n'), 'is not sorted'],
    ['lines in reverse order', sorted.toReversed().join('\n'), 'is not sorted'],
    ['two sorted halves', [...sorted.slice(2_500), ...sorted.slice(0, 2_500)].join('\n'), 'is not sorted'],
  ])('a file with %s is rejected when it is opened', async (_, text, fault) => {
    const path = fileOf(text);
    const opened = openBreachFile(path);
    await expect(opened).rejects.toThrow(TypeError);
    await expect(opened).rejects.toThrow(`The breach file ${JSON.stringify(path)} ${fault}.`);
  });

  it('a missing file and a folder are rejected when they are opened', async () => {
    await expect(openBreachFile(join(folder, 'absent.txt'))).rejects.toThrow('cannot be read (ENOENT)');
    await expect(openBreachFile(folder)).rejects.toThrow('is not a file');
  });

  it('a search after close is rejected', async () => {
    const file = await openBreachFile(fileOf(sorted.join('\n')));
    await file.close();
    await expect(file.has('secret 1')).rejects.toThrow();
  });
});
