import { fieldErrorsOf, validationError } from '../../../errors.ts';
import { predicateSchema } from '../schema.ts';
import type { Predicate } from '../types.ts';

/** A predicate as it is stored. Throws VALIDATION_ERROR with fields below `predicate`. */
export const parsePredicate = (given: unknown): Predicate => {
  const parsed = predicateSchema.safeParse(given);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error, 'predicate'));
  return parsed.data;
};
