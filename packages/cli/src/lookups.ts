// Resolves names and short ids to ids.

import type { Answer, Api, Operation, RowOf } from './api.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { idOfNamed, isWholeId, wholeId } from './ids.ts';

type Find = (api: Api, text: string) => Promise<string>;
type Listed<Row> = { [R in Operation]: RowOf<R> extends never ? never : RowOf<R> extends Row ? R : never }[Operation];

/** By id, whole or short. */
export const byId =
  (what: string, list: Listed<{ readonly id: string }>): Find =>
  (api, text) =>
    wholeId(what, text, (query) => api.page(list, { query }));

/** By id or name. */
export const byName =
  (what: string, list: Listed<{ readonly id: string; readonly name: string }>): Find =>
  (api, text) =>
    idOfNamed(what, text, (query) => api.page(list, { query }));

/** A segment by id or by name, which is unique within an environment. Throws NOT_FOUND. */
export const audienceOf = async (api: Api, named: string): Promise<Answer<'GET /audiences/{id}'>> => {
  if (isWholeId(named)) return api.call('GET /audiences/{id}', { params: { id: named } });
  const [found] = (await api.page('GET /audiences', { query: { name: named, limit: 1 } })).data;
  if (found) return found;
  throw new CliError(EXIT.negative, `No segment "${named}" in ${api.environment}.`, {
    code: 'NOT_FOUND',
    hint: `List segments: beckon audiences list --env ${api.environment}`,
  });
};

/** A workflow by name or id. Throws CliError, or NOT_FOUND. */
export const findWorkflow = async (api: Api, named: string): Promise<Answer<'GET /automation/workflows/{id}'>> => {
  const get = (id: string) => api.call('GET /automation/workflows/{id}', { params: { id } });
  const [found] = (await api.page('GET /automation/workflows', { query: { name: named, limit: 1 } })).data;
  if (found) return get(found.id);
  const id = await wholeId('workflow', named, (query) => api.page('GET /automation/workflows', { query }));
  try {
    return await get(id);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')) throw error;
    throw new CliError(EXIT.negative, `No workflow has the name or id "${named}".`, {
      code: 'NOT_FOUND',
      hint: 'List workflows: beckon workflows list',
    });
  }
};

/** The id of a workflow by name or id. Throws as `findWorkflow`. */
export const workflowId = async (api: Api, named: string): Promise<string> => (await findWorkflow(api, named)).id;
