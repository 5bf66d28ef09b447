import { validationError } from '@beckon/core';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes `projectId` out of a body: it says whom the call is for and belongs to no engine's input. */
const takeFromBody = (body: unknown): { readonly asked: string | undefined; readonly body: unknown } => {
  if (!isObject(body) || !Object.hasOwn(body, 'projectId')) return { asked: undefined, body };
  const { projectId, ...rest } = body;
  if (typeof projectId !== 'string') throw validationError({ projectId: ['must be a string'] });
  if (projectId.includes('\0')) throw validationError({ projectId: ['must not contain the character U+0000'] });
  return { asked: projectId, body: rest };
};

const takeFromQuery = (query: URLSearchParams): string | undefined => {
  if (query.size === 0) return undefined;
  const asked = query.getAll('projectId');
  if (asked.length > 1) throw validationError({ projectId: ['must occur only once in the query'] });
  return asked[0];
};

/**
 * Which project a request asks for, and its body without `projectId`.
 *
 * @param isBodyWhole the body is the engine's, whatever it holds
 * @throws BeckonError VALIDATION_ERROR `fieldErrors.projectId` when it is no string or named twice differently
 */
export const takeProject = (
  query: URLSearchParams,
  given: unknown,
  isBodyWhole: boolean,
): { readonly asked: string | undefined; readonly body: unknown } => {
  const inQuery = takeFromQuery(query);
  const { asked: inBody, body } = isBodyWhole ? { asked: undefined, body: given } : takeFromBody(given);
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw validationError({ projectId: ['must be the same in the query and the body'] });
  }
  return { asked: inQuery ?? inBody, body };
};
