import type { Answer, Api } from './api.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { wholeId } from './ids.ts';

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
