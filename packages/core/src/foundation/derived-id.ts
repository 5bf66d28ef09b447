// Ids that are made of what they stand for, in the form of a UUIDv7 (RFC 9562, section 5.7): they sort among the others
// by their moment, and whoever makes one again makes the same.

import { sha256Hex } from './hash.ts';

const MILLISECOND_DIGITS = 12;
/** Where an id says its place among those of its millisecond, with the dashes around it. */
const PLACE_FROM = 13;
const PLACE_TO = 24;

const withDashes = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;

const millisecondHex = (millisecond: number): string =>
  Math.max(0, Math.floor(millisecond)).toString(16).padStart(MILLISECOND_DIGITS, '0');

/**
 * The id of `subject` at a moment: equal for equal arguments, different otherwise. It stands behind the ids that were
 * given in the same millisecond, which it mostly follows from. Throws nothing.
 */
export const derivedId = (at: Date, subject: string): string =>
  withDashes(`${millisecondHex(at.getTime())}7fff8${sha256Hex(subject).slice(0, 15)}`);

/**
 * The id of what follows from a row at a moment, one for each `subject`: equal for equal arguments, different otherwise. Those
 * of one moment sort as the rows' ids do within theirs, so that what is written together lies together. Throws nothing.
 *
 * @param id of the row, as our sources give them
 */
export const followingId = (at: Date, id: string, subject: string): string =>
  `${idHead(at)}${id.slice(PLACE_FROM, PLACE_TO)}${sha256Hex(`${id}/${subject}`).slice(0, 12)}`;

/** Milliseconds that a moment may be before its row was made, by clocks that differ: 30 days. Chosen: more than any clock. */
const EARLY_MS = 30n * 86_400_000n;
/** Bits of the time between a row and its moment: 795 days, more than a row is kept. */
const DELAY_BITS = 36n;
/** Bits of a row's own digits: the 26 that order ids of one millisecond, and the first 11 of those behind them. */
const PLACE_BITS = 26n;
const TAIL_BITS = 11n;
const DIGITS_BITS = PLACE_BITS + TAIL_BITS;
/** The bits of an id behind its moment, without version and variant, and those of its last group. */
const GROUP_BITS = 48n;
const GROUP_MASK = (1n << GROUP_BITS) - 1n;
const LAST_MILLISECOND = 2 ** 48 - 1;

/** What two moments of one row are told apart by. */
export type MomentIndex = 0 | 1;

/** The 74 bits of an id behind its millisecond. */
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
 * The id of what happened to a row at a moment. It tells which row that is (`rowsOfMoment`), so that it can be looked up
 * without an index over it. Ids of one moment sort as those of their rows do. Throws nothing.
 *
 * @param id of the row, as our sources give them
 * @param index of two moments of one row
 */
export const momentId = (at: Date, id: string, index: MomentIndex): string => {
  const delay = BigInt(at.getTime() - millisecondOf(id)) + EARLY_MS;
  const limit = (1n << DELAY_BITS) - 1n;
  const age = delay < 0n ? 0n : delay > limit ? limit : delay;
  const digits = bitsOf(id) >> (74n - DIGITS_BITS);
  // Upside down: the later the row, the greater the id.
  return idOfBits(at.getTime(), ((limit - age) << (DIGITS_BITS + 1n)) | (digits << 1n) | BigInt(index));
};

/**
 * The ids between which the row of a moment is, both included: as good as always one. Of an id that is no moment's the row
 * behind which a list of moments in their order goes on. Throws nothing for a UUID.
 */
export const rowsOfMoment = (id: string): { readonly first: string; readonly last: string } => {
  const bits = bitsOf(id);
  const delay = (1n << DELAY_BITS) - 1n - (bits >> (DIGITS_BITS + 1n)) - EARLY_MS;
  const digits = (bits >> 1n) & ((1n << DIGITS_BITS) - 1n);
  const rest = 74n - DIGITS_BITS;
  const millisecond = Math.min(millisecondOf(id) - Number(delay), LAST_MILLISECOND);
  return {
    first: idOfBits(millisecond, digits << rest),
    last: idOfBits(millisecond, (digits << rest) | ((1n << rest) - 1n)),
  };
};

/** What ids of a moment begin with, before the first of their own digits. Throws nothing. */
export const idHead = (at: Date): string => {
  const hex = millisecondHex(at.getTime());
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
};

/**
 * An id of ours for a row that stands in a list: those of one moment sort by their places.
 *
 * @param place 1 to 2^24 - 1
 * @param random 12 lower-case hex digits
 */
export const placedId = (at: Date, place: number, random: string): string => {
  const digits = (number: number): string => (number & 0xfff).toString(16).padStart(3, '0');
  return `${idHead(at)}-7${digits(place >> 12)}-8${digits(place)}-${random}`;
};

/** The least id of a millisecond: ids of this moment and of later ones are not below it. Throws nothing. */
export const firstIdOf = (millisecond: number): string =>
  withDashes(`${millisecondHex(millisecond)}7000${'8'.padEnd(16, '0')}`);

/** The Unix millisecond that an id of ours begins with; NaN for anything else. Throws nothing. */
export const millisecondOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
