// What keeps messages away from a provider that refuses their credentials, or that gives no answer while another one of
// the channel could. One per live transport, in memory: another process finds out by itself with a few messages, and new
// credentials are a new transport with a new circuit.

import type { SendOutcome } from '../transports/port.ts';
import { isDark } from './dark.ts';

/** First opening, in milliseconds, doubled each time up to the last. Source: transports, outcome table. */
export const CIRCUIT_MS = 60_000;
export const CIRCUIT_CAP_MS = 900_000;
/** Messages in a row that a provider gave no answer to until the next one takes its place; ours. */
export const DARK_IN_A_ROW = 5;

/** What may go: everything, one message to see, or nothing before a moment. */
export type Pass =
  | { readonly may: 'all' }
  | { readonly may: 'one'; readonly othersUntil: Date }
  | { readonly may: 'none'; readonly until: Date };

export type CircuitChange = { readonly until: Date | null; readonly code: string | null };

export type Circuit = {
  /** Whether it is open because no answer came, and not because credentials were refused. */
  isDark(): boolean;
  /** Until when nothing may go; null: something may. Changes nothing. */
  refusedUntil(now: Date): Date | null;
  /** Asked before a hand-over. After `one`, the answer of that message has to be told with `isProbe`. */
  pass(now: Date): Pass;
  /**
   * Tells what came of a message. Answers what changed, null where nothing did. A refusal while the circuit is open is
   * of a call that began before it: it makes nothing longer.
   *
   * @param isCovered another provider takes the messages: whoever is the only one is tried for as long as they live
   */
  tell(outcome: SendOutcome, told: Told): CircuitChange | null;
  /** The probe came back without having been tried: the next message is the probe. */
  abandon(): void;
};

export type Told = { readonly isProbe: boolean; readonly isCovered: boolean; readonly now: Date };

/** A closed circuit. Throws nothing. */
export const circuit = (): Circuit => {
  let openUntil: number | null = null;
  let openings = 0;
  let isProbing = false;
  let darkInARow = 0;
  let isOpenForDark = false;

  const open = (now: Date, leastMs: number, code: string): CircuitChange => {
    openUntil = now.getTime() + Math.max(Math.min(CIRCUIT_MS * 2 ** openings, CIRCUIT_CAP_MS), leastMs);
    openings += 1;
    darkInARow = 0;
    return { until: new Date(openUntil), code };
  };
  const close = (): CircuitChange => {
    openUntil = null;
    openings = 0;
    return { until: null, code: null };
  };

  const refusedUntil = (now: Date): Date | null => {
    if (openUntil === null) return null;
    if (now.getTime() < openUntil) return new Date(openUntil);
    // Whoever asks while the probe is away waits as long as a first opening lasts, or until the probe is back.
    return isProbing ? new Date(now.getTime() + CIRCUIT_MS) : null;
  };

  return {
    isDark: () => openUntil !== null && isOpenForDark,
    refusedUntil,
    pass: (now) => {
      const until = refusedUntil(now);
      if (until !== null) return { may: 'none', until };
      if (openUntil === null) return { may: 'all' };
      isProbing = true;
      return { may: 'one', othersUntil: new Date(now.getTime() + CIRCUIT_MS) };
    },
    tell: (outcome, { isProbe, isCovered, now }) => {
      if (isProbe) isProbing = false;
      const isStanding = openUntil !== null && !isProbe;
      if (outcome.result === 'credential') {
        if (isStanding) return null;
        isOpenForDark = false;
        return open(now, Math.min(outcome.retryAfterMs ?? 0, CIRCUIT_CAP_MS), outcome.code);
      }
      if (outcome.result === 'retry' && isDark(outcome)) {
        if (isStanding) return null;
        darkInARow += 1;
        const isDarkStill = isProbe && isOpenForDark;
        if (!isDarkStill && (isProbe || !isCovered || darkInARow < DARK_IN_A_ROW)) return null;
        isOpenForDark = true;
        return open(now, 0, outcome.code);
      }
      darkInARow = 0;
      // That it asks to wait says nothing of the credentials; of whether it answers, it does.
      return isProbe && (isOpenForDark || outcome.result !== 'retry') ? close() : null;
    },
    abandon: () => {
      isProbing = false;
    },
  };
};
