import type { CommitHook } from '../../database/commit/commit-hook.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AfterCommit } from './after-commit.ts';
import type { AccountEvent, Hook } from './hooks.ts';

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
