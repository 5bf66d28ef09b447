import { describe, expect, it } from 'vitest';
import { SAMPLE_DIGEST, SAMPLE_PROJECT, SAMPLE_SALT, vectors } from '../../../../test/support/identity/hash-vectors.ts';
import { detectHash, hashPassword, isOutdated, memoryOf, verifyHash } from './formats.ts';
import { asyncKdf, blockingKdf, type Kdf } from './kdf.ts';
import type { HashConfig, ParsedHash } from './parsed.ts';
import { standInOf } from './stand-in.ts';

const parsed = (text: string, config?: HashConfig): ParsedHash => {
  const detected = detectHash(text, config);
  if ('problem' in detected) throw new Error(`${text}: ${detected.problem}`);
  return detected.hash;
};
const problemOf = (text: string, config?: HashConfig): string | null => {
  const detected = detectHash(text, config);
  return 'problem' in detected ? detected.problem : null;
};

const noHash = async (): Promise<never> => {
  throw new Error('nothing must be hashed');
};
const noKdf: Kdf = { argon2Hash: noHash, argon2Verify: noHash, bcryptVerify: noHash, scrypt: noHash, pbkdf2: noHash };

const PHC_SALT = 'c29tZXNhbHQ';
const PHC_DIGEST = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

describe('the stand-in of a hash', () => {
  it.each(vectors)('$source: has the same algorithm and cost, fits no password and holds no secret', async (vector) => {
    const hash = parsed(vector.hash, vector.config);
    const standIn = standInOf(hash);
    const read = parsed(standIn);
    const costOf = ({ stored: _, salt, digest, signerKey, ...cost }: ParsedHash & Record<string, unknown>) => cost;
    expect(costOf(read as never)).toEqual(costOf(hash as never));
    expect(standInOf(read)).toBe(standIn);
    expect(await verifyHash(read, vector.password)).toBe(false);
    for (const part of vector.hash.split(/[$,]/).filter((text) => text.length > 16))
      expect(standIn).not.toContain(part);
  });
});

