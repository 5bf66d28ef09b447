import { notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthPlan } from '../commit/commit.ts';
import type { AttemptMfa } from '../flow/attempt.ts';
import type { AuthContext } from '../flow/context.ts';
import { parseBody } from '../flow/input.ts';
import { planNotice, provenAddress } from '../flow/notice.ts';
import { requireAccount, requireEnabled } from '../flow/require.ts';
import { type FactorRow, isConfirmed } from '../mfa/rows.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { requirePresentPassword } from '../sign-in/password.ts';
import { sessionAttempt } from '../sign-in/step-up.ts';
import type { FactorDeleted, MfaFactor, MfaReset, MfaStatus } from './answers.generated.ts';
import { deleteFactorBody } from './bodies.ts';

const factorOf = ({ id, type, secret, createdAt, lastUsedAt }: FactorRow): MfaFactor => ({
  ...{ id, type, lost: secret === null, createdAt, lastUsedAt },
});

export const listFactors =
  ({ mfa }: AuthContext) =>
  async (scope: Scope, { account }: Bearer): Promise<readonly MfaFactor[]> =>
    (await mfa.confirmedOf(scope, account.id)).map(factorOf);

/** Removes a factor, with a code by the ladder or with the password. With the last one the recovery codes go. */
export const deleteFactor =
  (context: AuthContext, attemptMfa: AttemptMfa) =>
  async (scope: Scope, bearer: Bearer, id: string, body: unknown, client: ClientInfo): Promise<FactorDeleted> => {
    const { code, password } = parseBody(deleteFactorBody, body);
    const { accounts, audit, mfa } = context;
    const settings = await context.settings.load(scope);
    const find = async (accountId: string) => {
      const factors = await mfa.confirmedOf(scope, accountId);
      if (!factors.some((factor) => factor.id === id)) throw notFound('factor with this id', scope);
      return factors;
    };
    const plan = async (account: AccountRow, now: Date): Promise<AuthPlan<FactorDeleted>> => {
      const factors = await find(account.id);
      const isLast = factors.length === 1;
      const changed = accounts.change(account, isLast ? { mfaEnabledAt: null } : {}, now);
      const entry = { actor: `user:${account.id}`, action: 'mfa.remove', target: account.id, result: 'ok', client };
      const about = { account, kind: 'mfa_removed', to: provenAddress(account) } as const;
      const notice = await planNotice(context, scope, about, settings, now);
      return {
        change: {
          writes: [
            changed.write,
            mfa.deleteFactor({ scopeId: scope.scopeId, id }),
            ...(isLast ? [mfa.deleteCodes(scope, account.id)] : []),
            audit.record(scope, entry, now),
            ...notice.writes,
          ],
          emails: notice.emails,
        },
        result: { mfaEnabled: !isLast },
      };
    };

    // Before the code is checked, so that an unknown id uses none.
    await find(bearer.account.id);
    if (code !== undefined)
      return attemptMfa(scope, {
        ...sessionAttempt(context, scope, bearer, { code, factorId: undefined }),
        client,
        onRight: ({ account, now }) => plan(account, now),
      });
    await requirePresentPassword(context, scope, bearer.account.id, password);
    return context.commit(scope, async (now) => {
      return plan(await requireEnabled(context, scope, bearer.account), now);
    });
  };

/** Second factors as support staff sees and resets them. */
export const factorAdmin = (context: AuthContext) => {
  const { accounts, audit, commit, mfa, sessions } = context;
  return {
    status: async (scope: Scope, id: string): Promise<MfaStatus> => {
      await requireAccount(context, scope, id);
      const [{ state }, factors, codes] = await Promise.all([
        mfa.stateOf(scope, id),
        mfa.factorsOf(scope, id),
        mfa.codesOf(scope, id),
      ]);
      return {
        factors: factors.filter(isConfirmed).map(factorOf),
        recoveryCodesLeft: codes.filter(({ usedAt }) => usedAt === null).length,
        wrongCodes: state.wrongTotal,
        waitUntil: state.nextAllowedAtMs === null ? null : new Date(state.nextAllowedAtMs),
        blockedAt: state.blockedAtMs === null ? null : new Date(state.blockedAtMs),
      };
    },
    reset: (
      scope: Scope,
      id: string,
      { actor = 'system' }: { readonly actor?: string | undefined } = {},
    ): Promise<MfaReset> =>
      commit(scope, async (now) => {
        const account = await requireAccount(context, scope, id);
        const changed = accounts.change(account, { mfaEnabledAt: null }, now);
        const revoked = await sessions.revokeAll(scope, account, 'mfa_reset', now);
        const entry = { actor, action: 'mfa.reset', target: id, result: 'ok' };
        return {
          change: {
            writes: [
              changed.write,
              mfa.deleteState(scope, id),
              ...mfa.removeFactors(scope, id),
              ...revoked.writes,
              audit.record(scope, entry, now),
            ],
            events: revoked.events,
          },
          result: { revoked: revoked.count },
        };
      }),
  };
};
