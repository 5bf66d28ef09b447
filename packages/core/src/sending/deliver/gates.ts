import type { Channel } from '../../api.ts';
import type { Rendered } from '../channel.ts';
import type { MessageStatus, SendStatus, SuppressionReason } from '../schema.ts';

/** Hand-overs of one message before it is `failed`. Source: transports, What the work layer does with an outcome. */
export const MAX_ATTEMPTS = 6;

/** What a gate says. Quiet hours will add `deferred`. */
export type Verdict =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'suppressed'; readonly reason: SuppressionReason }
  | { readonly verdict: 'cancelled' }
  | { readonly verdict: 'failed'; readonly code: string; readonly message: string };

/** Of a leased message, what gates look at. `status` and `attempt` are those of the moment it was leased. */
export type GateMessage = {
  readonly channel: Channel;
  readonly address: string | null;
  readonly status: MessageStatus;
  /** Hand-overs so far. */
  readonly attempt: number;
};

export type GateContext = {
  /** Null where the send is gone. */
  readonly sendStatus: SendStatus | null;
  /** What the channel says against sending to this address now; null: nothing. */
  readonly unusable: SuppressionReason | null;
  readonly hasProvider: boolean;
  /** A text message may be handed over again when nobody knows what became of it. */
  readonly resendsAmbiguous: boolean;
  /** Renders on the first call and remembers; asked only of a message that has an address and a provider. */
  readonly rendered: () => Rendered<unknown>;
};

export type Gate = (message: GateMessage, context: GateContext) => Verdict;

const PASS: Verdict = { verdict: 'pass' };

/** What an SMS ends with when nobody knows whether the provider has it. Source: transports, Ports and outcomes. */
export const AMBIGUOUS = {
  code: 'ambiguous_outcome',
  message: 'Nobody knows whether the provider took the message; it is not sent a second time.',
} as const;

const sendOpen: Gate = (_, { sendStatus }) =>
  sendStatus === 'queued' || sendStatus === 'sending' ? PASS : { verdict: 'cancelled' };

/** Found in `sending`: whoever handed it over last died before it heard the answer. */
const notAmbiguous: Gate = ({ channel, status }, { resendsAmbiguous }) =>
  status === 'sending' && channel === 'sms' && !resendsAmbiguous ? { verdict: 'failed', ...AMBIGUOUS } : PASS;

const attemptsLeft: Gate = ({ status, attempt }) =>
  status === 'sending' && attempt >= MAX_ATTEMPTS
    ? { verdict: 'failed', code: 'attempts_exhausted', message: 'Every attempt ended without an answer.' }
    : PASS;

const addressUsable: Gate = ({ address }, { unusable }) => {
  if (address === null) return { verdict: 'suppressed', reason: 'no_address' };
  return unusable === null ? PASS : { verdict: 'suppressed', reason: unusable };
};

const providerConfigured: Gate = (_, { hasProvider }) =>
  hasProvider
    ? PASS
    : {
        verdict: 'failed',
        code: 'provider_not_configured',
        message: 'The provider of this address is not configured.',
      };

const rendering: Gate = (_, { rendered }) => {
  const result = rendered();
  return result.verdict === 'pass' ? PASS : result;
};

/**
 * The gates in their order, between lease and handover. Quiet hours will stand before `rendering`, variant and locale
 * in it; the frequency cap comes last, in the handover's transaction. Source: semantics, Gates in order.
 */
export const GATES: readonly Gate[] = [
  sendOpen,
  notAmbiguous,
  attemptsLeft,
  addressUsable,
  providerConfigured,
  rendering,
];

/** The verdict of the first gate that stops the message, else `pass`. Throws nothing. */
export const judge = (gates: readonly Gate[], message: GateMessage, context: GateContext): Verdict => {
  for (const gate of gates) {
    const verdict = gate(message, context);
    if (verdict.verdict !== 'pass') return verdict;
  }
  return PASS;
};

/**
 * The duplicate part of the second gate as it is known when messages are written.
 *
 * @param key what tells addresses of one send apart
 * @param seen keys of this send so far; the key is added
 */
export const isFirst = (key: string, seen: Set<string>): boolean => {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
};
