import type { Channel } from '../../api.ts';
import type { Rendered } from '../channel.ts';
import type { MessageStatus, SendStatus, SuppressionReason } from '../schema.ts';
import { AMBIGUOUS, MAX_ATTEMPTS, type Verdict } from '../verdict.ts';

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
