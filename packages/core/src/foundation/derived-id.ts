// Ids computed from their subject, in the form of a UUIDv7 (RFC 9562, section 5.7). They sort among other ids by their
// time, and the same input always gives the same id.

import { sha256Hex } from './hash.ts';

const MILLISECOND_DIGITS = 12;
/** Range of an id's counter among the ids of its millisecond, with the dashes around it. */
const COUNTER_START = 13;
const COUNTER_END = 24;

const withDashes = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;

const millisecondHex = (millisecond: number): string =>
  Math.max(0, Math.floor(millisecond)).toString(16).padStart(MILLISECOND_DIGITS, '0');

/**
 * The id of `subject` at a moment: equal for equal arguments, different otherwise. It sorts after nearly all ids
 * generated in the same millisecond. Throws nothing.
 */
export const derivedId = (at: Date, subject: string): string =>
  withDashes(`${millisecondHex(at.getTime())}7fff8${sha256Hex(subject).slice(0, 15)}`);

/**
 * The id of a row derived from another row at a moment, one for each `subject`: equal for equal arguments, different
 * otherwise. Ids of one moment sort as the source rows' ids do, so rows written together are stored together. Throws
 * nothing.
 *
 * @param id id of the source row, as `Ids` generates it
 */
export const followingId = (at: Date, id: string, subject: string): string =>
  `${idHead(at)}${id.slice(COUNTER_START, COUNTER_END)}${sha256Hex(`${id}/${subject}`).slice(0, 12)}`;

/**
 * How far a moment may lie before the creation of its row, because clocks differ: 30 days. Chosen: more than any clock
 * error.
 */
const MAX_EARLY_MS = 30n * 86_400_000n;
/** Bits of the time between a row's creation and the moment: 795 days, longer than any row is retained. */
const DELAY_BITS = 36n;
/** Bits taken from the row's id: the 26 that order ids of one millisecond, and the first 11 random bits. */
const COUNTER_BITS = 26n;
const TAIL_BITS = 11n;
const DIGITS_BITS = COUNTER_BITS + TAIL_BITS;
/** Bits of the last two groups of an id without the variant. */
const GROUP_BITS = 48n;
const GROUP_MASK = (1n << GROUP_BITS) - 1n;
const LAST_MILLISECOND = 2 ** 48 - 1;

/** Distinguishes two moments of one row. */
export type MomentIndex = 0 | 1;

/** The 74 bits of an id after its millisecond, without version and variant. */
const bitsOf = (id: string): bigint =>
  (BigInt(`0x${id.slice(15, 18)}`) << 62n) |
  ((BigInt(`0x${id.slice(19, 23)}`) & 0x3fffn) << GROUP_BITS) |
  BigInt(`0x${id.slice(24)}`);

const idOfBits = (millisecond: number, bits: bigint): string => {
  const digits = (value: bigint, length: number): string => value.toString(16).padStart(length, '0');
  const [version, variant] = [0x7000n | (bits >> 62n), 0x8000n | ((bits >> GROUP_BITS) & 0x3fffn)];
  return withDashes(
    `${millisecondHex(millisecond)}${digits(version, 4)}${digits(variant, 4)}${digits(bits & GROUP_MASK, 12)}`,
  );
};

/**
 * The id of a change to a row at a moment. The row can be found from it (`rowsOfMoment`) without an index. Ids of one
 * moment sort as the ids of their rows do. Throws nothing.
 *
 * @param id id of the row, as `Ids` generates it
 * @param index distinguishes two moments of one row
 */
export const momentId = (at: Date, id: string, index: MomentIndex): string => {
  const delay = BigInt(at.getTime() - millisecondOf(id)) + MAX_EARLY_MS;
  const limit = (1n << DELAY_BITS) - 1n;
  const age = delay < 0n ? 0n : delay > limit ? limit : delay;
  const digits = bitsOf(id) >> (74n - DIGITS_BITS);
  // Inverted, so that a later row has a greater id.
  return idOfBits(at.getTime(), ((limit - age) << (DIGITS_BITS + 1n)) | (digits << 1n) | BigInt(index));
};

/**
 * The range of ids, both ends included, that contains the row of a moment: nearly always one row. For an id that is not
 * a moment's, it is the position after which a list of moments continues. Throws nothing for a UUID.
 */
export const rowsOfMoment = (id: string): { readonly first: string; readonly last: string } => {
  const bits = bitsOf(id);
  const delay = (1n << DELAY_BITS) - 1n - (bits >> (DIGITS_BITS + 1n)) - MAX_EARLY_MS;
  const digits = (bits >> 1n) & ((1n << DIGITS_BITS) - 1n);
  const rest = 74n - DIGITS_BITS;
  const millisecond = Math.min(millisecondOf(id) - Number(delay), LAST_MILLISECOND);
  return {
    first: idOfBits(millisecond, digits << rest),
    last: idOfBits(millisecond, (digits << rest) | ((1n << rest) - 1n)),
  };
};

/** The prefix of all ids of a moment. Throws nothing. */
export const idHead = (at: Date): string => {
  const hex = millisecondHex(at.getTime());
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
};

/**
 * An id for a row of a list: ids of one moment sort by `place`.
 *
 * @param place 1 to 2^24 - 1
 * @param random 12 lower-case hex digits
 */
export const placedId = (at: Date, place: number, random: string): string => {
  const digits = (number: number): string => (number & 0xfff).toString(16).padStart(3, '0');
  return `${idHead(at)}-7${digits(place >> 12)}-8${digits(place)}-${random}`;
};

/** The least id of a millisecond: ids of this millisecond and of later ones are not below it. Throws nothing. */
export const firstIdOf = (millisecond: number): string =>
  withDashes(`${millisecondHex(millisecond)}7000${'8'.padEnd(16, '0')}`);

/** The Unix millisecond of a UUIDv7; NaN for any other text. Throws nothing. */
export const millisecondOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
