import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newRecoveryCodes, normaliseRecoveryCode, recoveryCodeHash } from './recovery.ts';

const CODE = 'ABCD-EFGH-IJKL-MN23';

describe('recovery codes', () => {
  it('ten codes of four groups are created, all different', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  });

  it('each code has 80 bits of the random source, and a repeated one is drawn again', () => {
    let draws = 0;
    const codes = newRecoveryCodes((size) => {
      expect(size).toBe(10);
      draws += 1;
      return new Uint8Array(size).fill(draws >> 1);
    });
    expect(draws).toBe(18);
    expect(new Set(codes).size).toBe(10);
  });

  it('case, blanks, hyphens and the digits 0, 1 and 8 do not matter', () => {
    const inputs = [
      'abcd efgh ijkl mn23',
      'ABCDEFGHIJKLMN23',
      ' abcd\u2013efgh\u2014ijkl-mn23\n',
      'a8cd-efgh-1jkl-mn23',
    ];
    for (const input of inputs) expect(normaliseRecoveryCode(input)).toBe('ABCDEFGHIJKLMN23');
    expect(normaliseRecoveryCode('0000000000000000')).toBe('OOOOOOOOOOOOOOOO');
  });

  it('values that are no code have no hash, without an exception', () => {
    const values = [
      undefined,
      null,
      7,
      {},
      '',
      'ABCD',
      `${CODE}A`,
      CODE.slice(1),
      `${CODE.slice(1)}9`,
      'x'.repeat(100_000),
      `${CODE}\0`,
    ];
    for (const code of values) expect(recoveryCodeHash({ scopeId: 1, userId: 'u', code })).toBeNull();
  });

  it('the hash depends on scope, user and code alone', () => {
    const hash = recoveryCodeHash({ scopeId: 1, userId: 'u', code: CODE });
    expect(hash).toBe('fd1099097f9247544eb014f973b132e08ea3cf74ff5d6bc48a3db81d9bdcc6f3');
    expect(recoveryCodeHash({ scopeId: 1, userId: 'u', code: CODE.toLowerCase() })).toBe(hash);
    expect(recoveryCodeHash({ scopeId: 2, userId: 'u', code: CODE })).not.toBe(hash);
    expect(recoveryCodeHash({ scopeId: 1, userId: 'v', code: CODE })).not.toBe(hash);
    expect(recoveryCodeHash({ scopeId: 1, userId: 'u', code: CODE.replace('3', '4') })).not.toBe(hash);
  });

  it('every new code hashes alike however it is written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) => {
        let at = 0;
        const [code = ''] = newRecoveryCodes((size) =>
          Uint8Array.from(bytes.slice(0, size), (byte, i) => (i === 0 ? at++ : byte)),
        );
        const hash = recoveryCodeHash({ scopeId: 1, userId: 'u', code });
        expect(hash).toMatch(/^[\da-f]{64}$/);
        expect(recoveryCodeHash({ scopeId: 1, userId: 'u', code: code.toLowerCase().replaceAll('-', ' ') })).toBe(hash);
      }),
    );
  });
});