describe('stored password hashes', () => {
  it.each(vectors)('I1: the right password and no other one fits a hash of $source', async ({ hash, ...vector }) => {
    const detected = parsed(hash, vector.config);
    expect(detected.algorithm).toBe(vector.algorithm);
    expect(await verifyHash(detected, vector.password)).toBe(true);
    expect(await verifyHash(detected, `${vector.password}x`)).toBe(false);
    expect(await verifyHash(detected, vector.password, asyncKdf)).toBe(true);
  });

  it.each(vectors)('the stored text of a hash of $source is read back as the same hash', ({ hash, config }) => {
    const first = parsed(hash, config);
    const signerKey = first.algorithm === 'firebase-scrypt' ? Buffer.from(first.signerKey).toString('base64') : null;
    expect(parsed(first.stored, signerKey === null ? undefined : { signerKey })).toEqual(first);
    if (signerKey !== null) expect(first.stored).not.toContain(signerKey.replaceAll('=', ''));
  });

  it('a Firebase hash without the signer key or the parameters of its project is unsupported', () => {
    const { stored } = parsed(`${SAMPLE_DIGEST}$${SAMPLE_SALT}`, SAMPLE_PROJECT);
    expect(problemOf(stored)).toBe('unsupported_hash');
    expect(problemOf(`${SAMPLE_DIGEST}$${SAMPLE_SALT}`)).toBe('unsupported_hash');
    const { signerKey } = SAMPLE_PROJECT;
    expect(problemOf(`${SAMPLE_DIGEST}$${SAMPLE_SALT}`, { signerKey })).toBe('unsupported_hash');
    // base64url, as the Admin SDK writes it.
    const url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
    expect(problemOf(`${url(SAMPLE_DIGEST)}$${url(SAMPLE_SALT)}`, SAMPLE_PROJECT)).toBeNull();
  });

  it('argon2 hashes are accepted with padded base64, which the library rejects', async () => {
    const padded = `$argon2id$v=19$m=65536,t=2,p=1$${PHC_SALT}=$${PHC_DIGEST}=`;
    await expect(blockingKdf.argon2Verify(padded, new TextEncoder().encode('password'))).rejects.toThrow();
    expect(await verifyHash(parsed(padded), 'password')).toBe(true);
  });

  it('scrypt with ln=17 is verified, although its memory is above the default limit of Node', async () => {
    const hash = parsed(`$scrypt$ln=17,r=8,p=1$${PHC_SALT}$${PHC_DIGEST}`);
    expect(memoryOf(hash)).toBe(128 * 1_048_576);
    expect(await verifyHash(hash, 'password')).toBe(false);
  });

  it('bcrypt ignores what follows the 72nd byte of a password, and its hash is outdated', async () => {
    const hash = parsed('$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui');
    const first72 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    expect(await verifyHash(hash, `${first72}chars after 72 are ignored`)).toBe(true);
    expect(await verifyHash(hash, `${first72}others`)).toBe(true);
    expect(await verifyHash(hash, first72.slice(0, 71))).toBe(false);
    expect(isOutdated(hash)).toBe(true);
  });

  it.each([
    ['$2x$, which reads bytes as signed', '$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e'],
    ['$2$, which does not end passwords', '$2$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['bcrypt of cost 3', '$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['bcrypt with a cost of one digit', '$2b$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['bcrypt of 59 characters', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe'],
    ['argon2 of version 16', `$argon2id$v=16$m=65536,t=2,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 without a version', `$argon2i$m=8,t=1,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 of no pass', `$argon2id$v=19$m=65536,t=0,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 with less than 8 KiB per lane', `$argon2id$v=19$m=15,t=1,p=2$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 with a salt of 7 bytes', `$argon2id$v=19$m=16,t=1,p=1$c29tZXNhbA$${PHC_DIGEST}`],
    ['argon2 with a hash of 15 bytes', `$argon2id$v=19$m=16,t=1,p=1$${PHC_SALT}$${PHC_DIGEST.slice(0, 20)}`],
    ['argon2 with characters outside base64', `$argon2id$v=19$m=16,t=1,p=1$c29tZXN!bHQ$${PHC_DIGEST}`],
    ['argon2 with a second spelling of its salt', `$argon2id$v=19$m=16,t=1,p=1$c29tZXNhbHR$${PHC_DIGEST}`],
    ['argon2 of an unknown kind', `$argon2ds$v=19$m=16,t=1,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['scrypt with N that is no power of two', `$scrypt$ln=16385,r=8,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['scrypt with ln=0', `$scrypt$ln=0,r=8,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['scrypt with r=0', `$scrypt$ln=14,r=0,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['scrypt with parameters that are no numbers', `$scrypt$ln=abc,r=8,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['Werkzeug with a hash of an odd length', 'scrypt:1024:8:1$NaCl$fdbab'],
    ['PBKDF2 with another length than its hash', `$pbkdf2-sha256$i=1000,l=31$${PHC_SALT}$${PHC_DIGEST}`],
    ['PBKDF2 of no iteration', `$pbkdf2-sha256$i=0,l=32$${PHC_SALT}$${PHC_DIGEST}`],
    ['PBKDF2 with SHA-1', `$pbkdf2-sha1$i=1000,l=32$${PHC_SALT}$${PHC_DIGEST}`],
    ['PBKDF2 of Django with SHA-1', 'pbkdf2_sha1$390000$seasalt2$aDapRanzW8aHTz97v2TcfHzWD+I='],
    ['MD5 in hex', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['plain text', 'correct horse battery staple'],
    ['an empty text', ''],
    ['a text of 1,025 characters', `$2b$05$${'C'.repeat(1_018)}`],
  ])('%s is unsupported', (_, text) => {
    expect(problemOf(text)).toBe('unsupported_hash');
  });

  it.each([
    ['bcrypt of cost 15', '$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['bcrypt of cost 31', '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['argon2 of 4 GiB', `$argon2id$v=19$m=4194304,t=1,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 of 64 MiB and 1 KiB', `$argon2id$v=19$m=65537,t=1,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 of 11 passes', `$argon2id$v=19$m=64,t=11,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 of 9 lanes', `$argon2id$v=19$m=1024,t=1,p=9$${PHC_SALT}$${PHC_DIGEST}`],
    ['argon2 of 64 MiB and 5 passes', `$argon2id$v=19$m=65536,t=5,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['scrypt with ln=18', `$scrypt$ln=18,r=8,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['scrypt with ln=17 and r=9', `$scrypt$ln=17,r=9,p=1$${PHC_SALT}$${PHC_DIGEST}`],
    ['scrypt with p=1024', `$scrypt$ln=14,r=8,p=1024$${PHC_SALT}$${PHC_DIGEST}`],
    ['Werkzeug with N of 2^18', `scrypt:262144:8:1$NaCl$${'00'.repeat(64)}`],
    [
      'Firebase of memory cost 18',
      `$fbscrypt$v=1,n=18,r=1,p=1,ss=,sk=${SAMPLE_PROJECT.signerKey}$${SAMPLE_SALT}$${SAMPLE_DIGEST}`,
    ],
    [
      'Firebase of memory cost 31',
      `$firescrypt$ln=31,r=8,p=1$${SAMPLE_SALT}$${SAMPLE_DIGEST}$Bw==$${SAMPLE_PROJECT.signerKey}`,
    ],
    ['PBKDF2 of 2,000,001 iterations', `$pbkdf2-sha512$i=2000001,l=32$${PHC_SALT}$${PHC_DIGEST}`],
    ['PBKDF2 of Django with 1,000,000,000 iterations', `pbkdf2_sha256$1000000000$seasalt$${PHC_DIGEST}`],
  ])('I2: %s is over the cap', (_, text) => {
    expect(problemOf(text)).toBe('hash_over_cap');
  });

  it('I2: a hash at its cap is accepted', () => {
    for (const text of [
      '$2b$14$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
      `$argon2id$v=19$m=65536,t=4,p=8$${PHC_SALT}$${PHC_DIGEST}`,
      `$argon2id$v=19$m=26214,t=10,p=1$${PHC_SALT}$${PHC_DIGEST}`,
      `$scrypt$ln=17,r=8,p=1$${PHC_SALT}$${PHC_DIGEST}`,
      `$scrypt$ln=16,r=8,p=8$${PHC_SALT}$${PHC_DIGEST}`,
      `$pbkdf2-sha512$i=2000000,l=32$${PHC_SALT}$${PHC_DIGEST}`,
    ])
      expect(problemOf(text)).toBeNull();
  });

  it('I2: a stored hash above a cap is never hashed, and fits no password', async () => {
    const bcrypt = parsed('$2b$14$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW');
    const argon2 = parsed(`$argon2id$v=19$m=65536,t=4,p=8$${PHC_SALT}$${PHC_DIGEST}`);
    const scrypt = parsed(`$scrypt$ln=17,r=8,p=1$${PHC_SALT}$${PHC_DIGEST}`);
    const pbkdf2 = parsed(`$pbkdf2-sha512$i=2000000,l=32$${PHC_SALT}$${PHC_DIGEST}`);
    const firebase = parsed(`${SAMPLE_DIGEST}$${SAMPLE_SALT}`, SAMPLE_PROJECT);
    // As a row that was written past the checks of the import.
    const raised: ParsedHash[] = [
      { ...bcrypt, algorithm: 'bcrypt', cost: 31 },
      { ...argon2, algorithm: 'argon2id', memoryKiB: 4_194_304, passes: 1, lanes: 1 },
      { ...scrypt, algorithm: 'scrypt', n: 2 ** 20, r: 8, p: 1, salt: new Uint8Array(8), digest: new Uint8Array(32) },
      { ...pbkdf2, algorithm: 'pbkdf2-sha512', iterations: 2e9, salt: new Uint8Array(8), digest: new Uint8Array(32) },
      firebase.algorithm === 'firebase-scrypt' ? { ...firebase, n: 2 ** 18, r: 1 } : firebase,
    ];
    for (const hash of raised) expect(await verifyHash(hash, 'password', noKdf)).toBe(false);
    await expect(verifyHash(bcrypt, 'password', noKdf)).rejects.toThrow('nothing must be hashed');
  });

  it('a new hash is argon2id of today, with its own salt, and is not outdated', async () => {
    const [first, second] = [await hashPassword('pässword'), await hashPassword('pässword', asyncKdf)];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(second).not.toBe(first);
    expect(await verifyHash(parsed(first), 'pässword')).toBe(true);
    expect(isOutdated(parsed(first))).toBe(false);
    expect(isOutdated(parsed(first.replace('t=2', 't=3')))).toBe(true);
    expect(isOutdated(parsed(first.replace('argon2id', 'argon2i')))).toBe(true);
  });

  it('passwords are not normalised: another spelling of the same character does not fit', async () => {
    const hash = parsed(await hashPassword('p\u00e4ssword'));
    expect(await verifyHash(hash, 'pa\u0308ssword')).toBe(false);
  });
});
