import type { HostTransaction } from '../../database/commit/commit-hook.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Scope } from '../../foundation/scope.ts';

/** A message of which nothing more is sent. */
export type EndedMessage = {
  readonly id: string;
  readonly sendId: string;
  readonly scope: Scope;
  readonly channel: Channel;
  /** Both null: nobody is known behind the address. */
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly status: 'sent' | 'failed' | 'bounced' | 'suppressed' | 'cancelled';
  /** Why it was suppressed, or what its provider said of the address. */
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly endedAt: Date;
};

/** An event or an identify call that was accepted, duplicates left out. */
export type AcceptedEvent = {
  readonly id: string;
  readonly scope: Scope;
  readonly kind: 'event' | 'identify';
  readonly module: string;
  readonly eventType: string;
  /** Whose it is once aliases are resolved; null: of somebody who is not identified. */
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  /** As they were sent. */
  readonly traits: Readonly<Record<string, unknown>> | null;
  readonly messageId: string | null;
  readonly timestamp: Date;
  readonly receivedAt: Date;
};

/** Something that happened to the account of an end user. */
export type AccountEvent = {
  readonly scope: Scope;
  readonly name:
    | 'user.signed_up'
    | 'user.signed_in'
    | 'user.identified'
    | 'user.session_expired'
    | 'user.password_reset';
  readonly userId: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly at: Date;
};

/** What a host does about one kind of thing. Both are given one or more at a time, in no order. */
export type Hook<T> = {
  /**
   * In the transaction that makes it so: what `tx` writes and the thing itself are one commit. It does nothing else: it
   * may be called again after all of it was undone, and rows stay locked meanwhile. On SQLite it is not async.
   */
  readonly during?: ((items: readonly T[], tx: HostTransaction) => void | Promise<void>) | undefined;
  /**
   * After the commit, in this process, one call at a time; nothing waits for it. A process that is killed loses it, and
   * so does one where more than 10,000 are waiting.
   */
  readonly after?: ((items: readonly T[]) => void | Promise<void>) | undefined;
};

/** What the host does about what happens here. */
export type Hooks = {
  /**
   * Messages that end, in every scope, each once. A `during` that throws is tried three times; then its message ends
   * without it, which is logged: a message is not sent again because of a hook. Of messages that end as they are made
   * (suppressed at once) it is tried once.
   */
  readonly messages?: Hook<EndedMessage> | undefined;
  /** Accepted events. One whose `during` throws is not accepted: its request throws HostReactionError. */
  readonly events?: Hook<AcceptedEvent> | undefined;
  /**
   * Events of end users' accounts: sign-ups, sign-ins and changes. One whose `during` throws does not happen: its call
   * throws HostReactionError.
   */
  readonly auth?: Hook<AccountEvent> | undefined;
};
