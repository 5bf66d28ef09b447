import type { Properties } from './client-types.ts';
import type { Globals } from './globals.ts';
import type { Batch, Entry, Queue } from './queue.ts';
import type { Send } from './request.ts';
import type { Slots } from './slots.ts';

/** Fired when a prerendered page is shown for the first time. */
export const SHOWN = 'prerenderingchange';

/** Internal interface of a client, for the other parts of this package. */
export type Internals = {
  readonly g: Globals;
  readonly slots: Slots;
  readonly queue: Queue;
  readonly send: Send;
  /** What this page queued and may send at this moment, oldest first. */
  ownDue(): Entry[];
  bodyOf(entries: readonly Entry[]): Batch;
  flushSoon(): void;
  /** Sends again what beacons sent before this moment. */
  resume(): void;
  /** Queues an auto-tracked event. */
  trackAuto(eventType: string, properties: Properties): void;
  /** Adds a window listener until the client is closed. `isEarly` listens in the capture phase. */
  on(type: string, listener: (event: Event) => void, isEarly?: boolean): void;
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal;
  /** Called by `reset`, after the device was unregistered and before its slots are emptied. */
  onReset(work: () => Promise<unknown>): void;
};

const known = /* @__PURE__ */ new WeakMap<object, Internals>();

export const keepInternals = (client: object, internals: Internals): void => {
  known.set(client, internals);
};

/** @throws TypeError for a value that is no client of this package */
export const internalsOf = (client: object): Internals => {
  const found = known.get(client);
  if (!found) throw new TypeError('No client.');
  return found;
};
