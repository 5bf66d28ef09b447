import type { Properties } from './client-types.ts';
import type { Globals } from './globals.ts';
import type { Batch, Entry, Queue } from './queue.ts';
import type { Send } from './request.ts';
import type { Slots } from './slots.ts';

/** A page that was made ahead is seen for the first time. */
export const SHOWN = 'prerenderingchange';

/** What the parts of this package know of a client beside what everybody may know. */
export type Internals = {
  readonly g: Globals;
  readonly slots: Slots;
  readonly queue: Queue;
  readonly send: Send;
  /** What this page queued and may be sent at this moment, oldest first. */
  ownDue(): Entry[];
  bodyOf(entries: readonly Entry[]): Batch;
  flushSoon(): void;
  /** Sends again what beacons took before this moment. */
  resume(): void;
  /** Queues an event that nobody asked for by name. */
  trackAuto(eventType: string, properties: Properties): void;
  /** Listens to the window until the client is closed; `isEarly` is before anybody whom the event reaches later. */
  on(type: string, listener: (event: Event) => void, isEarly?: boolean): void;
  /** Ends with the client. */
  readonly signal: AbortSignal;
  /** Called by `reset`, after the device was unregistered and before its slots are emptied. */
  onReset(work: () => Promise<unknown>): void;
};

const known = /* @__PURE__ */ new WeakMap<object, Internals>();

export const keepInternals = (client: object, internals: Internals): void => {
  known.set(client, internals);
};

/** @throws TypeError for what is no client of this package */
export const internalsOf = (client: object): Internals => {
  const found = known.get(client);
  if (!found) throw new TypeError('No client.');
  return found;
};
