import type { Error as Failure } from './generated/wire.ts';

/** Codes of errors that occur in the client. */
export type ClientCode = 'network' | 'event_too_large' | 'invalid_event' | 'queue_full' | 'storage_corrupt';
/** A code of the service, one of the client's own, or one of a newer service. */
export type ErrorCode = Failure['error']['code'] | ClientCode | (string & {});

/** An error response of the service, or a failure to reach it. */
export class ApiError extends Error {
  /** The HTTP status; 0 without a response. */
  declare readonly status: number;
  declare readonly code: ErrorCode;
  /** Details of the error; contains `retryAfterSeconds` even if only the header had it. */
  declare readonly details: Readonly<Record<string, unknown>>;
  /** `X-Request-ID` of the response. */
  declare readonly requestId: string | null;

  constructor(
    status: number,
    code: ErrorCode,
    message: string = code,
    details: Readonly<Record<string, unknown>> = {},
    requestId: string | null = null,
  ) {
    super(message);
    Object.assign(this, { name: 'ApiError', status, code, details, requestId });
  }
}

/**
 * True if the organization's plan lacks the feature; `details.requiredPlan` is the plan that includes it. Throws
 * nothing.
 */
export const isTierRequired = (
  error: unknown,
): error is ApiError & { readonly details: { readonly requiredPlan: string } } =>
  error instanceof ApiError && error.code === 'tier_required';

/** True if a rate limit rejected the call; `details.retryAfterSeconds` is the time to wait. Throws nothing. */
export const isRateLimited = (
  error: unknown,
): error is ApiError & { readonly details: { readonly retryAfterSeconds: number } } =>
  error instanceof ApiError && /^RATE_LIMIT(ED)?$/.test(error.code);

/** Messages by field name; empty for any other error. Throws nothing. */
export const fieldErrors = (error: unknown): Readonly<Record<string, readonly string[]>> =>
  // Safe: the interface defines this shape of `fieldErrors`.
  ((error instanceof ApiError && error.details['fieldErrors']) || {}) as Record<string, string[]>;
