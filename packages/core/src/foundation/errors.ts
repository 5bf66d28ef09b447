import type { z } from 'zod';
import { issueText } from './issue-text.ts';

/**
 * Codes that are no longer raised, with their former status. They are not in the OpenAPI document, and no new code may
 * reuse their names.
 */
export const retiredCodes = { PROVIDER_ERROR: 502 } as const;

/** Every error code and its HTTP status. The keys are public. */
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

/** Messages by field name (dotted path): at most 20 names with 5 messages each. */
export type FieldErrors = Record<string, string[]>;

type Details = { readonly [extra: string]: unknown };

/** Required `details` per code. Codes that are not listed may carry any details, or none. */
type RequiredDetails = {
  tier_required: { readonly requiredPlan: string };
  scope_required: { readonly requiredScope: string };
  CONFLICT: { readonly reason: string } & Details;
  PROVIDER_NOT_CONFIGURED: { readonly channel: string; readonly provider: string; readonly missing: readonly string[] };
  PAYLOAD_TOO_LARGE: { readonly max: number };
  RATE_LIMITED: {
    readonly retryAfterSeconds: number;
    /** What is allowed at once; with reason `quota` in a month. */
    readonly limit: number;
    /** What is allowed in a minute, of a rate limit. */
    readonly perMinute?: number;
    readonly reason?: string;
  };
};

/** `details` by code. `VALIDATION_ERROR` has `fieldErrors` if the wrong fields are known. */
export type ErrorDetails = {
  [Code in ErrorCode]: Code extends keyof RequiredDetails
    ? RequiredDetails[Code]
    : Code extends 'VALIDATION_ERROR'
      ? { readonly fieldErrors?: FieldErrors; readonly reason?: string } & Details
      : Details;
};

/** Codes that always carry a retry delay (interface, Errors; RATE_LIMITED has it in its details). */
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
 * The error class of core: `new BeckonError(code, message, { details, retryAfterSeconds, cause })`.
 *
 * `message` is a sentence for a developer and never contains a secret, a token, an address or a body. The type of the
 * constructor checks `details` per code. `status` comes from the catalogue. `retryAfterSeconds` (whole seconds, at
 * least 1) becomes the `Retry-After` header; for RATE_LIMITED it is taken from the details.
 */
