import { describe, expect, it } from 'vitest';
import { commonPasswords } from './common.ts';
import { checkPassword, type PasswordCheck } from './policy.ts';

const check = (password: string, changes: Partial<PasswordCheck> = {}): Promise<string | null> =>
  checkPassword({ password, email: 'ada@example.com', minLength: 8, breached: null, ...changes });

describe('checkPassword', () => {
  it('a password has 8 to 1,024 characters', async () => {
    expect(await check('zq-7Kx!')).toBe('must have at least 8 characters');
    expect(await check('zq-7Kx!p')).toBeNull();
    expect(await check('zq'.repeat(512))).toBeNull();
    expect(await check(`${'zq'.repeat(512)}z`)).toBe('must have at most 1024 characters');
    expect(await check('z'.repeat(10_000_000))).toBe('must have at most 1024 characters');
  });

  it('characters are code points: 8 emoji are enough, and 1,025 are too many', async () => {
    expect(await check('🦊🐻🐼🐨🐯🦁🐮')).toBe('must have at least 8 characters');
    expect(await check('🦊🐻🐼🐨🐯🦁🐮🐷')).toBeNull();
    expect(await check('🦊'.repeat(1_024))).toBeNull();
    expect(await check('🦊'.repeat(1_025))).toBe('must have at most 1024 characters');
  });

  it('a scope may raise the minimum length and cannot lower it', async () => {
    expect(await check('zq-7Kx!pww', { minLength: 12 })).toBe('must have at least 12 characters');
    expect(await check('zq-7Kx!', { minLength: 4 })).toBe('must have at least 8 characters');
  });

  it('there are no composition rules: digits, spaces and one repeated letter may be all', async () => {
    for (const password of ['83920175', '        ', 'zzzzzzzzzzzzzzzzzz', 'correct horse battery staple'])
      expect(await check(password)).toBeNull();
  });

  it('the address of the account is rejected in any case, and a password that contains it is accepted', async () => {
    expect(await check('Ada@Example.com')).toBe('must not be the email address');
    expect(await check('Ada@Example.com2')).toBeNull();
    expect(await check('ada@example.com', { email: null })).toBeNull();
  });

  it('common passwords are rejected in any case', async () => {
    for (const password of ['password', 'Password', '12345678', 'qwertyuiop', 'ILoveYou', 'trustno1'])
      expect(await check(password)).toBe('is too common. Choose a password that is not widely used');
  });

  it('a breached password is rejected, and the list is read for no password that is rejected anyway', async () => {
    const read: string[] = [];
    const breached = async (password: string): Promise<boolean> => {
      read.push(password);
      return password === 'zq-7Kx!p';
    };
    const reason = 'appeared in a data breach. Choose a password that you use nowhere else';
    expect(await check('zq-7Kx!p', { breached })).toBe(reason);
    expect(await check('zq-7Kx!q', { breached })).toBeNull();
    for (const password of ['short', 'password', 'ada@example.com']) await check(password, { breached });
    expect(read).toEqual(['zq-7Kx!p', 'zq-7Kx!q']);
  });
});

describe('commonPasswords', () => {
  it('the list holds 10,000 passwords of at least 8 characters', async () => {
    const { COMMON_PASSWORDS } = await import('./common-list.ts');
    const { brotliDecompressSync } = await import('node:zlib');
    const all = brotliDecompressSync(Buffer.from(COMMON_PASSWORDS, 'base64')).toString().split('\n');
    expect(new Set(all).size).toBe(10_000);
    expect(all.filter((password) => password.length < 8 || password !== password.toLowerCase())).toEqual([]);
    const common = await commonPasswords();
    expect(all.filter((password) => !common.has(password))).toEqual([]);
    expect(['', 'passwor', `${all[0]}\n${all[1]}`].filter((text) => common.has(text))).toEqual([]);
  });

  it('the list is loaded once', () => {
    expect(commonPasswords()).toBe(commonPasswords());
  });
});
