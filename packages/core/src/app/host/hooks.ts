import type { HostTransaction } from '../../database/commit/commit-hook.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Scope } from '../../foundation/scope.ts';

/** A message with a final status. */
export type EndedMessage = {
  readonly id: string;
  readonly sendId: string;
  readonly scope: Scope;
  readonly channel: Channel;
  /** Both null: the address belongs to no known user. */
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly status: 'sent' | 'failed' | 'bounced' | 'suppressed' | 'cancelled';
  /** The reason of the suppression, or what the provider reported about the address. */
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly endedAt: Date;
};

/** An accepted event or identify call; duplicates are left out. */
export type AcceptedEvent = {
  readonly id: string;
  readonly scope: Scope;
  readonly kind: 'event' | 'identify';
  readonly module: string;
  readonly eventType: string;
  /** The user after aliases are resolved; null: an anonymous user. */
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

/** What a user is about to do. */
export type AccountCall = {
  readonly scope: Scope;
  readonly action: 'sign_up' | 'sign_in' | 'reset' | 'link' | 'guest';
  /** Null where the call has none. */
  readonly email: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
};

/** `deny` refuses the call: `true`, or a text that the client reads in `details.denial`. Anything else lets it pass. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement lets the call pass.
export type AccountDecision = { readonly deny?: string | boolean | undefined } | null | undefined | void;

/** The host's part in what happens to accounts. */
export type AccountHook = Hook<AccountEvent> & {
  /**
   * May deny a call, before any account is looked up and outside of transactions. A hook that throws or takes longer than
   * 1 s denies the call, and the log has the error. The client gets FORBIDDEN `denied`.
   */
  readonly before?: ((call: AccountCall) => AccountDecision | Promise<AccountDecision>) | undefined;
};

/** A host's reaction to one kind of item. Both functions get one or more items per call, in no order. */
export type Hook<T> = {
  /**
   * Runs in the transaction of the items: what it writes to `tx` and the items are one commit. It must not do anything
   * else, because it may be called again after a rollback, and rows stay locked meanwhile. On SQLite it must not be
   * async.
   */
  readonly during?: ((items: readonly T[], tx: HostTransaction) => void | Promise<void>) | undefined;
  /**
   * Runs after the commit, in this process, one call at a time; nothing waits for it. Items are lost if the process is
   * killed, and if more than 10,000 are waiting.
   */
  readonly after?: ((items: readonly T[]) => void | Promise<void>) | undefined;
};

/** The host's reactions. */
export type Hooks = {
  /**
   * Messages with a final status, of every scope, each once. A `during` that throws is tried three times; then the
   * message becomes final without it, which is logged: a hook never causes a second send. For messages that are final
   * when they are created (suppressed at once) it is tried once.
   */
  readonly messages?: Hook<EndedMessage> | undefined;
  /** Accepted events. If `during` throws, the event is rejected and its request throws HostReactionError. */
  readonly events?: Hook<AcceptedEvent> | undefined;
  /**
   * Events of end users' accounts: sign-ups, sign-ins and changes. One whose `during` throws does not happen: its call
   * throws HostReactionError.
   */
  readonly auth?: AccountHook | undefined;
};
