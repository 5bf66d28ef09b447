import type { Log } from '../../../foundation/log.ts';
import type { LiveTransport, Transport } from '../port.ts';

/**
 * What a stand-in for a provider is told to do with one message. `bounce`: the address takes nothing any more; `refuse`:
 * this message is not taken; `drop`: the connection ends after the message was read.
 */
export type Behaviour = 'accept' | 'bounce' | 'refuse' | 'throttle' | 'hang' | 'drop';

/**
 * Rarer things that a provider or a network does.
 *
 * - `wait-seconds`, `wait-date`: busy, and asks for 30 s, as a number or as a date by the transport's clock
 * - `hang-body`: status and headers, then nothing
 * - `reset-early`, `reset-midway`: the connection ends before, or while, the message is read
 * - `garbage`, `empty`, `huge`: a good status with bytes that are no answer, with none, with 10 MB
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

/** A provider's stand-in that records what reaches it. The optional parts serve the cases of `TransportCase`. */
export type StandIn<M> = {
  /** A message that makes the stand-in behave so; `text` is part of its body. */
  message(messageId: string, behaviour: Behaviour, text?: string): M;
  /** What was accepted, in the order of arrival, with everything of it that a reader would see. */
  arrived(): readonly { readonly messageId: string; readonly text: string }[];
  /** The most messages that it ever worked on at once. */
  peak(): number;
  /** Words that must never stand in an outcome or a log line: addresses, secrets. */
  readonly secrets: readonly string[];
  stop(): Promise<void>;
  odd?(messageId: string, oddity: Oddity): M;
  /** From now on takes connections and says nothing on them; those that are open it lets go. */
  silence?(): Promise<void>;
  /** From now on nobody listens at its port, and nothing is connected. */
  vanish?(): Promise<void>;
  /** Ends its connections as an orderly restart does, and takes new ones at once. */
  restart?(): Promise<void>;
  /** Connections open now. */
  connections?(): number;
  /** Requests, or connections not yet made, that somebody still waits for. */
  open?(): number;
  /** Names the connection and the credential that a message came with, each so that equal ones have equal names. */
  cameBy?(messageId: string): { readonly connection: string; readonly credential: string };
  /** A message exactly at the limit of the provider, or that many bytes over it. */
  sized?(messageId: string, over: 0 | 1): M;
};

/** Parts of the contract that may have no meaning for one provider. Each is run unless `without` says why not. */
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

/** What a test changes about the transport that it makes. */
export type Changes = {
  /** Total limit of one call, in milliseconds; absent: the transport's own. */
  readonly limitMs?: number;
  /** Which settings; absent: `first`. `wrong` is well formed, and the stand-in does not know it. */
  readonly credential?: 'first' | 'second' | 'wrong';
  readonly log?: Log;
};

/** A transport of a provider, or of a host, which has no settings to check. */
export type TransportUnderTest<M, S> = LiveTransport<M> & Partial<Pick<Transport<M, S>, 'check'>>;

export type TransportSubject<M, S = undefined> = {
  start(): Promise<StandIn<M>>;
  make(standIn: StandIn<M>, changes?: Changes): TransportUnderTest<M, S>;
  /** Settings without a fault; undefined: it has none. */
  readonly settings: S;
  /** Settings with one fault each, and the field that `check` must name. */
  readonly broken?: readonly { readonly settings: S; readonly field: string }[];
  /** Messages of the cases that send many at once; 500 unless told. Fewer are enough where another transport has the same client. */
  readonly many?: number;
  /** Cases that have no meaning here, each with the reason in a sentence. */
  readonly without?: Partial<Record<TransportCase, string>>;
};
