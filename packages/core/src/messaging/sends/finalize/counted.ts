import type { Meter } from '../../../foundation/meter.ts';
import type { MessageReaction } from './reactions.ts';

/** Counts message changes in the metrics after the commit. */
export const countedMessages = (meter: Meter): MessageReaction<null> => ({
  name: 'counted',
  // A complaint does not change the status of its message.
  concerns: ({ feedback }) => feedback?.kind !== 'complained',
  concernsSend: async () => false,
  load: async () => null,
  plan: (changes) => {
    const after = (): void => {
      for (const [channel, some] of Map.groupBy(changes, (change) => change.channel))
        for (const [status, those] of Map.groupBy(some, (change) => change.status))
          meter.count('messages', those.length, { channel, status });
    };
    return { writes: [], hooks: [{ items: [], afterCommit: after }] };
  },
});
