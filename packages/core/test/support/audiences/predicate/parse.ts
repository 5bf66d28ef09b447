import { fieldErrorsOf, validationError } from '../../../../src/foundation/errors.ts';
import { predicateSchema } from '../../../../src/people/audiences/predicate/schema.ts';
import type { Predicate } from '../../../../src/people/audiences/predicate/types.ts';

/** A predicate in its stored form. Throws VALIDATION_ERROR with fields below `predicate`. */
export const parsePredicate = (given: unknown): Predicate => {
  const parsed = predicateSchema.safeParse(given);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error, 'predicate'));
  return parsed.data;
};
