import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { ParsedHash } from './formats/parsed.ts';
import { passwordHasher, type StoredPassword } from './passwords.ts';
import { type HashPool, hashPool } from './pool.ts';
import { hashQueue } from './queue.ts';

const BCRYPT = '$2b$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const ARGON2ID = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const BCRYPT_12 = `$2b$12$${'.'.repeat(53)}`;
const PBKDF2_12000 = `$pbkdf2-sha256$i=12000,l=32$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** A hasher whose pool counts its calls and takes a set time per algorithm; `right` fits every hash. */
const sample = (tookMs: Partial<Record<ParsedHash['algorithm'], number>> = {}) => {
  let now = 0;
  const verified: ParsedHash[] = [];
  const delays: number[] = [];
  const pool: HashPool = {
    threads: 1,
    hash: async (password) => `hash of ${password}`,
    verify: async (hash, password) => {
      verified.push(hash);
      now += tookMs[hash.algorithm] ?? 20;
      return password === 'right';
    },
    close: async () => {},
  };
  const nowMs = () => now;
  const queue = hashQueue({ threads: 1, nowMs });
  const hasher = passwordHasher({
    ...{ pool, queue, nowMs },
    delay: async (ms) => {
      delays.push(ms);
    },
  });
  return { hasher, queue, verified, delays };
};

const owner = 'project';

describe('passwordHasher', () => {
  it('the right password of a hash of today needs no new hash, and one of another format does', async () => {
    const { hasher } = sample();
    const verify = (hash: string, password: string) => hasher.verify({ hash }, password, { owner });
    expect(await verify(ARGON2ID, 'right')).toEqual({ isRight: true, needsRehash: false });
    expect(await verify(ARGON2ID, 'wrong')).toEqual({ isRight: false, needsRehash: false });
    expect(await verify(BCRYPT, 'right')).toEqual({ isRight: true, needsRehash: true });
    expect(await verify(BCRYPT, 'wrong')).toEqual({ isRight: false, needsRehash: false });
    expect(await verify(ARGON2ID.replace('t=2', 't=1'), 'right')).toEqual({ isRight: true, needsRehash: true });
  });

  it.each<[string, StoredPassword | null]>([
    ['an account with a wrong password', { hash: ARGON2ID }],
    ['an unknown or passwordless account', null],
    ['a stored text that is no hash', { hash: 'plain text' }],
    ['a stored hash over a cap', { hash: BCRYPT.replace('$12$', '$31$') }],
    ['a Firebase hash whose signer key is missing', { hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw$42xEC+ixf3L2lw$lSrf' }],
  ])('E1: %s costs one argon2id of today in the same queue', async (_, stored) => {
    const { hasher, verified, queue } = sample();
    const ticket = hasher.admit({ owner });
    expect(queue.load().reserved).toBe(1);
    expect(await hasher.verify(stored, 'wrong', { owner, ticket })).toEqual({ isRight: false, needsRehash: false });
    expect(verified).toMatchObject([{ algorithm: 'argon2id', memoryKiB: 19_456, passes: 2, lanes: 1 }]);
    expect(queue.load()).toMatchObject({ reserved: 0, waiting: 0, running: 0 });
  });

  it('no password fits a missing hash, whatever the comparison with the stand-in says', async () => {
    const { hasher } = sample();
    expect(await hasher.verify(null, 'right', { owner })).toEqual({ isRight: false, needsRehash: false });
  });

  it('I2: a hash above a cap is not compared', async () => {
    const { hasher, verified } = sample();
    const { isRight } = await hasher.verify({ hash: BCRYPT.replace('$12$', '$15$') }, 'right', { owner });
    expect([isRight, verified.map(({ algorithm }) => algorithm)]).toEqual([false, ['argon2id']]);
  });

  it('failures take as long as the slowest algorithm of the scope, and right passwords are not delayed', async () => {
    const { hasher, delays } = sample({ bcrypt: 120, argon2id: 20, 'pbkdf2-sha256': 5 });
    const context = { owner, standIns: [BCRYPT_12, PBKDF2_12000] };
    const pbkdf2 = { hash: 'pbkdf2_sha256$12000$seasalt$Ybw8zsFxqja97tY/o6G+Fy1ksY4U/Hw3DRrGED6Up4s=' };
    await hasher.verify({ hash: BCRYPT }, 'wrong', context);
    expect(delays).toEqual([]);
    await hasher.verify(null, 'wrong', context);
    await hasher.verify({ hash: ARGON2ID }, 'wrong', context);
    await hasher.verify(pbkdf2, 'wrong', context);
    expect(delays).toEqual([100, 100, 115]);
    await hasher.verify({ hash: ARGON2ID }, 'right', context);
    expect(delays).toHaveLength(3);
    // Other scopes are not delayed.
    await hasher.verify(null, 'wrong', { owner });
    expect(delays).toHaveLength(3);
    // A faster algorithm than the stand-in waits for that.
    await hasher.verify(pbkdf2, 'wrong', { owner, standIns: [PBKDF2_12000] });
    expect(delays).toEqual([100, 100, 115, 15]);
  });

  it('E1: a process that has not compared an imported algorithm yet does its work once, and waits afterwards', async () => {
    const { hasher, delays, verified } = sample({ bcrypt: 120, argon2id: 20, 'pbkdf2-sha256': 5 });
    const failure = async (stored: StoredPassword | null) => {
      verified.length = 0;
      delays.length = 0;
      await hasher.verify(stored, 'wrong', { owner, standIns: [BCRYPT_12, PBKDF2_12000] });
      return [verified.map(({ algorithm }) => algorithm), [...delays]];
    };
    expect(await failure(null)).toEqual([['argon2id', 'bcrypt'], []]);
    expect(verified.at(-1)).toMatchObject({ cost: 12 });
    // One measurement per call.
    expect(await failure(null)).toEqual([['argon2id', 'pbkdf2-sha256'], [95]]);
    expect(await failure(null)).toEqual([['argon2id'], [100]]);
    expect(await failure({ hash: BCRYPT })).toEqual([['bcrypt'], []]);
  });

  it('the padding is the median, which single slow comparisons do not move', async () => {
    const took: { bcrypt: number } = { bcrypt: 100 };
    const { hasher, delays } = sample(took);
    const context = { owner, standIns: [BCRYPT_12] };
    for (const ms of [100, 5_000, 100, 101, 5_000, 99, 100]) {
      took.bcrypt = ms;
      await hasher.verify({ hash: BCRYPT }, 'right', context);
    }
    await hasher.verify(null, 'wrong', context);
    expect(delays).toEqual([80]);
    took.bcrypt = 40;
    for (let at = 0; at < 101; at += 1) await hasher.verify({ hash: BCRYPT }, 'right', context);
    await hasher.verify(null, 'wrong', context);
    expect(delays).toEqual([80, 20]);
  });

  it('new hashes are admitted, and rehashes are dropped while the threads are busy', async () => {
    const { hasher, queue } = sample();
    expect(await hasher.hash('secret', { owner })).toBe('hash of secret');
    expect(await hasher.hash('secret', { owner, ticket: hasher.admit({ owner }) })).toBe('hash of secret');
    expect(await hasher.rehash('secret')).toBe('hash of secret');
    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = queue.run({ owner }, () => promise);
    expect(await hasher.rehash('secret')).toBeUndefined();
    resolve();
    await busy;
    await expect(hasher.hash('secret', { owner, deadlineMs: 0 })).rejects.toMatchObject({ code: 'OVERLOADED' });
  });

  it('no package is loaded before the first hash', () => {
    const files = ['passwords.ts', 'pool.ts', 'queue.ts', 'policy.ts', 'breach-file.ts'];
    const urls = files.map((file) => new URL(file, import.meta.url).href);
    const code = `
      import { Module } from 'node:module';
      for (const url of ${JSON.stringify(urls)}) await import(url);
      const { hashPool } = await import(${JSON.stringify(urls[1])});
      hashPool({ threads: 1 });
      const before = Object.keys(Module._cache).filter((path) => path.includes('node_modules')).length;
      await import('@node-rs/argon2');
      const after = Object.keys(Module._cache).filter((path) => path.includes('node_modules')).length;
      console.log(JSON.stringify([before, after > 0]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual([0, true]);
  });

  it('a hash that was made on the threads fits its password only', async () => {
    const pool = hashPool({ threads: 1 });
    const queue = hashQueue({ threads: pool.threads });
    const hasher = passwordHasher({ pool, queue, delay: async () => {} });
    try {
      const hash = await hasher.hash('correct horse', { owner });
      const verify = (password: string) => hasher.verify({ hash }, password, { owner });
      expect(await verify('correct horse')).toEqual({ isRight: true, needsRehash: false });
      expect(await verify('wrong horse')).toEqual({ isRight: false, needsRehash: false });
      expect(await hasher.verify(null, 'x', { owner })).toEqual({ isRight: false, needsRehash: false });
    } finally {
      await hasher.close();
    }
  });
});
