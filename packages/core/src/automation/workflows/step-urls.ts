// URLs of webhook steps are judged by the address rules of webhooks when a definition is saved. The schema of a step
// cannot: the rules are the operator's.

import { validationError } from '../../foundation/errors.ts';
import { type UrlRules, urlProblem } from '../../foundation/net/urls.ts';
import type { StoredStep } from '../runs/cursor.ts';
import { stepTypes } from '../runs/steps/list.ts';
import { walkSteps } from '../runs/steps/walk.ts';
import { filledUrl } from '../runs/steps/webhook-url.ts';

/** The URL of a webhook step without its values, which have no part in its origin; null: it is another step. */
const urlOf = ({ type, config }: StoredStep): URL | null => {
  if (type !== 'webhook' || typeof config['url'] !== 'string') return null;
  return URL.parse(filledUrl(config['url'], {}) ?? '');
};

/**
 * Refuses steps that post where this deployment connects to nobody.
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
