import type { Answer, Api } from './api.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { isWholeId } from './ids.ts';

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
