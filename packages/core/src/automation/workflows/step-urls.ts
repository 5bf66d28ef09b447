// Checks URLs of webhook steps by the operator's address rules when a definition is saved. The step's schema cannot,
// because it does not know these rules.

import { validationError } from '../../foundation/errors.ts';
import { type UrlRules, urlProblem } from '../../foundation/net/urls.ts';
import type { StoredStep } from '../runs/cursor.ts';
import { stepTypes } from '../runs/steps/list.ts';
import { walkSteps } from '../runs/steps/walk.ts';
import { filledUrl } from '../runs/steps/webhook-url.ts';

/** URL of a webhook step without its variables, which cannot change its origin; null for other steps. */
const urlOf = ({ type, config }: StoredStep): URL | null => {
  if (type !== 'webhook' || typeof config['url'] !== 'string') return null;
  return URL.parse(filledUrl(config['url'], {}) ?? '');
};

/**
 * Rejects steps whose URL this deployment does not allow.
 *
 * @param lists steps with their path in the request, such as `workflows.2.steps`
 * @throws BeckonError VALIDATION_ERROR with the path of each such URL
 */
export const refuseStepUrls = (
  lists: readonly { readonly steps: readonly StoredStep[]; readonly path: string }[],
  rules: UrlRules,
): void => {
  const problems = lists.flatMap(({ steps, path }) =>
    [...walkSteps(steps, path, stepTypes.armsOf)].flatMap((visit): [string, string[]][] => {
      const url = urlOf(visit.step);
      const problem = url === null ? null : urlProblem(url, rules);
      return problem === null ? [] : [[`${visit.path}.config.url`, [problem]]];
    }),
  );
  if (problems.length > 0) throw validationError(Object.fromEntries(problems));
};