export class BeckonError extends Error {
  override readonly name = 'BeckonError';
  readonly code: ErrorCode;
  /** The HTTP status of `code` in the catalogue. */
  readonly status: (typeof catalogue)[ErrorCode];
  /** Facts for the caller; `isBeckonError` narrows the type by code. */
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

/** True for a BeckonError with this code; narrows the type of its details. Throws nothing. */
export const isBeckonError = <Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is BeckonError & { readonly code: Code; readonly details: ErrorDetails[Code] | undefined } =>
  error instanceof BeckonError && error.code === code;

/** Maximum fields in one validation error. Source: interface, Errors. */
export const MAX_FIELD_ERRORS = 20;
/** Maximum messages per field. Source: semantics, Body caps: an attacker chooses the fields. */
const MAX_FIELD_MESSAGES = 5;
/** Maximum characters of a field's name. Source: semantics, Body caps. */
const MAX_FIELD_NAME_CHARACTERS = 128;

/** Fields read at most, however many a body has wrong. Chosen: enough to fill the 20 that are reported. */
const MAX_FIELDS_READ = 1_000;

const boundedFieldErrors = (fields: Iterable<readonly [string, readonly string[]]>): FieldErrors => {
  const bounded = new Map<string, string[]>();
  let read = 0;
  for (const [name, messages] of fields) {
    read += 1;
    if (read > MAX_FIELDS_READ) break;
    // The cut may split a surrogate pair; the result must still be well-formed text.
    const short = name.slice(0, MAX_FIELD_NAME_CHARACTERS).toWellFormed();
    const existing = bounded.get(short);
    if (!existing && bounded.size === MAX_FIELD_ERRORS) continue;
    bounded.set(short, [...new Set([...(existing ?? []), ...messages])].slice(0, MAX_FIELD_MESSAGES));
  }
  // Not assigned per key, since a field named __proto__ would set the prototype.
  return Object.fromEntries(bounded);
};

/** Characters of a field's message inside the message of the error. Chosen: one line of a log. */
const MAX_FIRST_MESSAGE_CHARACTERS = 300;

/** Logs show the message alone, so it names the first field and what is wrong with it. */
const messageOfFirst = (fieldErrors: FieldErrors): string => {
  const [first] = Object.entries(fieldErrors);
  if (first === undefined) return 'Invalid request.';
  const [name, [text = 'is not valid']] = first;
  const short = text.slice(0, MAX_FIRST_MESSAGE_CHARACTERS).toWellFormed();
  return `Invalid request: ${name === '' ? '' : `\`${name}\`: `}${short}${/[.!?]$/.test(short) ? '' : '.'}`;
};

/**
 * The 400 for invalid input.
 *
 * @param fieldErrors dotted path to messages; kept in order, cut to 20 names of 128 characters and 5 messages each
 * @param message default: the first field and its first message
 * @param extra further facts for `details`, such as `reason`
 */
export const validationError = (
  fieldErrors: Readonly<Record<string, readonly string[]>>,
  message?: string,
  extra: Details & { readonly reason?: string } = {},
): BeckonError => {
  const bounded = boundedFieldErrors(Object.entries(fieldErrors));
  return new BeckonError('VALIDATION_ERROR', message ?? messageOfFirst(bounded), {
    details: { ...extra, fieldErrors: bounded },
  });
};

/** A cap on what a project or an environment may define. */
export type Cap = {
  /** Stable name for `details.cap`. */
  readonly name: string;
  readonly max: number;
  /** A sentence that states the cap and its number. */
  readonly rule: string;
  /** A sentence that states the remedy. */
  readonly remedy: string;
};

/**
 * The 400 for a definition above a cap. Nothing was written.
 *
 * @param field dotted path of the value that would exceed the cap
 */
export const capReached = (field: string, { name, max, rule, remedy }: Cap): BeckonError =>
  validationError({ [field]: [rule] }, `${rule} Beckon stored nothing. ${remedy}`, {
    reason: 'cap_reached',
    cap: name,
    max,
  });

/**
 * The 404. It depends on the request alone: a missing row, another organization's row and a row of the other
 * environment give the same bytes.
 *
 * @param what kind of resource and of its key, such as `send with this id`; never the value, which may be an address
 * @param where the scope of the caller
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

/** The 403 for a key without the scope. */
export const scopeRequired = (scope: string): BeckonError =>
  new BeckonError('scope_required', `The API key lacks the scope ${scope}. Use a key that has it.`, {
    details: { requiredScope: scope },
  });

/** Reasons of a CONFLICT, and their messages. */
export const conflictReasons: ReadonlyMap<string, string> = new Map([
  ['already_dispatched', 'Cannot cancel the send: a message was already handed to the provider.'],
  ['account_exists_link_required', 'An account has this email address. Sign in to it, then link the identity.'],
  ['credential_exists', 'The credential belongs to another account.'],
  ['duplicate', 'Duplicate: Beckon already accepted this. Treat the response as a success.'],
  ['idempotency_in_progress', 'A request with this Idempotency-Key is still running. Retry in 1 s.'],
  ['immutable', 'Cannot change the resource: it is immutable in its current state.'],
  ['in_use', 'Cannot delete the resource: others use it. details lists them; change these first.'],
  ['exists', 'The name is already in use. Choose another name.'],
  ['transaction_conflict', 'The transaction of this call conflicted with another one. Roll it back and run it again.'],
  ['last_method', 'Cannot remove the last way to sign in. Add another one first.'],
  ['final', 'Cannot change the resource: its status is final.'],
  ['in_progress', 'Another operation on the resource is still running. Retry when it has ended.'],
  ['too_many', 'The limit is reached: details.max. Remove one first.'],
  ['user_disabled', 'The user is disabled. Enable the user first.'],
  ['too_many', 'The limit is reached: details.max. Remove one first.'],
  ['version_changed', 'The resource changed since you read it. Read it again, then repeat the change.'],
]);

/**
 * The 409. For `idempotency_in_progress` it sets `retryAfterSeconds` to 1 (contract, Conventions).
 *
 * @param reason the stable word for `details.reason`
 * @param extra further facts for `details`
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

/** The 412: the channel's provider lacks credentials; `missing` lists the absent settings. */
export const providerNotConfigured = (details: ErrorDetails['PROVIDER_NOT_CONFIGURED']): BeckonError =>
  new BeckonError(
    'PROVIDER_NOT_CONFIGURED',
    details.provider === 'domain'
      ? `The domain of the From address is not verified: ${details.missing.join(', ')}. Add and verify it with POST /email/domains.`
      : `The ${details.channel} provider ${details.provider} is not configured. Missing settings: ${details.missing.join(', ')}. Set them with PUT /${details.channel}/settings.`,
    { details },
  );

/** The 413. @param max maximum bytes of the endpoint */
export const payloadTooLarge = (max: number): BeckonError =>
  new BeckonError('PAYLOAD_TOO_LARGE', `The request body is too large. The maximum is ${max} bytes.`, {
    details: { max },
  });

/** The 503 of load shedding. @param retryAfterSeconds whole seconds, at least 1 */
export const overloaded = (retryAfterSeconds: number): BeckonError =>
  new BeckonError('OVERLOADED', `The server is overloaded and stored nothing. Retry in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });

/** The 500. The caller does not see the cause; it goes to the log only. */
export const internal = (cause: unknown): BeckonError =>
  new BeckonError('INTERNAL', 'Internal error. Search the log for the request id (header X-Request-ID).', { cause });

type Issue = z.core.$ZodIssue;

const dotted = (prefix: string, path: readonly PropertyKey[]): string =>
  [...(prefix === '' ? [] : [prefix]), ...path.map(String)].join('.') || 'body';

// If a value has the right type for exactly one branch of a union, the issues of that branch are the useful ones.
const fittingBranch = (branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined => {
  const fitting = branches.filter(
    (issues) => !issues.some((issue) => issue.code === 'invalid_type' && !issue.path.length),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
};

function* fieldsOf(issues: readonly Issue[], prefix: string): Generator<[string, string[]]> {
  for (const issue of issues) {
    const field = dotted(prefix, issue.path);
    const issuePath = issue.path.length || prefix !== '' ? field : '';
    const branchIssues = issue.code === 'invalid_union' ? fittingBranch(issue.errors) : undefined;
    if (branchIssues) yield* fieldsOf(branchIssues, issuePath);
    else if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) yield [dotted(issuePath, [key]), ['unknown field']];
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
