import type { MessageReason } from '../sending/schema.ts';

/** What a gate looked at, by names of its own. */
export type Saw = Readonly<Record<string, string | number | boolean | null>>;
/** What one gate says of one message. */
export type GateVerdict = {
  /** `send_open`, `not_ambiguous`, `attempts_left`, `address_usable`, `provider_configured`, `quiet_hours`, `rendering`, ... */
  readonly gate: string;
  /** `not_reached`: another one stopped the message before; `unknown`: nothing was kept that would tell. */
  readonly verdict: 'pass' | 'suppressed' | 'deferred' | 'cancelled' | 'failed' | 'not_reached' | 'unknown';
  readonly reason?: MessageReason | null;
  readonly errorCode?: string | null;
  readonly error?: string | null;
  readonly deferredUntil?: Date;
  /** Of a message that has ended, as much as its row keeps. */
  readonly saw: Saw;
};
/** Why a message went, waits or did not go; worked out when it is asked for. */
export type MessageExplanation = {
  /**
   * What the verdicts speak of: `made`, it was suppressed as it was accepted; `ended`, told from what its row keeps; `now`,
   * it is open, and what a worker finds may differ.
   */
  readonly judged: 'made' | 'ended' | 'now';
  /**
   * The gate that stops it, or `provider`, which refused it or could not be reached, or `worker`, which gave it up; null:
   * nothing does.
   */
  readonly stoppedBy: string | null;
  /**
   * Of an open message, what it waits for: a `worker` that takes it up, the `answer` of the provider that has it, a `retry`
   * after an attempt that failed, `credentials` that its provider takes, a `provider` that answers, `capacity` of the
   * provider, or the `moment` that it was deferred to. Null: it has ended.
   */
  readonly waits: {
    readonly for: 'worker' | 'answer' | 'retry' | 'credentials' | 'provider' | 'capacity' | 'moment';
    /** When it is taken up again; null: as soon as somebody does. */
    readonly until: Date | null;
  } | null;
  /** In the order in which they are asked. */
  readonly gates: readonly GateVerdict[];
};
