import type { ImportWarning } from '../runs/answers.generated.ts';
import { parseBundle } from './schema.ts';
import { warningsOf } from './warnings.ts';

/** What a bundle holds, as far as it can be told without a project. */
export type CheckedBundle = {
  readonly workflows: readonly string[];
  /** An audience is unknown to whoever has no project. */
  readonly warnings: readonly ImportWarning[];
};

/** Names and warnings of a bundle, without a database. Throws VALIDATION_ERROR as an import does. */
export const checkBundle = (bundle: unknown): CheckedBundle => {
  const { workflows } = parseBundle(bundle);
  return { workflows: workflows.map(({ name }) => name), warnings: warningsOf(workflows) };
};
