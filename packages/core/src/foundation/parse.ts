import type { z } from 'zod';
import { fieldErrorsOf, validationError } from './errors.ts';

/** Parses an input with a schema. Throws VALIDATION_ERROR with `fieldErrors`. */
export const parse = <Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw validationError(fieldErrorsOf(parsed.error));
};
