import { fieldErrorsOf, validationError } from '../../../../src/foundation/errors.ts';
import { predicateSchema } from '../../../../src/people/audiences/predicate/schema.ts';
import type { Predicate } from '../../../../src/people/audiences/predicate/types.ts';

/** A predicate as it is stored. Throws VALIDATION_ERROR with fields below `predicate`. */
export const parsePredicate = (input: unknown): Predicate => {
  const parsed = predicateSchema.safeParse(input);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error, 'predicate'));
  return parsed.data;
};
