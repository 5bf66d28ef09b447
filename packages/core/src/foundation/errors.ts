import type { z } from 'zod';
import { issueText } from './issue-text.ts';

/**
 * Codes that nothing raises any more, with the status that they had. They are absent from the description of the interface,
 * and no code of the catalogue may have such a name again.
 */
export const retiredCodes = { PROVIDER_ERROR: 502 } as const;

/** Every error code that is raised, and its HTTP status. The keys are the public vocabulary. */
export const catalogue = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  tier_required: 402,
  FORBIDDEN: 403,
  scope_required: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PROVIDER_NOT_CONFIGURED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  INVALID_RANGE: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  DEADLINE_EXCEEDED: 503,
  OVERLOADED: 503,
  QUERY_TIMEOUT: 503,
  LOCK_TIMEOUT: 503,
} as const;

/** One code of the catalogue. */
export type ErrorCode = keyof typeof catalogue;

/** Field name (dotted path) to its messages. Built by us, so at most 20 names of 5 messages each. */
export type FieldErrors = Record<string, string[]>;

type Details = { readonly [extra: string]: unknown };

/** What `details` holds, per code. Codes that are not listed may carry any further facts, or none. */
type RequiredDetails = {
  tier_required: { readonly requiredPlan: string };
  scope_required: { readonly requiredScope: string };
  CONFLICT: { readonly reason: string } & Details;
  PROVIDER_NOT_CONFIGURED: { readonly channel: string; readonly provider: string; readonly missing: readonly string[] };
  PAYLOAD_TOO_LARGE: { readonly max: number };
  RATE_LIMITED: { readonly retryAfterSeconds: number; readonly reason?: string };
};

/** `details` by code. `VALIDATION_ERROR` has `fieldErrors` when the caller can be told which fields were wrong. */
export type ErrorDetails = {
  [Code in ErrorCode]: Code extends keyof RequiredDetails
    ? RequiredDetails[Code]
    : Code extends 'VALIDATION_ERROR'
      ? { readonly fieldErrors?: FieldErrors; readonly reason?: string } & Details
      : Details;
};

/** Codes whose answer always names a time to come back (interface, Errors; RATE_LIMITED has it in its details). */
type AlwaysRetryable = 'OVERLOADED' | 'QUERY_TIMEOUT' | 'LOCK_TIMEOUT';

type Extras<Code extends ErrorCode> = { readonly cause?: unknown } & (Code extends AlwaysRetryable
  ? { readonly retryAfterSeconds: number }
  : { readonly retryAfterSeconds?: number }) &
  (Code extends keyof RequiredDetails
    ? { readonly details: ErrorDetails[Code] }
    : { readonly details?: ErrorDetails[Code] });

type Failure = {
  [Code in ErrorCode]: Record<never, never> extends Extras<Code>
    ? [code: Code, message: string, extras?: Extras<Code>]
    : [code: Code, message: string, extras: Extras<Code>];
}[ErrorCode];

/**
 * The one error that core throws on purpose: `new BeckonError(code, message, { details, retryAfterSeconds, cause })`.
 *
 * `message` is a sentence for a developer and never holds a secret, a token, an address or a body. `details` is
 * checked per code by the type of the constructor. `status` is the catalogue's. `retryAfterSeconds` (whole seconds, at least 1) becomes the
 * `Retry-After` header; for RATE_LIMITED it is taken from the details.
 */
export class BeckonError extends Error {
  override readonly name = 'BeckonError';
  readonly code: ErrorCode;
  /** The HTTP status that the catalogue gives to `code`. */
  readonly status: (typeof catalogue)[ErrorCode];
  /** Facts for the caller; `isBeckonError` gives the type that belongs to a code. */
  readonly details: Details | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(...[code, message, extras]: Failure) {
    super(message, extras?.cause === undefined ? undefined : { cause: extras.cause });
    const details: Details | undefined = extras?.details;
    const inDetails = details?.['retryAfterSeconds'];
    this.code = code;
    this.status = catalogue[code];
    this.details = details;
    this.retryAfterSeconds = extras?.retryAfterSeconds ?? (typeof inDetails === 'number' ? inDetails : undefined);
  }
}

/**
 * Tells whether a caught value is our error of that code, and types its details. Throws nothing.
 */
