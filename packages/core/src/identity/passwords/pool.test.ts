import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { detectHash } from './formats/formats.ts';
import { asyncKdf, blockingKdf } from './formats/kdf.ts';
import type { ParsedHash } from './formats/parsed.ts';
import * as hashThread from './hash-thread.ts';
import { type HashPool, type HashPoolOptions, hashPool } from './pool.ts';
import { hashQueue } from './queue.ts';

const folder = mkdtempSync(join(tmpdir(), 'beckon-hash-pool-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * A thread that returns its id, and logs where its tasks begin and end. A task whose password begins with `slow` lasts
 * until it is released.
 */
const CODE = `
import { threadId } from 'node:worker_threads';
import { existsSync, appendFileSync } from 'node:fs';
const log = ${JSON.stringify(join(folder, 'log'))};
const work = async (name) => {
  appendFileSync(log, 'begin ' + name + '\\n');
  while (name.startsWith('slow') && !existsSync(${JSON.stringify(folder)} + '/' + name)) await new Promise((resolve) => setTimeout(resolve, 5));
  appendFileSync(log, 'end ' + name + '\\n');
  return String(threadId);
};
export const hash = ({ password }) => work(password);
export const verify = async ({ password }) => (await work(password)) !== '';
`;
const file = join(folder, 'thread.mjs');
writeFileSync(file, CODE);
const release = (name: string): void => writeFileSync(join(folder, name), '');
const log = async (): Promise<string[]> => {
  const { readFile } = await import('node:fs/promises');
  return (await readFile(join(folder, 'log'), 'utf8').catch(() => '')).trim().split('\n');
};

const parsed = (text: string): ParsedHash => {
  const detected = detectHash(text);
  if ('problem' in detected) throw new Error(detected.problem);
  return detected.hash;
};
const DIGEST = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const cheap = parsed(`$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$${DIGEST}`);
const dear = parsed(`$scrypt$ln=17,r=8,p=1$c29tZXNhbHQ$${DIGEST}`);

let pools: HashPool[] = [];
const open = (options: HashPoolOptions): HashPool => {
  const pool = hashPool(options);
  pools.push(pool);
  return pool;
};
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(pools.map((pool) => pool.close()));
  pools = [];
  rmSync(join(folder, 'log'), { force: true });
});

