import { type DateRange, dayRangeOf, isInRange, rangeOf } from './date-range.ts';
import { CHARACTERS_PER_UNIT, ELEMENTS_PER_UNIT, type Evaluation } from './evaluation.ts';
import { searchFor } from './text-search.ts';
import type { DateTest, Scalar, ValueTest, Verdict } from './types.ts';
import { compareVersions, dateOf, fold, isPlainDay, type Version, versionOf } from './values.ts';

/** A compiled test; counts its work in the evaluation. */
export type TestValue = (value: unknown, nowMs: number, evaluation: Evaluation) => Verdict;

const not =
  (test: TestValue): TestValue =>
  (...asked) => {
    const verdict = test(...asked);
    return verdict === null ? null : !verdict;
  };

// Strict equality: JSON values of different types are never equal, and objects and arrays equal nothing.
const among = (values: readonly Scalar[]): ((value: unknown) => boolean) => {
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  const set: ReadonlySet<unknown> = new Set(values);
  return (value) => set.has(value);
};

const numbers =
  (holds: (value: number) => boolean): TestValue =>
  (value) =>
    typeof value === 'number' ? holds(value) : null;

const texts = (
  { value: expected, caseSensitive }: { readonly value: string; readonly caseSensitive?: true },
  comparing: (wanted: string) => (text: string) => boolean,
): TestValue => {
  const holds = comparing(caseSensitive ? expected : fold(expected));
  return (value, _, evaluation) => {
    if (typeof value !== 'string') return null;
    evaluation.units += (value.length + 2 * expected.length) / CHARACTERS_PER_UNIT;
    return holds(caseSensitive ? value : evaluation.fold(value));
  };
};

const lists =
  (holds: (list: readonly unknown[]) => boolean): TestValue =>
  (value, _, evaluation) => {
    if (!Array.isArray(value)) return null;
    evaluation.units += value.length / ELEMENTS_PER_UNIT;
    return holds(value);
  };

const dates = (test: DateTest): TestValue => {
  let madeAt = Number.NaN;
  let range: DateRange = { from: null, before: null };
  let days = range;
  return (value, now) => {
    const at = dateOf(value);
    if (at === null) return null;
    // Many profiles are evaluated at the same time, so the range is cached.
    if (madeAt !== now) {
      range = rangeOf(test, now);
      days = dayRangeOf(range, test.timezone);
      madeAt = now;
    }
    return isInRange(isPlainDay(value) ? days : range, at);
  };
};

const versions = (expected: string, holds: (order: number) => boolean): TestValue => {
  const other: Version = versionOf(expected) ?? [0, 0, 0, 0, 1];
  return (value, _, evaluation) => {
    if (typeof value === 'string') evaluation.units += value.length / CHARACTERS_PER_UNIT;
    const version = typeof value === 'string' ? versionOf(value) : null;
    return version === null ? null : holds(compareVersions(version, other));
  };
};

const comparing = (test: ValueTest): TestValue => {
  switch (test.op) {
    case 'set':
      return () => true;
    case 'not_set':
      return () => false;
    case 'eq':
      return among([test.value]);
    case 'neq':
      return not(among([test.value]));
    case 'in':
      return among(test.value);
    case 'not_in':
      return not(among(test.value));
    case 'gt':
      return numbers((value) => value > test.value);
    case 'gte':
      return numbers((value) => value >= test.value);
    case 'lt':
      return numbers((value) => value < test.value);
    case 'lte':
      return numbers((value) => value <= test.value);
    case 'between':
      return numbers((value) => value >= test.value[0] && value <= test.value[1]);
    case 'contains':
      return texts(test, searchFor);
    case 'not_contains':
      return texts(test, (expected) => {
        const isIn = searchFor(expected);
        return (text) => !isIn(text);
      });
    case 'starts_with':
      return texts(test, (expected) => (text) => text.startsWith(expected));
    case 'ends_with':
      return texts(test, (expected) => (text) => text.endsWith(expected));
    case 'includes':
      return lists((list) => list.includes(test.value));
    case 'not_includes':
      return lists((list) => !list.includes(test.value));
    case 'includes_any': {
      const isExpected = among(test.value);
      return lists((list) => list.some(isExpected));
    }
    case 'includes_all': {
      const expected: ReadonlySet<unknown> = new Set(test.value);
      return lists((list) => {
        const found = new Set<unknown>();
        return list.some((value) => expected.has(value) && found.add(value).size === expected.size);
      });
    }
    case 'before':
    case 'after':
    case 'within_last':
    case 'within_next':
    case 'older_than':
      return dates(test);
    case 'ver_eq':
      return versions(test.value, (order) => order === 0);
    case 'ver_gt':
      return versions(test.value, (order) => order > 0);
    case 'ver_gte':
      return versions(test.value, (order) => order >= 0);
    case 'ver_lt':
      return versions(test.value, (order) => order < 0);
    case 'ver_lte':
      return versions(test.value, (order) => order <= 0);
  }
};

const made = new WeakMap<ValueTest, TestValue>();

/**
 * Compiles a test, once per object. A missing or null value is unknown, except for `set` and `not_set`; so is a value
 * of another type than the operator needs. The compiled test throws nothing.
 */
export const testOf = (test: ValueTest): TestValue => {
  const known = made.get(test);
  if (known) return known;
  const whenMissing = test.op === 'set' ? false : test.op === 'not_set' ? true : null;
  const compare = comparing(test);
  const whole: TestValue = (value, now, evaluation) => {
    evaluation.units += 1;
    return value === undefined || value === null ? whenMissing : compare(value, now, evaluation);
  };
  made.set(test, whole);
  return whole;
};
