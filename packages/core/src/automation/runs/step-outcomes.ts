import { type Write, write } from '../../database/commit/write-set.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { MessageChange } from '../../messaging/sends/finalize/change.ts';
import type { MessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import type { RunStatements } from './statements.ts';

/** Ended without having been sent. */
const UNSENT: ReadonlySet<MessageChange['status']> = new Set(['suppressed', 'cancelled', 'failed', 'bounced']);

/**
 * Shows on a run's step what became of the messages of its send, once all of them have ended and none was sent: a step
 * that was `ok` becomes `suppressed`, or `error` where one of them failed, with the reason of the one that ended last.
 * The conditions are the statements' own, on the send as it is then. Messages of other sends cost nothing.
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
