import type { Error as Failure } from './generated/wire.ts';

/** What goes wrong on this side, before the service has a say. */
export type ClientCode = 'network' | 'event_too_large' | 'invalid_event' | 'queue_full' | 'storage_corrupt';
/** A code of the service, one of the client's own, or one that a newer service has. */
export type ErrorCode = Failure['error']['code'] | ClientCode | (string & {});

/** A refusal of the service, or what kept a request from reaching it. */
export class ApiError extends Error {
  /** The HTTP status; 0 where there was no answer. */
  declare readonly status: number;
  declare readonly code: ErrorCode;
  /** What the service says of it; `retryAfterSeconds` also where only the header said it. */
  declare readonly details: Readonly<Record<string, unknown>>;
  /** `X-Request-ID` of the answer. */
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

/** True where the plan of the org lacks the feature; `details.requiredPlan` is the plan that has it. Throws nothing. */
export const isTierRequired = (
  error: unknown,
): error is ApiError & { readonly details: { readonly requiredPlan: string } } =>
  error instanceof ApiError && error.code === 'tier_required';

/** True where a limit refused the call; `details.retryAfterSeconds` says when to come again. Throws nothing. */
export const isRateLimited = (
  error: unknown,
): error is ApiError & { readonly details: { readonly retryAfterSeconds: number } } =>
  error instanceof ApiError && /^RATE_LIMIT(ED)?$/.test(error.code);

/** Messages by the name of the field that they complain of; empty for any other error. Throws nothing. */
export const fieldErrors = (error: unknown): Readonly<Record<string, readonly string[]>> =>
  // Safe: the interface gives `fieldErrors` this shape wherever it is.
  ((error instanceof ApiError && error.details['fieldErrors']) || {}) as Record<string, string[]>;
