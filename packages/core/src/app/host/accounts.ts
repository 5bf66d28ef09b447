import type { CommitHook } from '../../database/commit/commit-hook.ts';
import { withDeadline, withLimit } from '../../delivery/transports/deadline.ts';
import type { Log } from '../../foundation/log.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { BeforeCall } from '../../identity/flow/before.ts';
import { forbiddenFor } from '../../identity/shapes/errors.ts';
import type { AfterCommit } from './after-commit.ts';
import type { AccountDecision, AccountEvent, AccountHook, Hook } from './hooks.ts';

/** Makes the host's part of a commit that raises events of accounts. Throws nothing. */
export const accountHook =
  ({ during }: Pick<Hook<AccountEvent>, 'during'>, after: AfterCommit<AccountEvent> | null) =>
  (scope: Scope, events: readonly Omit<AccountEvent, 'scope' | 'at'>[], at: Date): CommitHook => {
    const items = events.map(({ name, userId, properties }) => ({ scope, name, userId, properties, at }));
    return {
      items,
      // Safe: the items are those above.
      ...(during && { inTransaction: (some, tx) => during(some as readonly AccountEvent[], tx) }),
      ...(after && { afterCommit: () => after.add(items) }),
    };
  };

/** Milliseconds within which `before` must answer. Source: authentication design, The house. */
const LIMIT_MS = 1_000;
/** Characters of the reason of a denial that reach the client. */
const MAX_DENIAL = 500;

const denialOf = (answer: AccountDecision): string | true | null => {
  const deny = answer?.deny;
  if (deny === undefined || deny === false) return null;
  return typeof deny === 'string' ? deny.slice(0, MAX_DENIAL) : true;
};

/**
 * Lets the host deny a call of sign-in. A hook that throws or is late denies, since a host that checks callers must not be
 * skipped by an outage.
 */
export const beforeHook =
  ({ before }: Pick<AccountHook, 'before'>, log: Pick<Log, 'error'>) =>
  async (scope: Scope, { action, email, client }: BeforeCall): Promise<void> => {
    if (!before) return;
    let denial: string | true | null;
    try {
      const call = { scope, action, email, ...client };
      const answer = await withLimit(new AbortController().signal, LIMIT_MS, (signal) =>
        withDeadline(signal, async () => before(call)),
      );
      denial = denialOf(answer);
    } catch (error) {
      log.error({ hook: 'auth.before', action, error }, 'a hook threw or was late, so the call was denied');
      denial = true;
    }
    if (denial !== null) throw forbiddenFor('denied', denial === true ? {} : { denial });
  };