export const isBeckonError = <Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is BeckonError & { readonly code: Code; readonly details: ErrorDetails[Code] | undefined } =>
  error instanceof BeckonError && error.code === code;

/** Fields named in one validation error. Source: interface, Errors. */
export const MAX_FIELD_ERRORS = 20;
/** Messages per field. Source: semantics, Body caps: an attacker chooses the fields. */
const MAX_FIELD_MESSAGES = 5;
/** Characters of a field's name. Source: semantics, Body caps. */
const MAX_FIELD_NAME_CHARACTERS = 128;

/** Fields that are looked at: enough to fill what is told, however many a body has wrong. Ours. */
const MAX_FIELDS_SEEN = 1_000;

const boundedFieldErrors = (fields: Iterable<readonly [string, readonly string[]]>): FieldErrors => {
  const bounded = new Map<string, string[]>();
  let seen = 0;
  for (const [name, messages] of fields) {
    seen += 1;
    if (seen > MAX_FIELDS_SEEN) break;
    // The cut may split a surrogate pair; what is left of it must still be valid text.
    const short = name.slice(0, MAX_FIELD_NAME_CHARACTERS).toWellFormed();
    const known = bounded.get(short);
    if (!known && bounded.size === MAX_FIELD_ERRORS) continue;
    bounded.set(short, [...new Set([...(known ?? []), ...messages])].slice(0, MAX_FIELD_MESSAGES));
  }
  // Not an assignment per key: that would let a field named __proto__ set a prototype.
  return Object.fromEntries(bounded);
};

/**
 * The 400 for wrong input.
 *
 * @param fieldErrors dotted path to messages; kept in order, cut to 20 names of 128 characters and 5 messages each
 * @param extra further facts for `details`, such as `reason`
 */
export const validationError = (
  fieldErrors: Readonly<Record<string, readonly string[]>>,
  message = 'The request is not valid. details.fieldErrors names each field and the reason.',
  extra: Details & { readonly reason?: string } = {},
): BeckonError =>
  new BeckonError('VALIDATION_ERROR', message, {
    details: { ...extra, fieldErrors: boundedFieldErrors(Object.entries(fieldErrors)) },
  });

/** A cap on what a project or an environment may define. */
export type Cap = {
  /** Stable, for `details.cap`. */
  readonly name: string;
  readonly max: number;
  /** A sentence that names the cap and its number. */
  readonly rule: string;
  /** A sentence that says what makes room. */
  readonly remedy: string;
};

/**
 * The 400 of a definition for which there is no room. Nothing was written.
 *
 * @param field dotted path of what would go above the cap
 */
export const capReached = (field: string, { name, max, rule, remedy }: Cap): BeckonError =>
  validationError({ [field]: [rule] }, `${rule} Beckon stored nothing. ${remedy}`, {
    reason: 'cap_reached',
    cap: name,
    max,
  });

/**
 * The 404: the same bytes for a missing row, another org's row and a row of the other environment. They follow from the
 * request alone.
 *
 * @param what what was sought and by what, such as `send with this id`; never the value, which may be an address
 * @param where where the caller may look
 */
export const notFound = (
  what = 'such resource',
  where?: { readonly projectId: string; readonly environment: string },
): BeckonError =>
  new BeckonError(
    'NOT_FOUND',
    `No ${what}${where ? ` in environment ${where.environment} of project ${where.projectId}` : ''}.`,
  );

/** The 401: one message for missing, malformed, unknown, expired and revoked keys. */
export const unauthorized = (): BeckonError =>
  new BeckonError(
    'UNAUTHORIZED',
    'Missing or invalid API key. Send a valid key in the header x-api-key; this one is missing, unknown, expired or revoked.',
  );

/** The 403 of a key that lacks a scope. */
export const scopeRequired = (scope: string): BeckonError =>
  new BeckonError('scope_required', `The API key lacks the scope ${scope}. Use a key that has it.`, {
    details: { requiredScope: scope },
  });

