import type { SendOutcome } from '../transports/port.ts';

/** Codes of calls without an answer: of sockets and name look-ups, of Node, of undici, and words of our transports. */
const NO_ANSWER = /^(E[A-Z]|ERR_|UND_ERR_|(timeout|network|unanswered)$)/;
/** An answer that says nothing but that the server failed. */
const SERVER_FAILED = /^http_5\d\d$/;

/** Whether no answer came at all. Throws nothing. */
export const isUnanswered = (outcome: SendOutcome): boolean =>
  outcome.result === 'retry' && NO_ANSWER.test(outcome.code);

/** Whether a provider did not answer, says that it serves nobody, or leaves open what became of the message. Throws nothing. */
export const isDark = (outcome: SendOutcome): boolean =>
  outcome.result === 'retry' &&
  (outcome.isDown === true ||
    outcome.processed === 'unknown' ||
    NO_ANSWER.test(outcome.code) ||
    SERVER_FAILED.test(outcome.code));