describe('hashPool', () => {
  it('a hash runs on a thread while the event loop of its caller ticks', async () => {
    const pool = open({ threads: 1 });
    // The native library is loaded in the thread only by its first hash.
    const text = await pool.hash('correct horse');
    let ticks = 0;
    let isDone = false;
    const tick = (): void => {
      ticks += 1;
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    // Cost 12: hundreds of milliseconds, in which a blocked event loop would not tick at all.
    const bcrypt = parsed('$2b$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW');
    const isEqual = await pool.verify(bcrypt, 'U*U');
    isDone = true;
    expect(isEqual).toBe(false);
    expect(ticks).toBeGreaterThan(10);
    expect(await pool.verify(parsed(text), 'correct horse')).toBe(true);
    expect(await pool.verify(parsed(text), 'wrong horse')).toBe(false);
  });

  it('threads hash by the blocking functions, which leave the threads of libuv alone', async () => {
    const later = vi.spyOn(asyncKdf, 'argon2Verify');
    const blocking = vi.spyOn(blockingKdf, 'argon2Verify');
    expect(await hashThread.verify({ hash: cheap, password: 'x' })).toBe(false);
    expect(await hashThread.hash({ password: 'x' })).toMatch(/^\$argon2id\$/);
    expect(await hashThread.verify({ password: 'x' })).toBe(false);
    expect([blocking.mock.calls.length, later.mock.calls.length]).toEqual([1, 0]);
  });

  it('no more tasks run at once than there are threads', async () => {
    const pool = open({ threads: 2, file });
    const names = ['slow a', 'slow b', 'c', 'd'];
    const tasks = Promise.all(names.map((name) => pool.verify(cheap, name)));
    await vi.waitFor(async () => expect(await log()).toHaveLength(2));
    expect((await log()).toSorted()).toEqual(['begin slow a', 'begin slow b']);
    release('slow a');
    await vi.waitFor(async () => expect(await log()).toContain('end d'));
    release('slow b');
    expect(await tasks).toEqual([true, true, true, true]);
  });

  it('a hash that needs more memory than the share of a thread runs alone, and in its turn', async () => {
    const pool = open({ threads: 2, file });
    const first = pool.verify(cheap, 'slow e');
    const alone = pool.verify(dear, 'slow f');
    const last = pool.verify(cheap, 'g');
    await vi.waitFor(async () => expect(await log()).toEqual(['begin slow e']));
    release('slow e');
    await first;
    await vi.waitFor(async () => expect(await log()).toEqual(['begin slow e', 'end slow e', 'begin slow f']));
    // Another pool starts a thread meanwhile, which is all that a task beside this one would need.
    await open({ threads: 1, file }).hash('fence');
    release('slow f');
    await Promise.all([alone, last]);
    expect((await log()).filter((line) => !line.endsWith('fence')).slice(3)).toEqual([
      'end slow f',
      'begin g',
      'end g',
    ]);
  });

  it('less memory makes new hashes run alone', async () => {
    const pool = open({ threads: 2, memoryMiB: 32, file });
    const tasks = [pool.hash('slow h'), pool.hash('i')];
    await vi.waitFor(async () => expect(await log()).toEqual(['begin slow h']));
    release('slow h');
    await Promise.all(tasks);
    expect(await log()).toEqual(['begin slow h', 'end slow h', 'begin i', 'end i']);
  });

  it('B9: a caller that leaves while its hash runs kills no thread', async () => {
    const pool = open({ threads: 1, file });
    const queue = hashQueue({ threads: pool.threads });
    const before = await pool.hash('j');
    const controller = new AbortController();
    const left = queue.run({ owner: 1, signal: controller.signal }, () => pool.hash('slow k'));
    await vi.waitFor(async () => expect(await log()).toContain('begin slow k'));
    controller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(queue.load()).toMatchObject({ running: 1, waiting: 0 });
    release('slow k');
    expect(await queue.run({ owner: 1 }, () => pool.hash('l'))).toBe(before);
    expect(await log()).toContain('end slow k');
  });

  it('a program without a file for threads hashes one password at a time, asynchronously', async () => {
    const pool = open({ threads: 4, file: join(folder, 'absent.js') });
    let running = 0;
    let most = 0;
    const original = asyncKdf.argon2Verify;
    vi.spyOn(asyncKdf, 'argon2Verify').mockImplementation(async (encoded, password) => {
      running += 1;
      most = Math.max(most, running);
      const result = await original(encoded, password);
      running -= 1;
      return result;
    });
    const blocking = vi.spyOn(blockingKdf, 'argon2Verify');
    const text = await pool.hash('correct horse');
    const passwords = ['correct horse', 'wrong horse', 'correct horse'];
    const verified = await Promise.all(passwords.map((password) => pool.verify(parsed(text), password)));
    expect(verified).toEqual([true, false, true]);
    expect([pool.threads, most, blocking.mock.calls.length]).toEqual([1, 1, 0]);
  });

  it('closing a pool lets running tasks end and rejects waiting and later ones', async () => {
    const pool = open({ threads: 1, file });
    const running = pool.hash('slow m');
    const waiting = pool.hash('n');
    const rejected = expect(waiting).rejects.toThrow('The password hash pool is closed.');
    await vi.waitFor(async () => expect(await log()).toEqual(['begin slow m']));
    const closed = pool.close();
    await rejected;
    release('slow m');
    expect(await running).toMatch(/^\d+$/);
    await closed;
    await expect(pool.hash('o')).rejects.toThrow('The password hash pool is closed.');
    expect(await log()).toEqual(['begin slow m', 'end slow m']);
  });

  it('a pool that was never used closes at once, and a failed task does not block the next one', async () => {
    await hashPool({ threads: 1 }).close();
    writeFileSync(
      join(folder, 'failing.mjs'),
      'export const hash = () => { throw new Error("broken"); }; export const verify = () => true;',
    );
    const pool = open({ threads: 1, file: join(folder, 'failing.mjs') });
    await expect(pool.hash('p')).rejects.toThrow('broken');
    expect(await pool.verify(dear, 'q')).toBe(true);
  });

  it('the default is one thread less than cores, from 1 to 8', () => {
    const { threads } = hashPool();
    expect(threads).toBeGreaterThanOrEqual(1);
    expect(threads).toBeLessThanOrEqual(8);
  });
});