/** Reasons of a CONFLICT, and their messages. */
export const conflictReasons: ReadonlyMap<string, string> = new Map([
  ['already_dispatched', 'Cannot cancel the send: a message was already handed to the provider.'],
  ['duplicate', 'Duplicate: Beckon already accepted this. Treat the response as a success.'],
  ['idempotency_in_progress', 'A request with this Idempotency-Key is still running. Retry in 1 s.'],
  ['immutable', 'Cannot change the resource: it is immutable in its current state.'],
  ['in_use', 'Cannot delete the resource: others use it. details lists them; change these first.'],
  ['exists', 'The name is already in use. Choose another name.'],
  ['transaction_conflict', 'The transaction of this call conflicted with another one. Roll it back and run it again.'],
  ['final', 'Cannot change the resource: its status is final.'],
  ['in_progress', 'Another operation on the resource is still running. Retry when it has ended.'],
  ['version_changed', 'The resource changed since you read it. Read it again, then repeat the change.'],
]);

/**
 * The 409.
 *
 * @param reason the stable word for `details.reason`
 * @param extra further facts for `details`
 * `idempotency_in_progress` also asks to come back after 1 s (contract, Conventions).
 */
export const conflict = (reason: string, extra: Details = {}): BeckonError =>
  new BeckonError(
    'CONFLICT',
    conflictReasons.get(reason) ?? 'The request conflicts with the current state. Read the resource again.',
    {
      details: { ...extra, reason },
      ...(reason === 'idempotency_in_progress' && { retryAfterSeconds: 1 }),
    },
  );

/** The 412: the channel's provider lacks credentials, and `missing` names the settings that are absent. */
export const providerNotConfigured = (details: ErrorDetails['PROVIDER_NOT_CONFIGURED']): BeckonError =>
  new BeckonError(
    'PROVIDER_NOT_CONFIGURED',
    details.provider === 'domain'
      ? `The domain of the From address is not verified: ${details.missing.join(', ')}. Add and verify it with POST /email/domains.`
      : `The ${details.channel} provider ${details.provider} is not configured. Missing settings: ${details.missing.join(', ')}. Set them with PUT /${details.channel}/settings.`,
    { details },
  );

/** The 413. @param max bytes that the endpoint takes */
export const payloadTooLarge = (max: number): BeckonError =>
  new BeckonError('PAYLOAD_TOO_LARGE', `The request body is too large. The maximum is ${max} bytes.`, {
    details: { max },
  });

/** The 503 of load shedding. @param retryAfterSeconds whole seconds, at least 1 */
export const overloaded = (retryAfterSeconds: number): BeckonError =>
  new BeckonError('OVERLOADED', `The server is overloaded and stored nothing. Retry in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });

/** The 500 that hides its cause from the caller; the cause goes to the log only. */
export const internal = (cause: unknown): BeckonError =>
  new BeckonError('INTERNAL', 'Internal error. Search the log for the request id (header X-Request-ID).', { cause });

type Issue = z.core.$ZodIssue;

const dotted = (prefix: string, path: readonly PropertyKey[]): string =>
  [...(prefix === '' ? [] : [prefix]), ...path.map(String)].join('.') || 'body';

// A value that has the right type for exactly one branch of a union was meant for it, so that branch's issues help.
const meantBranch = (branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined => {
  const fitting = branches.filter((issues) => !issues.some((one) => one.code === 'invalid_type' && !one.path.length));
  return fitting.length === 1 ? fitting[0] : undefined;
};

function* fieldsOf(issues: readonly Issue[], prefix: string): Generator<[string, string[]]> {
  for (const issue of issues) {
    const field = dotted(prefix, issue.path);
    const own = issue.path.length || prefix !== '' ? field : '';
    const meant = issue.code === 'invalid_union' ? meantBranch(issue.errors) : undefined;
    if (meant) yield* fieldsOf(meant, own);
    else if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) yield [dotted(own, [key]), ['unknown field']];
    } else if (issue.code === 'invalid_key') yield [field, issue.issues.map(issueText)];
    else yield [field, [issueText(issue)]];
  }
}

/**
 * Field errors of a failed zod parse, by dotted path (`variants.0.weight`).
 *
 * @param prefix path of the parsed value inside the body; '' when it is the body
 * @returns at most 20 names of 5 messages each; an issue of the whole value is named `body`, or `prefix` if given.
 * Messages never repeat a value of the input. Throws nothing.
 */
export const fieldErrorsOf = (error: { readonly issues: readonly Issue[] }, prefix = ''): FieldErrors =>
  boundedFieldErrors(fieldsOf(error.issues, prefix));
