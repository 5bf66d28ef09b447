import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { KeyKind } from '../../foundation/key-kind.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions, JoinOptions } from '../../platform/idempotency/api.ts';
import type { Accepted, BatchAnswer, EventRecord, ExplainedEvent } from './answers.generated.ts';

import type { eventBody, identifyBody } from './schema.ts';

/** What a caller may say of an event besides its body. */
export type IngestOptions = JoinOptions & {
  /** The body's length in bytes where it is known; it counts against what may wait to be written. */
  readonly bytes?: number | undefined;
  /**
   * The kind of the key that the call came with. With a `public` one an event may not have a name that the service raises
   * (VALIDATION_ERROR, `fieldErrors.eventType`). Default: `secret`.
   */
  readonly keyKind?: KeyKind | undefined;
};
export type BatchOptions = Pick<IngestOptions, 'bytes' | 'keyKind'> & IdempotencyOptions;

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Bodies are validated here, not before. A call resolves when what it accepted is on disk.
 */
export type EventsApi = {
  /**
   * A placeholder such as "undefined" is no userId: the event is stored under its anonymousId, and refused where it has none.
   * Throws VALIDATION_ERROR; what JoinOptions says; CONFLICT `duplicate` for a messageId that took effect within 72 h (`details.id` is that
   * event's); OVERLOADED where too much waits to be written.
   */
  track(scope: Scope, body: EventInput, options?: IngestOptions): Promise<Accepted>;
  /**
   * Merges traits into a profile, and an anonymous person into the user. Throws as `accept`, and VALIDATION_ERROR for a
   * placeholder instead of a userId.
   */
  identify(scope: Scope, body: IdentifyInput, options?: IngestOptions): Promise<Accepted>;
  /**
   * What becomes of one event is no other's: whatever refuses it stands in `rejected` where any other is stored. Throws
   * VALIDATION_ERROR when nothing of it was acceptable, OVERLOADED, and what IdempotencyOptions says; the events
   * of a batch are written among others', so its answer is kept after them: give each a `messageId`.
   */
  batch(scope: Scope, body: EventBatchInput, options?: BatchOptions): Promise<BatchAnswer>;
  /**
   * Events, newest first: stored ones, and those that rows of messages and of pushes without messages tell. Throws VALIDATION_ERROR for a limit, a cursor or a time that there is not, INVALID_RANGE.
   */
  list(scope: Scope, query?: EventQuery): Promise<Page<EventRecord>>;
  /**
   * One event that a list, a history or a webhook's delivery names, and of each workflow that listens to its name why it
   * did or did not start, from the versions of that moment. Throws NOT_FOUND.
   */
  get(scope: Scope, id: string): Promise<ExplainedEvent>;
};

export type EventQuery = PageQuery & {
  /** Received at this moment or later. */
  readonly from?: Date | undefined;
  /** Received before this moment. */
  readonly to?: Date | undefined;
};

/**
 * Something that happened. `userId`, `anonymousId` or both are needed. `timestamp` and `sentAt` are ISO 8601; traits
 * of a user are merged into the profile, null unsets one. A `messageId` takes effect once in 72 h. A placeholder such as
 * "undefined" is no userId: the event is stored under its anonymousId, and refused where it has none.
 */
export interface EventInput extends Frozen<z.input<typeof eventBody>> {}

/** 1 to 500 events; `sentAt` is for those that have none. */
export type EventBatchInput =
  | { readonly batch: readonly EventInput[]; readonly sentAt?: string | undefined }
  | readonly EventInput[];

/** Who somebody is: a user, with the anonymous id that they had before where there is one. Null unsets a trait. */
export interface IdentifyInput extends Frozen<z.input<typeof identifyBody>> {}
