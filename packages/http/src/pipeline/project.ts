import { validationError } from '@beckon/core';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes `projectId` out of a body: it selects the project and belongs to no engine's input. */
const takeFromBody = (body: unknown): { readonly projectId: string | undefined; readonly body: unknown } => {
  if (!isObject(body) || !Object.hasOwn(body, 'projectId')) return { projectId: undefined, body };
  const { projectId, ...rest } = body;
  if (typeof projectId !== 'string') throw validationError({ projectId: ['must be a string'] });
  if (projectId.includes('\0')) throw validationError({ projectId: ['must not contain the character U+0000'] });
  return { projectId, body: rest };
};

const takeFromQuery = (query: URLSearchParams): string | undefined => {
  if (query.size === 0) return undefined;
  const projectId = query.getAll('projectId');
  if (projectId.length > 1) throw validationError({ projectId: ['must occur only once in the query'] });
  return projectId[0];
};

/**
 * The project that a request names, and its body without `projectId`.
 *
 * @param isBodyWhole the whole body belongs to the engine
 * @throws BeckonError VALIDATION_ERROR `fieldErrors.projectId` if it is no string, or differs between query and body
 */
export const takeProject = (
  query: URLSearchParams,
  value: unknown,
  isBodyWhole: boolean,
): { readonly projectId: string | undefined; readonly body: unknown } => {
  const inQuery = takeFromQuery(query);
  const { projectId: inBody, body } = isBodyWhole ? { projectId: undefined, body: value } : takeFromBody(value);
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw validationError({ projectId: ['must be the same in the query and the body'] });
  }
  return { projectId: inQuery ?? inBody, body };
};
