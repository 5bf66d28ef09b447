import type { SuppressionReason } from './schema.ts';

/**
 * Maximum handovers of one message before it is `failed`. Source: transports, What the work layer does with an outcome.
 */
export const MAX_ATTEMPTS = 6;

/** Why a message does not go. A deferred message passes all gates again at `until`. */
export type Stop =
  | { readonly verdict: 'suppressed'; readonly reason: SuppressionReason }
  | { readonly verdict: 'deferred'; readonly until: Date; readonly reason: SuppressionReason }
  | { readonly verdict: 'cancelled' }
  | { readonly verdict: 'failed'; readonly code: string; readonly message: string };

/** The verdict of a gate. */
export type Verdict = { readonly verdict: 'pass' } | Stop;

export const PASS: Verdict = { verdict: 'pass' };

/** Error text of a dead-lettered message. */
export const UNHANDLED = 'The message could not be handled.';

/** Error of an SMS when it is unknown whether the provider accepted it. Source: transports, Ports and outcomes. */
export const AMBIGUOUS = {
  code: 'ambiguous_outcome',
  message: 'The result of the call to the provider is unknown. Beckon does not send the message again.',
} as const;
