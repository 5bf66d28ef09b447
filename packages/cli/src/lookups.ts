// How commands take a name or the end of an id where an operation takes an id.

import type { Answer, Api, Operation, RowOf } from './api.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { idOfNamed, isWholeId, wholeId } from './ids.ts';

type Find = (api: Api, text: string) => Promise<string>;
type Listed<Row> = { [R in Operation]: RowOf<R> extends never ? never : RowOf<R> extends Row ? R : never }[Operation];

/** By its id, whole or as tables show it. */
export const byId =
  (what: string, list: Listed<{ readonly id: string }>): Find =>
  (api, text) =>
    wholeId(what, text, (query) => api.page(list, { query }));

/** By its id or its name. */
export const byName =
  (what: string, list: Listed<{ readonly id: string; readonly name: string }>): Find =>
  (api, text) =>
    idOfNamed(what, text, (query) => api.page(list, { query }));

/** An audience by its id, or by its whole name, which no other audience of the environment has. Throws NOT_FOUND. */
export const audienceOf = async (api: Api, named: string): Promise<Answer<'GET /audiences/{id}'>> => {
  if (isWholeId(named)) return api.call('GET /audiences/{id}', { params: { id: named } });
  const [found] = (await api.page('GET /audiences', { query: { name: named, limit: 1 } })).data;
  if (found) return found;
  throw new CliError(EXIT.negative, `There is no audience ${named} in ${api.environment}.`, {
    code: 'NOT_FOUND',
    hint: `List audiences: beckon audiences list --env ${api.environment}`,
  });
};

/** The workflow of that name, or of that id. Throws CliError, or NOT_FOUND. */
export const findWorkflow = async (api: Api, named: string): Promise<Answer<'GET /automation/workflows/{id}'>> => {
  const get = (id: string) => api.call('GET /automation/workflows/{id}', { params: { id } });
  const [found] = (await api.page('GET /automation/workflows', { query: { name: named, limit: 1 } })).data;
  if (found) return get(found.id);
  const id = await wholeId('workflow', named, (query) => api.page('GET /automation/workflows', { query }));
  try {
    return await get(id);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')) throw error;
    throw new CliError(EXIT.negative, `This project has no workflow of the name or id ${named}.`, {
      code: 'NOT_FOUND',
      hint: 'See them with: beckon workflows list',
    });
  }
};

/** Its id. Throws as `findWorkflow`. */
export const workflowId = async (api: Api, named: string): Promise<string> => (await findWorkflow(api, named)).id;
