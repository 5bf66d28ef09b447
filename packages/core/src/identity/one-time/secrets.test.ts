import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CODE_LIFE_MS,
  codeHash,
  hashSecret,
  isCodeOf,
  isSecret,
  lifeMsOf,
  MAX_CODE_TRIES,
  newCode,
  newSecret,
  normaliseCode,
  prefixOf,
  type SecretKind,
} from './secrets.ts';

const KINDS: readonly (readonly [SecretKind, string, number])[] = [
  ['refresh', 'rt_', 256],
  ['scim', 'scim_', 240],
  ['mfa_challenge', 'mfc_', 192],
  ['magic', 'ml_', 256],
  ['reset', 'pr_', 256],
  ['verify', 'ev_', 256],
  ['email_change', 'ec_', 256],
  ['email_undo', 'eu_', 256],
  ['state', 'st_', 256],
  ['exchange', 'oc_', 256],
];
const WRONG_TYPES = [undefined, null, 7, true, {}, [], () => 1];
const key = new Uint8Array(32).fill(1);
const oldKey = new Uint8Array(32).fill(2);
const CHALLENGE_ID = '019aced0-0000-7000-8000-000000000001';

describe('secrets', () => {
  it.each(KINDS)('a secret of the kind %s has the prefix %s and %i random bits', (kind, prefix, bits) => {
    const secret = newSecret(kind, (size) => {
      expect(size * 8).toBe(bits);
      return new Uint8Array(size).fill(0xff);
    });
    expect(secret).toBe(prefix + Buffer.alloc(bits / 8, 0xff).toString('base64url'));
    expect(prefixOf(kind)).toBe(prefix);
    expect(newSecret(kind)).not.toBe(newSecret(kind));
    expect(isSecret(kind, newSecret(kind))).toBe(true);
  });

  it('each kind is valid for its documented time', () => {
    const minutes = KINDS.flatMap(([kind]) =>
      kind === 'refresh' || kind === 'scim' ? [] : [[kind, lifeMsOf(kind) / 60_000]],
    );
    expect(Object.fromEntries(minutes)).toEqual({
      mfa_challenge: 10,
      magic: 10,
      reset: 30,
      verify: 1_440,
      email_change: 1_440,
      email_undo: 4_320,
      state: 10,
      exchange: 1,
    });
  });

  it('an emailed code is valid for ten minutes and five tries', () => {
    expect([CODE_LIFE_MS, MAX_CODE_TRIES]).toEqual([600_000, 5]);
  });

  it('a secret has the form of its own kind only', () => {
    for (const [kind] of KINDS)
      for (const [other] of KINDS) expect(isSecret(other, newSecret(kind))).toBe(kind === other);
  });

  it('values that are no secret have no form, without an exception', () => {
    const secret = newSecret('magic');
    const others = [
      ...WRONG_TYPES,
      '',
      'ml_',
      secret.slice(0, -1),
      `${secret}A`,
      ` ${secret}`,
      `${secret}\n`,
      secret.replace('ml_', 'ML_'),
      [secret],
    ];
    for (const value of others) expect(isSecret('magic', value)).toBe(false);
    expect(isSecret('magic', `ml_${'+'.repeat(43)}`)).toBe(false);
  });

  it('the stored form is SHA-256 in hex', () => {
    const secret = newSecret('refresh');
    expect(hashSecret(secret)).toBe(createHash('sha256').update(secret).digest('hex'));
  });
});

describe('emailed codes', () => {
  it('a code has six digits, with leading zeros', () => {
    const codeOf = (value: number) => {
      const bytes = Buffer.alloc(3);
      bytes.writeUIntBE(value, 0, 3);
      return newCode(() => bytes);
    };
    expect([codeOf(0), codeOf(42), codeOf(1_999_999), codeOf(15_999_999)]).toEqual([
      '000000',
      '000042',
      '999999',
      '999999',
    ]);
    for (let draw = 0; draw < 100; draw += 1) expect(newCode()).toMatch(/^\d{6}$/);
  });

  it('numbers that would favour small codes are drawn again', () => {
    const draws = [0xffffff, 16_000_000, 15_123_456];
    const code = newCode((size) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntBE(draws.shift() ?? 0, 0, size);
      return bytes;
    });
    expect([code, draws]).toEqual(['123456', []]);
  });

  it('the hash of a code depends on key, challenge and code', () => {
    const stored = codeHash(key, CHALLENGE_ID, '123456');
    expect(stored).toMatch(/^[\da-f]{64}$/);
    expect(codeHash(oldKey, CHALLENGE_ID, '123456')).not.toBe(stored);
    expect(codeHash(key, CHALLENGE_ID.replace('1', '2'), '123456')).not.toBe(stored);
    expect(codeHash(key, CHALLENGE_ID, '123457')).not.toBe(stored);
  });

  it('a code fits its own challenge, also after a change of keys', () => {
    const keys = [key, oldKey] as const;
    for (const made of keys) {
      const stored = codeHash(made, CHALLENGE_ID, '012345');
      const isCode = (code: unknown, challengeId = CHALLENGE_ID) => isCodeOf({ keys, challengeId, code, stored });
      for (const code of ['012345', '012 345', ' 012-345\n']) expect(isCode(code)).toBe(true);
      for (const code of ['012346', '12345', '0012345', 'o12345', '', ' ', 12_345, ...WRONG_TYPES])
        expect(isCode(code)).toBe(false);
      expect(isCode('012345', CHALLENGE_ID.replace('1', '2'))).toBe(false);
      expect(isCodeOf({ keys: [new Uint8Array(32)], challengeId: CHALLENGE_ID, code: '012345', stored })).toBe(false);
    }
    for (const stored of ['', 'zz', '00'])
      expect(isCodeOf({ keys, challengeId: CHALLENGE_ID, code: '012345', stored })).toBe(false);
  });

  it('any code fits the hash of the same code only', () => {
    const code = fc.nat(999_999).map((value) => String(value).padStart(6, '0'));
    fc.assert(
      fc.property(code, code, (sent, typed) => {
        const stored = codeHash(key, CHALLENGE_ID, sent);
        expect(isCodeOf({ keys: [key], challengeId: CHALLENGE_ID, code: typed, stored })).toBe(sent === typed);
      }),
    );
  });

  it('a very long text is no code', () => {
    expect(normaliseCode(`${' '.repeat(100_000)}123456`)).toBeNull();
    expect(normaliseCode('\u0661\u0662\u0663\u0664\u0665\u0666')).toBeNull();
  });
});
