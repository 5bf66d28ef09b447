import { describe, expect, it } from 'vitest';
import { capitalsOf, compareVersions, dateOf, fold, versionOf } from './values.ts';

const ms = (text: string) => new Date(text).getTime();

describe('dateOf', () => {
  it('dateOf reads dates and date-times with or without a zone', () => {
    expect(dateOf('2026-11-22')).toBe(ms('2026-11-22T00:00:00Z'));
    expect(dateOf('2026-11-22T18:30')).toBe(ms('2026-11-22T18:30:00Z'));
    expect(dateOf('2026-11-22T18:30:05')).toBe(ms('2026-11-22T18:30:05Z'));
    expect(dateOf('2026-11-22T18:30:05.123456789Z')).toBe(ms('2026-11-22T18:30:05.123Z'));
    expect(dateOf('2026-11-22T18:30:05.9999+05:30')).toBe(ms('2026-11-22T13:00:05.999Z'));
    expect(dateOf('2026-11-22T18:30-0800')).toBe(ms('2026-11-23T02:30:00Z'));
    expect(dateOf('2024-02-29')).toBe(ms('2024-02-29'));
  });

  it('dateOf accepts a space instead of the T, and an offset of hours', () => {
    expect(dateOf('2026-03-05 12:00:00')).toBe(ms('2026-03-05T12:00:00Z'));
    expect(dateOf('2026-03-05 12:00')).toBe(ms('2026-03-05T12:00:00Z'));
    expect(dateOf('2026-03-05 12:00:00.5+02')).toBe(ms('2026-03-05T10:00:00.500Z'));
    expect(dateOf('2026-03-05T12:00-05')).toBe(ms('2026-03-05T17:00:00Z'));
  });

  it('dateOf reads numbers and digits as Unix time: seconds below 100,000,000,000, else milliseconds', () => {
    const at = ms('2026-03-05T12:00:00Z');
    for (const value of [at, String(at), at / 1_000, String(at / 1_000), at + 0.7, at / 1_000 + 0.7])
      expect(dateOf(value)).toBe(at);
    expect(dateOf(99_999_999_999)).toBe(99_999_999_999_000);
    expect(dateOf(100_000_000_000)).toBe(100_000_000_000);
    expect(dateOf(-1)).toBe(-1_000);
    expect(dateOf('-86400')).toBe(ms('1969-12-31T00:00:00Z'));
    expect(dateOf(0)).toBe(0);
    expect(Object.is(dateOf(-0.5), 0)).toBe(true);
    expect(dateOf('20260305')).toBe(20_260_305_000);
  });

  it('dateOf reads Unix times of the years 1 to 9999 only', () => {
    expect(dateOf(253_402_300_799_999)).toBe(ms('9999-12-31T23:59:59.999Z'));
    expect(dateOf(-62_135_596_800_000)).toBe(ms('0001-01-01T00:00:00Z'));
    for (const value of [
      253_402_300_800_000,
      -62_135_596_800_001,
      -99_999_999_999,
      1e300,
      -1e300,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ])
      expect(dateOf(value)).toBeNull();
    for (const value of ['253402300800000', '999999999999999', true, null, undefined, [], {}, ['2026-03-05']])
      expect(dateOf(value)).toBeNull();
  });

  it('dateOf reads the first and the last year', () => {
    expect(dateOf('0001-01-01')).toBe(ms('0001-01-01T00:00:00Z'));
    expect(dateOf('0099-03-01T00:00:00.001Z')).toBe(ms('0099-03-01T00:00:00.001Z'));
    expect(dateOf('9999-12-31T23:59:59.999Z')).toBe(ms('9999-12-31T23:59:59.999Z'));
  });

  it.each([
    ...['0000-01-01', '2026-02-29', '2100-02-29', '2026-04-31', '2026-13-01', '2026-00-01', '2026-01-00', '2026-1-1'],
    ...[
      '2026-11-22T24:00',
      '2026-11-22T12:60',
      '2026-11-22T12:00:60',
      '2026-11-22T12',
      '2026-11-22Z',
      '2026-11-22T12:00:00.',
    ],
    ...[
      '2026-11-22  12:00',
      '2026-11-22t12:00',
      '2026-11-22T12:00z',
      '2026-11-22T12:00+24:00',
      '2026-11-22T12:00+05:60',
    ],
    ...[
      '2026-11-22T12:00:00.1234567890Z',
      '2026-11-22\n',
      ' 2026-11-22',
      '+02026-11-22',
      '٢٠٢٦-11-22',
      '',
      '1 ',
      '1.5',
      '+1',
      '--1',
      '-',
      '1e9',
      '1234567890123456',
      'today',
    ],
  ])('dateOf rejects %j', (text) => {
    expect(dateOf(text)).toBeNull();
  });
});

