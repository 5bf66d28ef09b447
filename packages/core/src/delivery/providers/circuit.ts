// Circuit breaker of one live transport. It opens when the provider refuses its credentials, or gives no answer while a
// fallback provider exists. Kept in memory: another process learns the same from a few messages, and new credentials
// get a new transport with a new circuit.

import type { SendOutcome } from '../transports/port.ts';

/** First open time in milliseconds; doubled each time, up to the last. Source: transports, outcome table. */
export const CIRCUIT_MS = 60_000;
export const CIRCUIT_CAP_MS = 900_000;
/** Unanswered messages in a row after which the channel's next provider takes over. Chosen. */
export const UNRESPONSIVE_IN_A_ROW = 5;

/** Error codes of calls without an answer: sockets, DNS, Node, undici, and codes of the transports themselves. */
const NO_ANSWER = /^(E[A-Z]|ERR_|UND_ERR_|(timeout|network|unanswered)$)/;
/** The server failed and gave no reason. */
const SERVER_FAILED = /^http_5\d\d$/;

/** True if no answer arrived. */
export const isUnanswered = (outcome: SendOutcome): boolean =>
  outcome.result === 'retry' && NO_ANSWER.test(outcome.code);

/** True if a provider did not answer, reported that it is down, or left open what happened to the message. */
export const isUnresponsive = (outcome: SendOutcome): boolean =>
  outcome.result === 'retry' &&
  (outcome.isDown === true ||
    outcome.processed === 'unknown' ||
    NO_ANSWER.test(outcome.code) ||
    SERVER_FAILED.test(outcome.code));

/** What may be sent: everything, one probe, or nothing before a time. */
export type Pass =
  | { readonly may: 'all' }
  | { readonly may: 'one'; readonly othersUntil: Date }
  | { readonly may: 'none'; readonly until: Date };

export type CircuitChange = { readonly until: Date | null; readonly code: string | null };

export type Circuit = {
  /** True if an outage opened the circuit, false if refused credentials did. */
  isUnresponsive(): boolean;
  /** Time before which nothing may be sent; null if a message may be sent now. Changes nothing. */
  refusedUntil(now: Date): Date | null;
  /** Called before a handover. After `one`, record the outcome of that message with `isProbe`. */
  pass(now: Date): Pass;
  /**
   * Records the outcome of a message. Returns the change of the circuit, or null if nothing changed. A refusal while
   * the circuit is open belongs to an earlier call and does not extend the open time.
   *
   * @param hasFallback another provider can take the messages; a provider without a fallback is always tried
   */
  record(outcome: SendOutcome, context: RecordContext): CircuitChange | null;
  /** The probe was not sent: the next message becomes the probe. */
  abandon(): void;
};

export type RecordContext = { readonly isProbe: boolean; readonly hasFallback: boolean; readonly now: Date };

/** Creates a closed circuit. Throws nothing. */
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
    // While the probe is under way, callers wait for it or for the first open time.
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
    record: (outcome, { isProbe, hasFallback, now }) => {
      if (isProbe) isProbing = false;
      const isOpen = openUntil !== null && !isProbe;
      if (outcome.result === 'credential') {
        if (isOpen) return null;
        isOpenForOutage = false;
        return open(now, Math.min(outcome.retryAfterMs ?? 0, CIRCUIT_CAP_MS), outcome.code);
      }
      if (outcome.result === 'retry' && isUnresponsive(outcome)) {
        if (isOpen) return null;
        unresponsiveInARow += 1;
        const staysUnresponsive = isProbe && isOpenForOutage;
        if (!staysUnresponsive && (isProbe || !hasFallback || unresponsiveInARow < UNRESPONSIVE_IN_A_ROW)) return null;
        isOpenForOutage = true;
        return open(now, 0, outcome.code);
      }
      unresponsiveInARow = 0;
      // A `retry` says nothing about the credentials, but it proves that the provider answers.
      return isProbe && (isOpenForOutage || outcome.result !== 'retry') ? close() : null;
    },
    abandon: () => {
      isProbing = false;
    },
  };
};
