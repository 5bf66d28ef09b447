import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { SendsContext } from '../context.ts';
import { MESSAGES_QUEUE } from '../schema.ts';

/** Parked messages that are made due in one statement; ours. */
const CHUNK = 1_000;

/** What resuming uses. */
type UnparkContext = Pick<SendsContext, 'storage' | 'store' | 'clock' | 'connections' | 'log'>;

export type Unparker = {
  /** Makes parked messages of a channel due: its credentials changed, or are taken again. Throws nothing. */
  unpark(scope: InScope, channel: Channel): void;
  /** Resolves when everything that was asked for is done. */
  settled(): Promise<void>;
};

/** One unpark of a channel at a time; what is asked for meanwhile is one more after it. */
export const unparker = ({ storage, store, clock, connections, log }: UnparkContext): Unparker => {
  const running = new Map<string, { isAskedAgain: boolean; readonly done: Promise<void> }>();

  const unparkAll = async (scope: InScope, channel: Channel): Promise<void> => {
    await connections.refresh({ ...scopeOf(scope), channel });
    let after: string | null = null;
    do after = await store.unpark(scope, channel, { now: clock.now(), after, limit: CHUNK });
    while (after !== null);
    storage.wake.signal([MESSAGES_QUEUE]);
  };

  const unpark = (scope: InScope, channel: Channel): void => {
    const name = `${scopeKey(scope)}/${channel}`;
    const known = running.get(name);
    if (known) {
      known.isAskedAgain = true;
      return;
    }
    const done = unparkAll(scope, channel)
      .catch((error) => log.error({ scopeId: scope.scopeId, channel, error }, 'parked messages could not be made due'))
      .finally(() => {
        const isAskedAgain = running.get(name)?.isAskedAgain;
        running.delete(name);
        if (isAskedAgain) unpark(scope, channel);
      });
    running.set(name, { isAskedAgain: false, done });
  };

  return {
    unpark,
    settled: async () => {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
};
