// Messages that were handed over and whose calls have not begun: their providers never heard of them, so they may go back
// into the queue without using an attempt.

import type { ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { SendsContext } from '../context.ts';
import { releasedChange, takenBackChange } from '../finalize/outcome.ts';
import { quietHours } from './gates/quiet-hours.ts';
import type { ReadyMessage } from './message.ts';

/** For how long after the gates a call may begin without asking again, in milliseconds. Source: semantics, Gates in order. */
const JUDGED_FOR_MS = 5_000;

/** A message that was handed over; `leave` says that it is on its way no longer. */
export type OnItsWay = {
  readonly message: ReadyMessage;
  readonly judgedAt: Date;
  readonly isProbe: boolean;
  readonly leave: () => void;
};

/** What taking back uses. */
type ReleaseContext = Pick<SendsContext, 'storage' | 'clock' | 'finalize'>;

export const releasing = ({ storage, clock, finalize }: ReleaseContext) => {
  const leave = (connection: ProviderConnection, { isProbe, leave }: OnItsWay): void => {
    // Nothing will be learned: the next message is the probe.
    if (isProbe) connection.circuit.abandon();
    leave();
  };

  return {
    /** Puts a message off that has waited for its call until it was quiet; answers whether it did. */
    ifQuiet: (connection: ProviderConnection, one: OnItsWay): boolean => {
      const { message, judgedAt } = one;
      const now = clock.now();
      if (now.getTime() - judgedAt.getTime() <= JUDGED_FOR_MS) return false;
      const verdict = quietHours.evaluate(message, { now, sendStatus: 'sending' });
      if (verdict.verdict === 'pass') return false;
      const { row, send, batch } = message;
      const change = takenBackChange(row, send?.step ?? null, verdict, now);
      batch.end(row, { change, refusing: null, simulated: null });
      leave(connection, one);
      return true;
    },
    /** Gives messages back to the queue, due now by the database's clock. Throws nothing: what fails is reported so. */
    giveBack: async (connection: ProviderConnection, released: readonly OnItsWay[]): Promise<void> => {
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
