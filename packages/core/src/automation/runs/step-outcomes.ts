import { type Write, write } from '../../database/commit/write-set.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { MessageChange } from '../../messaging/sends/finalize/change.ts';
import type { MessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import type { RunStatements } from './statements.ts';

/** Statuses of messages that ended without being sent. */
const UNSENT: ReadonlySet<MessageChange['status']> = new Set(['suppressed', 'cancelled', 'failed', 'bounced']);

/**
 * Updates a run's step once all messages of its send have ended and none was sent: an `ok` step becomes `suppressed`,
 * or `error` if a message failed, with the reason of the last one. The statements check the conditions on the current
 * send. Messages of other sends cost nothing.
 */
export const stepOutcomes = (hot: RunStatements): MessageReaction<void> => ({
  name: 'step outcomes',
  concerns: ({ step, status }) => step !== null && UNSENT.has(status),
  load: async () => undefined,
  plan: (changes) => {
    const last = new Map(changes.map((change) => [`${scopeKey(change)}/${change.sendId}`, change]));
    const writes = [...last.values()].flatMap((change): Write[] => {
      const { step, sendId, status, errorCode } = change;
      if (step === null) return [];
      const row = { ...scopeOf(change), ...step, sendId, reason: errorCode ?? change.reason ?? status };
      return [
        write(hot.stepSuppressed, { ...row, outcome: 'suppressed' }),
        write(hot.stepFailed, { ...row, outcome: 'error' }),
      ];
    });
    return { writes };
  },
});
