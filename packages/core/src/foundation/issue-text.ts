// Replaces zod's messages with plain ones. A message written in the schema is kept.

import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Beginnings of zod's own messages. Source: zod, locales/en. */
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

const count = (size: number | bigint, noun: string): string => `${size} ${size === 1 ? noun : `${noun}s`}`;

/** The unit of a size limit; null if the value itself is compared. */
const unitOf = (origin: string): string | null => {
  if (origin === 'string') return 'character';
  return origin === 'array' || origin === 'set' || origin === 'map' ? 'item' : null;
};

const sizeText = (
  origin: string,
  limit: number | bigint,
  phrases: { readonly count: string; readonly compare: string },
) => {
  const unit = unitOf(origin);
  return unit === null ? `must be ${phrases.compare} ${limit}` : `must have ${phrases.count} ${count(limit, unit)}`;
};

const isMissing = (issue: Issue): boolean => issue.code === 'invalid_type' && MISSING.test(issue.message);

const plainText = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return isMissing(issue) ? 'is required' : (KINDS[issue.expected] ?? 'has the wrong type');
    case 'too_small': {
      const { origin, minimum, inclusive, exact } = issue;
      if (exact) return sizeText(origin, minimum, { count: 'exactly', compare: 'exactly' });
      if (minimum === 1 && unitOf(origin) !== null) return 'must not be empty';
      return sizeText(origin, minimum, { count: 'at least', compare: inclusive ? 'at least' : 'more than' });
    }
    case 'too_big': {
      const { origin, maximum, inclusive, exact } = issue;
      if (exact) return sizeText(origin, maximum, { count: 'exactly', compare: 'exactly' });
      return sizeText(origin, maximum, { count: 'at most', compare: inclusive ? 'at most' : 'less than' });
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

/**
 * An issue as part of a sentence about its field, such as `is required`. It never contains the value. Throws nothing.
 */
export const issueText = (issue: Issue): string => (BY_ZOD.test(issue.message) ? plainText(issue) : issue.message);
