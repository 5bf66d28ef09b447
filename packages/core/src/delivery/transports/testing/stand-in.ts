import type { Log } from '../../../foundation/log.ts';
import type { LiveTransport, Transport } from '../port.ts';

/**
 * Behaviour of a provider's stand-in for one message. `bounce`: the address accepts no more mail; `refuse`: this
 * message is refused; `drop`: the connection ends after the message was read.
 */
export type Behaviour = 'accept' | 'bounce' | 'refuse' | 'throttle' | 'hang' | 'drop';

/**
 * Rarer behaviour of a provider or a network.
 *
 * - `wait-seconds`, `wait-date`: busy for 30 s, as a number or as a date by the transport's clock
 * - `hang-body`: status and headers, then nothing
 * - `reset-early`, `reset-midway`: the connection ends before, or while, the message is read
 * - `garbage`, `empty`, `huge`: a good status with an invalid, an empty, or a 10 MB body
 */
export type Oddity =
  | 'wait-seconds'
  | 'wait-date'
  | 'hang-body'
  | 'reset-early'
  | 'reset-midway'
  | 'garbage'
  | 'empty'
  | 'huge';

/** A provider's stand-in that records what it receives. The optional parts serve the cases of `TransportCase`. */
export type StandIn<M> = {
  /** Creates a message that triggers the behaviour; `text` is part of its body. */
  message(messageId: string, behaviour: Behaviour, text?: string): M;
  /** Accepted messages in order of arrival, with all their visible text. */
  arrived(): readonly { readonly messageId: string; readonly text: string }[];
  /** The maximum number of messages handled at once. */
  peak(): number;
  /** Strings that an outcome or a log line must never contain: addresses, secrets. */
  readonly secrets: readonly string[];
  stop(): Promise<void>;
  odd?(messageId: string, oddity: Oddity): M;
  /** Accepts connections but sends nothing from now on; open ones are closed. */
  silence?(): Promise<void>;
  /** Closes its port and all connections. */
  vanish?(): Promise<void>;
  /** Ends its connections as an orderly restart does, and accepts new ones at once. */
  restart?(): Promise<void>;
  /** Open connections. */
  connections?(): number;
  /** Requests and pending connections that a caller still waits for. */
  open?(): number;
  /** Identifies the connection and the credential of a message: equal ones have equal names. */
  cameBy?(messageId: string): { readonly connection: string; readonly credential: string };
  /** A message exactly at the provider's size limit, or that many bytes over it. */
  sized?(messageId: string, over: 0 | 1): M;
};

/** Parts of the contract that may not apply to a provider. Each runs unless `without` gives a reason. */
export const TRANSPORT_CASES = [
  'retryAfter',
  'hangingBody',
  'silentPeer',
  'refusedConnection',
  'resets',
  'oddAnswers',
  'restart',
  'ownLimit',
  'sockets',
  'brokenSettings',
  'logs',
  'wrongCredential',
  'sharing',
  'size',
] as const;
export type TransportCase = (typeof TRANSPORT_CASES)[number];

/** Changes to the transport under test. */
export type Changes = {
  /** Total limit of one call in milliseconds; absent: the transport's own. */
  readonly limitMs?: number;
  /** Which settings; absent: `first`. `wrong` is well formed but unknown to the stand-in. */
  readonly credential?: 'first' | 'second' | 'wrong';
  readonly log?: Log;
};

/** A provider's transport, or a host's, which has no settings to check. */
export type TransportUnderTest<M, S> = LiveTransport<M> & Partial<Pick<Transport<M, S>, 'check'>>;

export type TransportSubject<M, S = undefined> = {
  start(): Promise<StandIn<M>>;
  make(standIn: StandIn<M>, changes?: Changes): TransportUnderTest<M, S>;
  /** Valid settings; undefined: the transport has none. */
  readonly settings: S;
  /** Settings with one fault each, and the field that `check` must name. */
  readonly broken?: readonly { readonly settings: S; readonly field: string }[];
  /**
   * Messages of the cases that send many at once, default 500. Fewer suffice if another transport has the same client.
   */
  readonly many?: number;
  /** Cases that do not apply, each with the reason in a sentence. */
  readonly without?: Partial<Record<TransportCase, string>>;
};