describe('versionOf', () => {
  const order = (one: string, other: string): number => {
    const [a, b] = [versionOf(one), versionOf(other)];
    if (!a || !b) throw new Error('no version');
    return Math.sign(compareVersions(a, b));
  };

  it('versions compare as numbers, and missing ones are 0', () => {
    expect(order('1.10.0', '1.9.9')).toBe(1);
    expect(order('2', '1.99.99.99')).toBe(1);
    expect(order('1.2', '1.2.0.0')).toBe(0);
    expect(order('01.2', '1.02')).toBe(0);
    expect(order('1.2.3.4', '1.2.3.5')).toBe(-1);
    expect(order('999999999', '999999998.999999999')).toBe(1);
  });

  it('a pre-release sorts before its release, and a build is ignored', () => {
    expect(order('2.0.0-beta.1', '2.0.0')).toBe(-1);
    expect(order('2.0.0-beta.1', '1.9.9')).toBe(1);
    expect(order('2.0.0+345', '2.0.0')).toBe(0);
    expect(order('2-rc.1+345', '2')).toBe(-1);
  });

  it.each([
    '',
    'v1',
    '1.',
    '.1',
    '1..2',
    '1.2.3.4.5',
    '1234567890',
    '1.x',
    '1-',
    '1+',
    '1+a+b',
    '1 ',
    '1-é',
    '-1',
    '1.2\n',
  ])('versionOf rejects %j', (text) => {
    expect(versionOf(text)).toBeNull();
  });
});

describe('fold', () => {
  it('fold lower-cases letter by letter', () => {
    expect(fold('PLAN Größe ÀÉ ΣΊΣΥΦΟΣ ДОМ')).toBe('plan größe àé σίσυφοσ дом');
  });

  it('fold keeps capitals whose lower case is two letters or ASCII', () => {
    expect(fold('İ\u212aẞ')).toBe('İ\u212aß');
  });

  it('fold lower-cases each letter independent of its position', () => {
    const isKept = (letter: string, lower: string): boolean =>
      [...lower].length !== 1 || (letter > '\x7f' && lower <= '\x7f');
    const letterByLetter = (text: string): string =>
      Array.from(text, (letter) => {
        const lower = letter.toLowerCase();
        return isKept(letter, lower) ? letter : lower;
      }).join('');
    const special = [
      '\u0130',
      '\u212a',
      '\u03a3',
      '\u03c3',
      '\u03c2',
      '\u0307',
      '\u0345',
      '\u00ad',
      ' ',
      '.',
      'A',
      'z',
    ];
    const letters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
    expect(fold(letters.join(''))).toBe(letterByLetter(letters.join('')));
    let seed = 1;
    for (let round = 0; round < 3_000; round += 1) {
      const text = Array.from({ length: 12 }, () => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        const all = seed % 3 === 0 ? letters : special;
        return all[(seed >> 4) % all.length] ?? '';
      }).join('');
      expect(fold(text)).toBe(letterByLetter(text));
    }
  });

  it('fold is idempotent, and capitalsOf knows every capital', () => {
    const letters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).join('');
    for (const [letter] of letters.matchAll(/\p{Changes_When_Lowercased}/gu)) {
      const lower = fold(letter);
      expect(fold(lower)).toBe(lower);
      if (lower !== letter && letter > '\x7f') expect(capitalsOf(lower)).toContain(letter);
    }
    expect(capitalsOf('å')).toEqual(['Å', '\u212b']);
    expect(capitalsOf('k')).toEqual([]);
  });
});
