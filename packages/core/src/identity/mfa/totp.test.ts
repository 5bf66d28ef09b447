import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base32, bytesOfBase32 } from './base32.ts';
import { newTotpSecret, otpauthUri, totpCode, totpStepAt, totpStepOf } from './totp.ts';

const secret = Buffer.from('12345678901234567890');
const NOW = 1_111_111_111_000;
const STEP = totpStepAt(NOW);
const stepOf = (code: unknown, change: { nowMs?: number; lastStep?: number | null } = {}) =>
  totpStepOf({ secret, code, nowMs: NOW, lastStep: null, ...change });

describe('totp', () => {
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('the code at second %i is that of RFC 6238, appendix B', (second, code) => {
    expect(totpCode(secret, totpStepAt(second * 1_000), 8)).toBe(code);
    expect(totpCode(secret, totpStepAt(second * 1_000))).toBe(code.slice(-6));
  });

  it('codes of the current step and of one step to each side are accepted', () => {
    for (const offset of [-1, 0, 1]) expect(stepOf(totpCode(secret, STEP + offset))).toBe(STEP + offset);
    for (const offset of [-2, 2, -100, 100]) expect(stepOf(totpCode(secret, STEP + offset))).toBeNull();
  });

  it('a step lasts 30 seconds', () => {
    const code = totpCode(secret, 100);
    expect(stepOf(code, { nowMs: 99 * 30_000 - 1 })).toBeNull();
    expect(stepOf(code, { nowMs: 99 * 30_000 })).toBe(100);
    expect(stepOf(code, { nowMs: 102 * 30_000 - 1 })).toBe(100);
    expect(stepOf(code, { nowMs: 102 * 30_000 })).toBeNull();
  });

  it('M3: a code works once, and ends earlier codes', () => {
    const [before, current, after] = [-1, 0, 1].map((offset) => totpCode(secret, STEP + offset));
    const lastStep = stepOf(current);
    expect(lastStep).toBe(STEP);
    expect(stepOf(current, { lastStep })).toBeNull();
    expect(stepOf(before, { lastStep })).toBeNull();
    expect(stepOf(after, { lastStep })).toBe(STEP + 1);
  });

  it('M3: a code that two steps share works once', () => {
    // The first such steps of this secret; about one window in a million has them.
    const step = 153_567;
    const code = totpCode(secret, step);
    expect(totpCode(secret, step + 2)).toBe(code);
    const nowMs = (step + 1) * 30_000;
    const found = stepOf(code, { nowMs });
    expect(found).toBe(step + 2);
    expect(stepOf(code, { nowMs, lastStep: found })).toBeNull();
  });

  it('blanks in a code are ignored', () => {
    const code = totpCode(secret, STEP);
    for (const text of [` ${code}`, `${code.slice(0, 3)} ${code.slice(3)}`, `${code}\n`])
      expect(stepOf(text)).toBe(STEP);
  });

  it('values that are no code are wrong, without an exception', () => {
    const code = totpCode(secret, STEP);
    for (const value of [
      undefined,
      null,
      0,
      Number(code),
      {},
      [code],
      '',
      '12345',
      `${code}0`,
      '\u0661\u0662\u0663\u0664\u0665\u0666',
    ])
      expect(stepOf(value)).toBeNull();
    expect(stepOf(' '.repeat(100_000) + code)).toBeNull();
    expect(totpStepOf({ secret, code: totpCode(secret, 0), nowMs: 0, lastStep: null })).toBe(0);
  });

  it('a new secret has 160 bits of the random source', () => {
    expect(newTotpSecret((size) => new Uint8Array(size).fill(7))).toEqual(new Uint8Array(20).fill(7));
    expect(newTotpSecret()).not.toEqual(newTotpSecret());
  });

  it('the otpauth URI holds issuer, account, secret and parameters', () => {
    const uri = otpauthUri({ issuer: 'Shop & Co: EU', account: 'ada+x@example.com', secret });
    expect(uri).toBe(
      'otpauth://totp/Shop%20%26%20Co%20%20EU:ada%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' +
        '&issuer=Shop%20%26%20Co%20%20EU&algorithm=SHA1&digits=6&period=30',
    );
    expect(() => otpauthUri({ issuer: '\ud800', account: '', secret })).not.toThrow();
  });
});

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('the base32 of "%s" is that of RFC 4648, section 10', (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
    expect(Buffer.from(bytesOfBase32(encoded) ?? []).toString()).toBe(text);
  });

  it('any bytes survive base32, in either case and with separators and padding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const text = base32(bytes);
        expect(bytesOfBase32(text)).toEqual(bytes);
        expect(bytesOfBase32(`${text.toLowerCase().replaceAll(/(.{4})/g, '$1 ')}====`)).toEqual(bytes);
      }),
    );
  });

  it('other characters are no base32', () => {
    for (const text of ['0', 'A1', 'MY=A', '\u00e4', 'A,B']) expect(bytesOfBase32(text)).toBeNull();
  });
});
