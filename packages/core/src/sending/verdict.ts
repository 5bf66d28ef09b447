import type { SuppressionReason } from './schema.ts';

/** Hand-overs of one message before it is `failed`. Source: transports, What the work layer does with an outcome. */
export const MAX_ATTEMPTS = 6;

/** What a gate says. Quiet hours will add `deferred`. */
export type Verdict =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'suppressed'; readonly reason: SuppressionReason }
  | { readonly verdict: 'cancelled' }
  | { readonly verdict: 'failed'; readonly code: string; readonly message: string };

/** What an SMS ends with when nobody knows whether the provider has it. Source: transports, Ports and outcomes. */
export const AMBIGUOUS = {
  code: 'ambiguous_outcome',
  message: 'Nobody knows whether the provider took the message; it is not sent a second time.',
} as const;
