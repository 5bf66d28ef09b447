import { PASS, type Verdict } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import { addressUsable } from './address-usable.ts';
import { attemptsLeft } from './attempts-left.ts';
import type { Gate, Moment } from './gate.ts';
import { notAmbiguous } from './not-ambiguous.ts';
import { notExpired } from './not-expired.ts';
import { providerConfigured } from './provider-configured.ts';
import { quietHours } from './quiet-hours.ts';
import { rendering } from './rendering.ts';
import { sendOpen } from './send-open.ts';
import { senderVerified } from './sender-verified.ts';
import { subscribed } from './subscribed.ts';

/**
 * The gates in order. Counted limits are reservations in the handover's transaction instead of gates, so stopped
 * messages reserve nothing. Source: semantics, Gates in order.
 */
export const gates = ({ resendsAmbiguous }: { readonly resendsAmbiguous: boolean }): readonly Gate[] => [
  sendOpen,
  notExpired,
  notAmbiguous(resendsAmbiguous),
  attemptsLeft,
  addressUsable,
  subscribed,
  providerConfigured,
  senderVerified,
  quietHours,
  rendering,
];

/** The verdict of the first gate that stops the message, else `pass`. Throws nothing. */
export const evaluateGates = (list: readonly Gate[], message: ReadyMessage, moment: Moment): Verdict => {
  for (const gate of list) {
    const verdict = gate.evaluate(message, moment);
    if (verdict.verdict !== 'pass') return verdict;
  }
  return PASS;
};
