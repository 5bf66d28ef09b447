import type { SuppressionReason } from './schema.ts';

/** Hand-overs of one message before it is `failed`. Source: transports, What the work layer does with an outcome. */
export const MAX_ATTEMPTS = 6;

/** What becomes of a message that may not go. One that is deferred passes all gates again at `until`. */
export type Stop =
  | { readonly verdict: 'suppressed'; readonly reason: SuppressionReason }
  | { readonly verdict: 'deferred'; readonly until: Date; readonly reason: SuppressionReason }
  | { readonly verdict: 'cancelled' }
  | { readonly verdict: 'failed'; readonly code: string; readonly message: string };

/** What a gate says. */
export type Verdict = { readonly verdict: 'pass' } | Stop;

export const PASS: Verdict = { verdict: 'pass' };

/** What is said of a message that its worker gave up. */
export const UNHANDLED = 'The message could not be handled.';

/** What an SMS ends with when nobody knows whether the provider has it. Source: transports, Ports and outcomes. */
export const AMBIGUOUS = {
  code: 'ambiguous_outcome',
  message: 'The result of the call to the provider is unknown. Beckon does not send the message again.',
} as const;
