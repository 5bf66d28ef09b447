import type { z } from 'zod';
import type { ErrorCode } from '../../foundation/errors.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { KeyKind } from '../../foundation/key-kind.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { Environment, Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions, JoinOptions } from '../../platform/idempotency/api.ts';

import type { EventSource, eventBody, identifyBody } from './schema.ts';

export type Accepted = { readonly id: string; readonly accepted: true };

export type BatchAnswer = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly {
    /** Of the event within the batch, from 0. */
    readonly index: number;
    /**
     * VALIDATION_ERROR, or what came up as the others were stored: OVERLOADED (nothing is wrong with the event), INTERNAL
     * (the database refused it, or nobody knows whether it is stored). Only the first has `fieldErrors`.
     *
     * What to do: call again with the events of OVERLOADED and INTERNAL alone, in their order and with the same
     * `messageId`s, after 1 s and then after twice as long each time, up to 60 s. What is stored by then is a duplicate.
     * Give an event up that is INTERNAL again and again. Every other code is final.
     */
    readonly code: ErrorCode;
    readonly fieldErrors: FieldErrors;
  }[];
};

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

export type EventRecord = {
  readonly id: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly module: string;
  readonly eventType: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** As they came with it, null where a trait was unset; with `_truncated: true` where 16 KB of them are kept. */
  readonly traits: Readonly<Record<string, unknown>> | null;
  readonly messageId: string | null;
  readonly sessionId: string | null;
  readonly context: Readonly<Record<string, unknown>> | null;
  readonly source: EventSource;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly environment: Environment;
  readonly orgId: string;
  readonly projectId: string;
};
export type ExplainedEvent = EventRecord & { readonly workflows: readonly WorkflowVerdict[] };

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

/** What became of an event at one workflow that listens to its name. */
export type WorkflowVerdict = {
  readonly workflowId: string;
  readonly workflowName: string;
  /** The version of that moment; of `later` the one of today. */
  readonly workflowVersion: number;
  /**
   * `started` a run (`runId`); `inactive`: it was disabled; `filter`: the event does not fit (`filters`); `audience`: the
   * person is not in it (`audienceId`); `depth`: runs had set each other off too often; `fan_out`: nothing was left of the 10,000 runs that
   * one event from outside may lead to; `waiting`: a worker has yet to look
   * at the event; `unseen`: the workflow had changed within two seconds, and the process that took the event did not know
   * yet; `later`: it listens today, and did not then; `unknown`: it should have started, and there is no run.
   */
  readonly verdict:
    | 'started'
    | 'inactive'
    | 'filter'
    | 'audience'
    | 'depth'
    | 'fan_out'
    | 'waiting'
    | 'unseen'
    | 'later'
    | 'unknown';
  readonly runId?: string;
  readonly filters?: readonly Mismatch[];
  readonly audienceId?: string;
};

/** A filter that an event does not fit. */
export type Mismatch = {
  /** Of the property, below `properties`. */
  readonly path: string;
  readonly wanted: string;
  /** Missing where the event has no such property. */
  readonly found?: unknown;
};
