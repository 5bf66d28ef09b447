// Cost of predicates on SQLite, where a statement blocks its thread. Measured on two slow processors.

import { type Condition, type Leaf, leavesOf, type Predicate, type ValueTest } from './types.ts';
import { capitalsOf, fold } from './values.ts';

/** In half microseconds of CPU. */
export type SqlWeight = {
  /** Per profile of any size. */
  readonly perRow: number;
  /** Per kilobyte of traits: every leaf searches its trait anew, and text leaves copy their text. */
  readonly perKilobyte: number;
};

const READ: SqlWeight = { perRow: 1, perKilobyte: 1 };
/** Look-up in another table. */
const LOOK_UP: SqlWeight = { perRow: 3, perKilobyte: 0 };
const LIST: SqlWeight = { perRow: 3, perKilobyte: 10 };
// Dates and versions are parsed by character.
const DATE: SqlWeight = { perRow: 8, perKilobyte: 5 };
const VERSION: SqlWeight = { perRow: 12, perKilobyte: 20 };
const TEXT: SqlWeight = { perRow: 3, perKilobyte: 12 };
/** A letter beyond ASCII with a capital: the text is copied with it replaced. */
const LETTER: SqlWeight = { perRow: 1, perKilobyte: 5 };
/** Values of a list that cost as much as one leaf. */
const VALUES = 16;

const DATES: ReadonlySet<string> = new Set(['before', 'after', 'within_last', 'within_next', 'older_than']);
const LISTS: ReadonlySet<string> = new Set(['includes', 'not_includes', 'includes_any', 'includes_all']);

const times = ({ perRow, perKilobyte }: SqlWeight, count: number): SqlWeight => ({
  perRow: perRow * count,
  perKilobyte: perKilobyte * count,
});
const sum = (all: readonly SqlWeight[]): SqlWeight => ({
  perRow: all.reduce((total, { perRow }) => total + perRow, 0),
  perKilobyte: all.reduce((total, { perKilobyte }) => total + perKilobyte, 0),
});

const replacedLetters = (text: string): number =>
  [...new Set(fold(text))].reduce((count, letter) => count + capitalsOf(letter).length, 0);

const weightOfTest = (test: ValueTest): SqlWeight => {
  switch (test.op) {
    case 'contains':
    case 'not_contains':
    case 'starts_with':
    case 'ends_with':
      return test.caseSensitive ? TEXT : sum([TEXT, times(LETTER, replacedLetters(test.value))]);
    case 'in':
    case 'not_in':
      return sum([READ, { perRow: test.value.length / VALUES, perKilobyte: 0 }]);
    case 'includes_any':
    case 'includes_all':
      return sum([LIST, times(LIST, test.value.length / VALUES)]);
    default:
      if (test.op.startsWith('ver_')) return VERSION;
      if (DATES.has(test.op)) return DATE;
      return LISTS.has(test.op) ? LIST : READ;
  }
};

const weightOfLeaf = (leaf: Leaf): SqlWeight => ('event' in leaf || 'audience' in leaf ? LOOK_UP : weightOfTest(leaf));

const weights = new WeakMap<Condition, SqlWeight>();

/** Total cost of a predicate's leaves. Throws nothing. */
export const sqlWeightOf = (predicate: Predicate): SqlWeight => {
  const known = weights.get(predicate);
  if (known) return known;
  const weight = sum(leavesOf(predicate).map(weightOfLeaf));
  weights.set(predicate, weight);
  return weight;
};

/** Total cost of several predicates. Throws nothing. */
export const sqlWeightOfAll = (predicates: readonly Predicate[]): SqlWeight => sum(predicates.map(sqlWeightOf));

/**
 * Maximum cost per profile on SQLite, in half microseconds. Chosen: 1 ms; above it memory is cheaper, because it folds
 * a text once and not per leaf.
 */
const MOST_PER_ROW = 2_000;
/**
 * Weight per row above which loading a profile and evaluating it in memory is cheaper; the statement would also take
 * long to prepare. Measured.
 */
const MEMORY_FROM = 400;

/** Whether all users should be evaluated in memory. Throws nothing. */
export const isMemoryCheaper = ({ perRow }: SqlWeight): boolean => perRow > MEMORY_FROM;

/** Maximum bytes of traits. Source: contract, Ingest and profiles. */
const MOST_BYTES = 65_536;

/** Bytes of traits above which memory evaluates a profile instead of SQLite; null: SQLite evaluates all. Throws nothing. */
export const largeFrom = ({ perRow, perKilobyte }: SqlWeight): number | null => {
  const left = Math.max(0, MOST_PER_ROW - perRow);
  const bytes = perKilobyte === 0 ? MOST_BYTES : Math.floor((left / perKilobyte) * 1_024);
  return bytes >= MOST_BYTES ? null : Math.max(LEAST_BYTES, bytes);
};

/** Nearly every profile is smaller, and such profiles are never worth loading. Chosen. */
const LEAST_BYTES = 512;
