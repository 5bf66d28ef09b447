import { validationError } from '@beckon/core';

const refuse = (name: string): never => {
  throw validationError({ [name]: ['must not contain the character U+0000'] });
};

/**
 * Rejects U+0000 outside the body: no id and no filter of ours contains it, and PostgreSQL's text cannot.
 *
 * @throws BeckonError VALIDATION_ERROR that names the first parameter of path or query that contains it
 */
export const refuseNul = (params: Readonly<Record<string, string | undefined>>, query: URLSearchParams): void => {
  for (const name in params) if (params[name]?.includes('\0')) refuse(name);
  if (query.size === 0) return;
  for (const [name, value] of query) if (name.includes('\0') || value.includes('\0')) refuse(name);
};
