// What keeps messages away from a provider that refuses their credentials, or that gives no answer while another one of
// the channel could. One per live transport, in memory: another process finds out by itself with a few messages, and new
// credentials are a new transport with a new circuit.

import type { SendOutcome } from '../transports/port.ts';

/** First opening, in milliseconds, doubled each time up to the last. Source: transports, outcome table. */
export const CIRCUIT_MS = 60_000;
export const CIRCUIT_CAP_MS = 900_000;
/** Unanswered messages in a row after which the next provider of the channel takes over. Chosen. */
export const UNRESPONSIVE_IN_A_ROW = 5;

/** Codes of calls without an answer: sockets, name look-ups, Node, undici, and the codes of our transports. */
const NO_ANSWER = /^(E[A-Z]|ERR_|UND_ERR_|(timeout|network|unanswered)$)/;
/** The server failed, and says nothing else. */
const SERVER_FAILED = /^http_5\d\d$/;

/** True if no answer came at all. */
export const isUnanswered = (outcome: SendOutcome): boolean =>
  outcome.result === 'retry' && NO_ANSWER.test(outcome.code);

/** True if a provider did not answer, says that it is down, or leaves open what became of the message. */
export const isUnresponsive = (outcome: SendOutcome): boolean =>
  outcome.result === 'retry' &&
  (outcome.isDown === true ||
    outcome.processed === 'unknown' ||
    NO_ANSWER.test(outcome.code) ||
    SERVER_FAILED.test(outcome.code));

/** What may go: everything, one message to see, or nothing before a moment. */
export type Pass =
  | { readonly may: 'all' }
  | { readonly may: 'one'; readonly othersUntil: Date }
  | { readonly may: 'none'; readonly until: Date };

export type CircuitChange = { readonly until: Date | null; readonly code: string | null };

export type Circuit = {
  /** True if it is open because no answer came, and not because credentials were refused. */
  isUnresponsive(): boolean;
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
  let unresponsiveInARow = 0;
  let isOpenForOutage = false;

  const open = (now: Date, leastMs: number, code: string): CircuitChange => {
    openUntil = now.getTime() + Math.max(Math.min(CIRCUIT_MS * 2 ** openings, CIRCUIT_CAP_MS), leastMs);
    openings += 1;
    unresponsiveInARow = 0;
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
    isUnresponsive: () => openUntil !== null && isOpenForOutage,
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
        isOpenForOutage = false;
        return open(now, Math.min(outcome.retryAfterMs ?? 0, CIRCUIT_CAP_MS), outcome.code);
      }
      if (outcome.result === 'retry' && isUnresponsive(outcome)) {
        if (isStanding) return null;
        unresponsiveInARow += 1;
        const isStillUnresponsive = isProbe && isOpenForOutage;
        if (!isStillUnresponsive && (isProbe || !isCovered || unresponsiveInARow < UNRESPONSIVE_IN_A_ROW)) return null;
        isOpenForOutage = true;
        return open(now, 0, outcome.code);
      }
      unresponsiveInARow = 0;
      // That it asks to wait says nothing of the credentials; of whether it answers, it does.
      return isProbe && (isOpenForOutage || outcome.result !== 'retry') ? close() : null;
    },
    abandon: () => {
      isProbing = false;
    },
  };
};
