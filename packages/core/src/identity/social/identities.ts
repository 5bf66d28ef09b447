// Identities of users as the users and operators see them.

import { notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { Identity, IdentityUnlinked } from '../exchange/answers.generated.ts';
import { identityAnswer } from '../exchange/exchange.ts';
import { identitiesChanged } from '../exchange/identity.ts';
import type { AuthContext } from '../flow/context.ts';
import { requireAccount, requireEnabled } from '../flow/require.ts';
import { requireOtherMethod } from '../flow/sign-in-methods.ts';
import type { Bearer } from '../shapes/bearer.ts';

export const identitiesOfUsers = (context: AuthContext) => {
  const { accounts, identities, audit } = context;
  return {
    /** Oldest first. Throws NOT_FOUND for an unknown account. */
    list: async (scope: Scope, accountId: string): Promise<readonly Identity[]> => {
      await requireAccount(context, scope, accountId);
      return (await identities.ofAccount(scope, accountId)).map(identityAnswer);
    },
    /** Throws NOT_FOUND, CONFLICT `last_method`. */
    unlink: (scope: Scope, { account }: Bearer, id: string, client: ClientInfo): Promise<IdentityUnlinked> =>
      context.commit<IdentityUnlinked>(scope, async (now) => {
        const current = await requireEnabled(context, scope, account);
        const identity = (await identities.ofAccount(scope, account.id)).find((one) => one.id === id);
        if (!identity) throw notFound('identity with this id', scope);
        await requireOtherMethod(context, scope, current);
        const actor = `user:${current.id}`;
        const detail = { provider: identity.provider };
        const entry = { actor, action: 'identity.unlink', target: current.id, result: 'ok', client, detail };
        return {
          change: {
            writes: [
              accounts.change(current, {}, now).write,
              identities.unlink(identity),
              audit.record(scope, entry, now),
            ],
            events: [identitiesChanged(current, `${id}/unlinked`)],
          },
          result: { unlinked: true },
        };
      }),
  };
};
