// Removes and changes what time makes due: sessions past a limit, expired secrets and counts of emails, accounts that were
// never verified, idle guests, and signing keys.

import { nextTurn } from '../foundation/contained.ts';
import { firstIdOf } from '../foundation/derived-id.ts';
import type { Scope, ScopeDirectory } from '../foundation/scope.ts';
import type { MaintenanceTask } from '../jobs/maintenance.ts';
import { OPERATOR_SCOPE } from '../platform/tenancy/operator-scope.ts';
import type { AccountPage, AccountRow } from './accounts/account.ts';
import type { AuthContext } from './flow/context.ts';
import { oldestPeriodAt } from './mail/budget.ts';
import { REPORTED_REASONS } from './sessions/reasons.ts';
import type { SigningKeys } from './signing-keys/signing-keys.ts';

/** Rows per step. Chosen: some milliseconds. */
const SLICE = 200;
/** Time between two looks at all guests and unverified accounts. Chosen: they are erased after whole days. */
const SWEEP_EVERY_MS = 3_600_000;
/** How long ended sessions and expired secrets are kept, so that a late use is answered correctly. Source: auth.md, Tables. */
const KEPT_MS = 86_400_000;
/** How long the audit log of operators is kept; that of a tenant follows its plan. Source: console design, Security. */
const OPERATOR_AUDIT_MS = 400 * KEPT_MS;

export const authMaintenance = ({
  context,
  signing,
  scopes,
  eraseUser,
}: {
  readonly context: AuthContext;
  readonly signing: SigningKeys;
  readonly scopes: ScopeDirectory;
  readonly eraseUser: (scope: Scope, userId: string) => Promise<unknown>;
}): MaintenanceTask => {
  const { accounts, audit, budget, hashConfigs, identities, mfa, oneTime, sessions, clock, settings } = context;

  /** Ends sessions past a limit, with their events. */
  const endSessions = async (now: Date): Promise<boolean> => {
    const overdue = await sessions.overdueOfAll(now, SLICE);
    const scopeOf = await scopes.load(overdue.map(({ scopeId }) => scopeId));
    for (const session of overdue) {
      const scope = scopeOf(session.scopeId);
      const account = await accounts.byId(scope, session.accountId);
      const reason = session.absoluteExpiresAt <= now ? 'absolute' : 'idle';
      await context.commit(scope, async (at) => {
        const current = await sessions.byId(scope, session.id);
        // A refresh may have come first.
        const isDue =
          current && current.revokedAt === null && (current.idleExpiresAt <= at || current.absoluteExpiresAt <= at);
        if (!isDue) return { change: {}, result: null };
        const { writes, events } = sessions.revoke(scope, current, account?.userId ?? '', reason, at);
        return { change: { writes, events: account && REPORTED_REASONS.has(reason) ? events : [] }, result: null };
      });
      await nextTurn();
    }
    return overdue.length === SLICE;
  };

  /** Looks at all accounts that `load` finds, a page per step, and begins again after a while. True: more pages are left. */
  const sweep = (
    load: (before: Date, page: AccountPage) => Promise<readonly AccountRow[]>,
    visit: (scope: Scope, account: AccountRow, now: Date) => Promise<unknown>,
  ): ((now: Date) => Promise<boolean>) => {
    let after: string | null = null;
    let dueAtMs = 0;
    return async (now) => {
      if (now.getTime() < dueAtMs) return false;
      // One day is the shortest setting.
      const found = await load(new Date(now.getTime() - KEPT_MS), { after, limit: SLICE });
      const scopeOf = await scopes.load(found.map(({ scopeId }) => scopeId));
      for (const account of found) {
        await visit(scopeOf(account.scopeId), account, now);
        await nextTurn();
      }
      const isMore = found.length === SLICE;
      after = isMore ? (found.at(-1)?.id ?? null) : null;
      if (!isMore) dueAtMs = now.getTime() + SWEEP_EVERY_MS;
      return isMore;
    };
  };

  /** Erases accounts that were never verified and never used. */
  const eraseUnproven = sweep(accounts.unprovenOfAll, async (scope, account, now) => {
    const { signup } = await settings.load(scope);
    if (account.createdAt.getTime() > now.getTime() - signup.unverifiedDays * KEPT_MS) return;
    await context.commit(scope, async () => {
      const current = await accounts.byId(scope, account.id);
      // The owner may have proven it meanwhile.
      if (!current || current.usableAt !== null || current.lastSignInAt !== null) return { change: {}, result: null };
      const dependent = [oneTime.removeOf(scope, current.id), identities.unlinkAll(current)];
      return { change: { writes: [...dependent, ...accounts.remove(current)] }, result: null };
    });
  });

  /** Erases guests with all their data if no session of theirs was in use for as many days as the settings keep them. */
  const eraseGuests = sweep(accounts.guestsOfAll, async (scope, { id, userId, lastSignInAt, createdAt }, now) => {
    const { anonymous } = await settings.load(scope);
    const seen = (await sessions.liveOf(scope, id)).map(({ lastSeenAt }) => lastSeenAt.getTime());
    const lastSeenMs = Math.max(createdAt.getTime(), lastSignInAt?.getTime() ?? 0, ...seen);
    if (lastSeenMs <= now.getTime() - anonymous.keepDays * KEPT_MS) await eraseUser(scope, userId);
  });

  return {
    name: 'sign-in',
    run: async () => {
      const now = clock.now();
      const before = new Date(now.getTime() - KEPT_MS);
      const more = [
        await endSessions(now),
        (await sessions.removeEndedOfAll(before, SLICE)) >= SLICE,
        (await oneTime.removeExpiredOfAll(before, SLICE)) >= SLICE,
        (await mfa.removeExpiredOfAll(before, SLICE)) >= SLICE,
        (await budget.removeExpiredOfAll(now, SLICE)) >= SLICE,
        (await budget.removeCountsOfAll(oldestPeriodAt(now), SLICE)) >= SLICE,
        await eraseUnproven(now),
        (await audit.expire(OPERATOR_SCOPE, firstIdOf(now.getTime() - OPERATOR_AUDIT_MS), SLICE)) >= SLICE,
        await hashConfigs.removeUnusedOfAll(accounts.usesHashConfig, now, SLICE),
        await eraseGuests(now),
        await signing.maintain(async (scope) => (await settings.load(scope)).token.alg),
      ];
      return more.some(Boolean);
    },
  };
};
