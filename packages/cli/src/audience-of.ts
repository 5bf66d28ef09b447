import type { Audience, Beckon, Scope } from '@beckon/core';
import { CliError, EXIT } from './exit-codes.ts';
import { isWholeId } from './ids.ts';

/** An audience by its id, or by its whole name, which no other audience of the environment has. Throws NOT_FOUND. */
export const audienceOf = async (
  { audiences }: Pick<Beckon, 'audiences'>,
  scope: Scope,
  named: string,
): Promise<Audience> => {
  if (isWholeId(named)) return audiences.get(scope, named);
  const [found] = (await audiences.list(scope, { name: named, limit: 1 })).data;
  if (found) return found;
  throw new CliError(EXIT.negative, `There is no audience ${named} in ${scope.environment}.`, {
    code: 'NOT_FOUND',
    hint: `List audiences: beckon audiences list --env ${scope.environment}`,
  });
};
