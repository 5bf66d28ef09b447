import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { KeyKind } from '../../foundation/key-kind.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions, JoinOptions } from '../../platform/idempotency/api.ts';
import type { Accepted, BatchAnswer, EventRecord, ExplainedEvent } from './answers.generated.ts';

import type { eventBody, identifyBody } from './schema.ts';

/** Options of a call to `track` or `identify`, besides its body. */
export type IngestOptions = JoinOptions & {
  /**
   * Size of the request body in bytes, if known. It counts against the limit of pending bytes. Default: the size of the
   * body as JSON.
   */
  readonly bytes?: number | undefined;
  /**
   * Kind of the API key that the request used. With a `public` key, an event must not have a reserved name
   * (VALIDATION_ERROR, `fieldErrors.eventType`). Default: `secret`.
   */
  readonly keyKind?: KeyKind | undefined;
};
export type BatchOptions = Pick<IngestOptions, 'bytes' | 'keyKind'> & IdempotencyOptions;

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Events API. Every method validates its body. A call resolves once the accepted events are on disk. */
export type EventsApi = {
  /**
   * Stores one event. An event whose userId is a placeholder such as "undefined" is stored under its anonymousId;
   * without an anonymousId it is rejected.
   * Throws VALIDATION_ERROR; CONFLICT `duplicate` if the messageId was used within 72 h (`details.id` is the id of the
   * stored event); RATE_LIMITED `quota` if the organization's monthly quota is used up; OVERLOADED if too many events
   * wait to be written; the errors of JoinOptions.
   */
  track(scope: Scope, body: EventInput, options?: IngestOptions): Promise<Accepted>;
  /**
   * Merges traits into a profile. With an anonymousId it also merges the anonymous profile into the user. Throws as
   * `track`; and VALIDATION_ERROR if the userId is a placeholder.
   */
  identify(scope: Scope, body: IdentifyInput, options?: IngestOptions): Promise<Accepted>;
  /**
   * Stores up to 500 events, each on its own: rejected events are listed in `rejected`, the others are stored.
   * Throws VALIDATION_ERROR if no event was valid, RATE_LIMITED `quota` if the batch does not fit the monthly quota,
   * OVERLOADED if too many events wait, and the errors of IdempotencyOptions. The answer for an idempotency key is
   * stored after the events, so give each event a `messageId` as well.
   */
  batch(scope: Scope, body: EventBatchInput, options?: BatchOptions): Promise<BatchAnswer>;
  /**
   * Lists events, newest first: stored events, and events derived from the rows of messages and sends. Throws
   * VALIDATION_ERROR for an invalid limit, cursor or time, and INVALID_RANGE.
   */
  list(scope: Scope, query?: EventQuery): Promise<Page<EventRecord>>;
  /**
   * Gets one event by the id that a list, a history or a webhook delivery contains. For each workflow whose trigger has
   * the event's name, `workflows` explains why it started or not, using the versions of that time. Throws NOT_FOUND.
   */
  get(scope: Scope, id: string): Promise<ExplainedEvent>;
};

export type EventQuery = PageQuery & {
  /** Only events received at or after this time. */
  readonly from?: Date | undefined;
  /** Only events received before this time. */
  readonly to?: Date | undefined;
};

/**
 * An event. `userId`, `anonymousId` or both are required. `timestamp` and `sentAt` are ISO 8601. Traits are merged into
 * the profile; null removes one. The same `messageId` counts once in 72 h. A userId that is a placeholder such as
 * "undefined" is ignored: the event is stored under its anonymousId, or rejected if there is none.
 */
export interface EventInput extends Frozen<z.input<typeof eventBody>> {}

/** 1 to 500 events. `sentAt` applies to events without their own. */
export type EventBatchInput =
  | { readonly batch: readonly EventInput[]; readonly sentAt?: string | undefined }
  | readonly EventInput[];

/** A user, with the anonymous id of the same person before sign-in, if known. A null trait is removed. */
export interface IdentifyInput extends Frozen<z.input<typeof identifyBody>> {}
