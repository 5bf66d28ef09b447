// Dates and similar values, for comparing memory with databases.

/** Dates as text, and similar texts. */
export const DATES = [
  ...[
    '2026-11-22',
    '2026-11-22T12:00:00Z',
    '2026-11-22T12:00:00.000+00:00',
    '2026-11-22T14:00+0200',
    '2026-11-22T07:30-04:30',
  ],
  ...[
    '2026-11-22T12:00:00.0009Z',
    '2026-11-22T12:00:00.001',
    '2026-11-22T11:59:59.999999999Z',
    '2026-11-21T12:00',
    '2026-11-23T12:00Z',
  ],
  ...[
    '2024-02-29',
    '2026-02-29',
    '1900-02-29',
    '2000-02-29',
    '0001-01-01',
    '0000-12-31',
    '9999-12-31T23:59:59.999Z',
    '1969-12-31T23:59:59',
  ],
  ...[
    '2026-11-22T24:00',
    '2026-11-22T12:00:60Z',
    '2026-11-22 12:00',
    '2026-1-1',
    '2026-11-22T12:00:00.Z',
    '2026-11-31',
    '2026-04-31',
  ],
  ...[
    '2026-11-22T12:00:00.1234567890Z',
    '2026-11-22T12:00+24:00',
    '2026-11-22T',
    '2026-11-22T12',
    'now',
    '2026-11-22Z',
    '2026-13-01',
    '0099-12-31',
  ],
  ...[
    '2026-11-22T12:00:0aZ',
    '2026-11-22T12:00:00+5:30',
    '2026-11-22T12:00:00+05:60',
    '2026-11-15T12:00:00Z',
    '2026-11-29T12:00:00Z',
    '2026-11-22T12:00:00,5Z',
  ],
];
/** Unix times and similar numbers. */
export const UNIX = [
  ...[1_795_348_800, 1_795_348_800_000, 1_795_348_799.9, 1_795_348_800_000.9, -1_795_348_800, -0.5, -1.5, 0, 1],
  ...[99_999_999_999, 99_999_999_999.9, 100_000_000_000, -99_999_999_999, -100_000_000_000, -62_135_596_800],
  ...[253_402_300_799_999, 253_402_300_800_000, -62_135_596_800_000, -62_135_596_800_001, 1e15, 1e300, -1e300],
  ...[253_402_300_799, 253_402_300_799_999.9],
];
/** Unix times as text, and dates with a space or an offset of hours. */
export const UNIX_TEXTS = [
  ...[
    '1795348800',
    '1795348800000',
    '-1795348800',
    '0',
    '-0',
    '007',
    '000001795348800',
    '0000001795348800',
    '1795348800.5',
    '+1795348800',
    '--1',
    '-',
  ],
  ...['99999999999', '100000000000', '253402300799999', '253402300800000', '999999999999999', '1000000000000000'],
  ...[
    '1795348800 ',
    '٣',
    '1e9',
    '2026-11-22 12:00:00',
    '2026-11-22 23:30+02',
    '2026-11-22T12:00-05',
    '2026-11-22  12:00',
  ],
  ...['2026-11-22T12:00+5', '2026-11-22 24:00', '2026-11-22T12:00:00+053', '2026-03-29', '2026-10-25', '2011-12-30'],
];
/** Zones with clock changes, one that skipped a day, and an offset of quarter hours. */
export const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'UTC',
  'America/Sao_Paulo',
];

/** Dates that the schema accepts as a leaf's value. */
export const LITERAL_DATES: readonly (string | number)[] = [
  ...[
    1_795_348_800,
    1_795_348_800_000,
    '1795348800',
    '2026-11-22 12:00:00',
    '2026-03-29',
    '2011-12-30',
    253_402_300_799,
  ],
  '2026-11-22',
  '2026-11-22T12:00:00Z',
  '2026-11-22T12:00:00.001Z',
  '0001-01-01',
  '0001-01-01T00:00+05:00',
  '9999-12-31',
  '2024-02-29',
];

type Random = () => number;
const oneOf = <T>(random: Random, from: readonly T[], otherwise: T): T =>
  from[Math.floor(random() * from.length)] ?? otherwise;
const digits = (random: Random, least: number, most: number): string =>
  Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, () => Math.floor(random() * 10)).join('');
const two = (random: Random, most: number): string => String(Math.floor(random() * (most + 1))).padStart(2, '0');

/** A date in an accepted form, sometimes with parts out of range. */
const dateText = (random: Random): string => {
  const year = random() < 0.6 ? oneOf(random, ['2026', '2011', '1969'], '2026') : digits(random, 3, 5);
  const day = `${year}-${two(random, 13)}-${two(random, 32)}`;
  if (random() < 0.3) return day;
  const seconds = random() < 0.6 ? `:${two(random, 60)}${random() < 0.4 ? `.${digits(random, 0, 10)}` : ''}` : '';
  const offset = `${oneOf(random, ['+', '-'], '+')}${two(random, 24)}`;
  const zone = oneOf(random, ['', 'Z', offset, `${offset}:${two(random, 60)}`, `${offset}${two(random, 60)}`], '');
  return `${day}${oneOf(random, ['T', ' ', 't', '  '], 'T')}${two(random, 24)}:${two(random, 60)}${seconds}${zone}`;
};

const ODD = ['-', '+', '.', ':', ' ', 'T', 'Z', '0', '9', '\u0663', 'e', '\n', '"', '%', '\ufffd'];
/** A date with one character inserted, removed or replaced. */
const spoiled = (random: Random, text: string): string => {
  const at = Math.floor(random() * (text.length + 1));
  return (
    text.slice(0, at) + (random() < 0.3 ? '' : oneOf(random, ODD, '-')) + text.slice(at + (random() < 0.5 ? 1 : 0))
  );
};

const unixNumber = (random: Random): number => {
  const value = (random() < 0.5 ? -1 : 1) * random() * 10 ** Math.floor(random() * 18);
  return random() < 0.6 ? Math.trunc(value) + 0 : value;
};

/** A date, a Unix time or a similar invalid value; of any year, even out of range. */
export const randomDate = (random: Random): string | number => {
  const kind = random();
  if (kind < 0.25) return unixNumber(random);
  const text = kind < 0.4 ? `${oneOf(random, ['', '-', '+'], '')}${digits(random, 1, 17)}` : dateText(random);
  return random() < 0.2 ? spoiled(random, text) : text;
};
