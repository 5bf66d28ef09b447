import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { SendsContext } from '../context.ts';
import { MESSAGES_QUEUE } from '../schema.ts';

/** Held messages made due by one statement. Chosen: a short transaction. */
const CHUNK = 1_000;

/** Dependencies of resuming. */
type ResumeContext = Pick<SendsContext, 'storage' | 'store' | 'clock' | 'connections' | 'log'>;

export type Resumer = {
  /** Makes held messages of a channel due, because its credentials changed or are accepted again. Throws nothing. */
  resume(scope: InScope, channel: Channel): void;
  /** Resolves when all requested work is done. */
  whenIdle(): Promise<void>;
};

/** Resumes one channel at a time; a request during a run starts one more run after it. */
export const resumer = ({ storage, store, clock, connections, log }: ResumeContext): Resumer => {
  const running = new Map<string, { isRequestedAgain: boolean; readonly done: Promise<void> }>();

  const resumeAll = async (scope: InScope, channel: Channel): Promise<void> => {
    await connections.refresh({ ...scopeOf(scope), channel });
    let after: string | null = null;
    do after = await store.resume(scope, channel, { now: clock.now(), after, limit: CHUNK });
    while (after !== null);
    storage.wake.signal([MESSAGES_QUEUE]);
  };

  const resume = (scope: InScope, channel: Channel): void => {
    const name = `${scopeKey(scope)}/${channel}`;
    const current = running.get(name);
    if (current) {
      current.isRequestedAgain = true;
      return;
    }
    const done = resumeAll(scope, channel)
      .catch((error) => log.error({ scopeId: scope.scopeId, channel, error }, 'held messages could not be made due'))
      .finally(() => {
        const isRequestedAgain = running.get(name)?.isRequestedAgain;
        running.delete(name);
        if (isRequestedAgain) resume(scope, channel);
      });
    running.set(name, { isRequestedAgain: false, done });
  };

  return {
    resume,
    whenIdle: async () => {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
};
