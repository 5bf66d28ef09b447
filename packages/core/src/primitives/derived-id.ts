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
