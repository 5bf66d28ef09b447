// What zod says of a wrong value, in words for whoever wrote it. A schema's own sentence stays as it is.

import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** How zod's own messages begin. Source: zod, locales/en. */
const BY_ZOD = /^(?:Invalid|Too (?:small|big)|Unrecognized)\b/;
const MISSING = / received undefined$/;

const KINDS: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
  date: 'must be a time',
  null: 'must be null',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  url: 'must be a URL',
  uuid: 'must be an id',
  datetime: 'must be a time in ISO 8601, such as 2026-03-01T09:30:00Z',
  date: 'must be a date such as 2026-03-01',
};

const count = (size: number | bigint, one: string): string => `${size} ${size === 1 ? one : `${one}s`}`;

/** Of a size, what is counted; null: the value itself is compared. */
const unitOf = (origin: string): string | null => {
  if (origin === 'string') return 'character';
  return origin === 'array' || origin === 'set' || origin === 'map' ? 'item' : null;
};

const sizeText = (origin: string, limit: number | bigint, words: { readonly few: string; readonly than: string }) => {
  const unit = unitOf(origin);
  return unit === null ? `must be ${words.than} ${limit}` : `must have ${words.few} ${count(limit, unit)}`;
};

const isMissing = (issue: Issue): boolean => issue.code === 'invalid_type' && MISSING.test(issue.message);

const plain = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return isMissing(issue) ? 'is required' : (KINDS[issue.expected] ?? 'has the wrong type');
    case 'too_small': {
      const { origin, minimum, inclusive, exact } = issue;
      if (exact) return sizeText(origin, minimum, { few: 'exactly', than: 'exactly' });
      if (minimum === 1 && unitOf(origin) !== null) return 'must not be empty';
      return sizeText(origin, minimum, { few: 'at least', than: inclusive ? 'at least' : 'more than' });
    }
    case 'too_big': {
      const { origin, maximum, inclusive, exact } = issue;
      if (exact) return sizeText(origin, maximum, { few: 'exactly', than: 'exactly' });
      return sizeText(origin, maximum, { few: 'at most', than: inclusive ? 'at most' : 'less than' });
    }
    case 'invalid_value': {
      const values = issue.values.map(String);
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
    }
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has the wrong format';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union': {
      const isAbsent = issue.errors.length > 0 && issue.errors.every((branch) => branch.some(isMissing));
      return isAbsent ? 'is required' : 'has none of the allowed types';
    }
    default:
      return 'is not valid';
  }
};

/** One issue as a part of a sentence about its field, such as `is required`. Never repeats the value. Throws nothing. */
export const issueText = (issue: Issue): string => (BY_ZOD.test(issue.message) ? plain(issue) : issue.message);
