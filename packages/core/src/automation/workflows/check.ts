import type { ImportWarning } from '../runs/answers.generated.ts';
import { parseBundle } from './schema.ts';
import { warningsOf } from './warnings.ts';

/** Names and warnings of a bundle, without a project. */
export type CheckedBundle = {
  readonly workflows: readonly string[];
  /** Warnings about audiences are included, because no project is known. */
  readonly warnings: readonly ImportWarning[];
};

/** Checks a bundle without a database. Throws VALIDATION_ERROR like an import. */
export const checkBundle = (bundle: unknown): CheckedBundle => {
  const { workflows } = parseBundle(bundle);
  return { workflows: workflows.map(({ name }) => name), warnings: warningsOf(workflows) };
};
