// Handed-over messages whose calls have not begun: their providers never saw them, so they return to the queue without
// using an attempt.

import type { ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { SendsContext } from '../context.ts';
import { releasedChange, withdrawnChange } from '../finalize/outcome.ts';
import { quietHours } from './gates/quiet-hours.ts';
import type { ReadyMessage } from './message.ts';

/**
 * How long after the gates a call may begin without a new evaluation, in milliseconds. Source: semantics, Gates in
 * order.
 */
const EVALUATION_VALID_MS = 5_000;

/** A handed-over message; `leave` ends its use of the connection. */
export type HandedOver = {
  readonly message: ReadyMessage;
  readonly evaluatedAt: Date;
  readonly isProbe: boolean;
  readonly leave: () => void;
};

/** Dependencies of returning messages. */
type ReleaseContext = Pick<SendsContext, 'storage' | 'clock' | 'finalize'>;

export const releasing = ({ storage, clock, finalize }: ReleaseContext) => {
  const leave = (connection: ProviderConnection, { isProbe, leave }: HandedOver): void => {
    // The probe was not sent, so the next message becomes the probe.
    if (isProbe) connection.circuit.abandon();
    leave();
  };

  return {
    /** Takes a message back if quiet hours began while it waited for its call; returns true if so. */
    ifQuiet: (connection: ProviderConnection, one: HandedOver): boolean => {
      const { message, evaluatedAt } = one;
      const now = clock.now();
      if (now.getTime() - evaluatedAt.getTime() <= EVALUATION_VALID_MS) return false;
      const verdict = quietHours.evaluate(message, { now, sendStatus: 'sending' });
      if (verdict.verdict === 'pass') return false;
      const { row, send, batch } = message;
      const change = withdrawnChange(row, send?.step ?? null, verdict, now);
      batch.end(row, { change, refusing: null, simulated: null });
      leave(connection, one);
      return true;
    },
    /** Returns messages to the queue, due now by the database's clock. Throws nothing: failures go to the batch. */
    giveBack: async (connection: ProviderConnection, released: readonly HandedOver[]): Promise<void> => {
      if (released.length === 0) return;
      try {
        const [now, dueAt] = [clock.now(), await storage.now()];
        await finalize.commit(
          released.map(({ message: { row, send } }) => releasedChange(row, send?.step ?? null, dueAt, now)),
          now,
        );
        for (const { message } of released) message.batch.giveBack(message.row);
      } catch (error) {
        for (const { message } of released) message.batch.fail(message.row, error);
      }
      for (const one of released) leave(connection, one);
    },
  };
};
