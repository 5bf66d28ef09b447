// Made of the schemas in answers.ts by `npm run openapi`.

/** An accepted event. */
export interface Accepted {
  /** Id of the event. */
  readonly id: string;
  /** Always true: the event is on disk. */
  readonly accepted: true;
}

/** Result of a batch of events. */
export interface BatchAnswer {
  /** Events that were stored. */
  readonly accepted: number;
  /** Events whose `messageId` was stored before. */
  readonly duplicates: number;
  /** Events that were not stored. */
  readonly rejected: readonly {
    /** Position of the event in the batch, from 0. */
    readonly index: number;
    /**
     * Error code. Retry events of `OVERLOADED` and `INTERNAL` with the same `messageId`, first after 1 s and then
     * after twice as long each time, up to 60 s. Every other code is final.
     */
    readonly code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'tier_required' | 'FORBIDDEN' | 'scope_required' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'PROVIDER_NOT_CONFIGURED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'EXPECTATION_FAILED' | 'INVALID_RANGE' | 'RATE_LIMITED' | 'HEADERS_TOO_LARGE' | 'INTERNAL' | 'DEADLINE_EXCEEDED' | 'OVERLOADED' | 'QUERY_TIMEOUT' | 'LOCK_TIMEOUT';
    /** Errors by field; empty unless the code is `VALIDATION_ERROR`. */
    readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  }[];
}

/** A trigger filter that an event does not match. */
export interface FilterMismatch {
  /** Path of the property, below `properties`. */
  readonly path: string;
  /** Value that the filter requires. */
  readonly expected: string;
  /** Value of the event; missing if the event has no such property. */
  readonly actual?: unknown;
}

/** Why a workflow did or did not start for an event. */
export interface WorkflowVerdict {
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Name of the workflow. */
  readonly workflowName: string;
  /** Version at the time of the event; for `added_later` the current one. */
  readonly workflowVersion: number;
  /**
   * `started` a run; `inactive`: disabled; `filter`: a filter did not match; `audience`: the user is not a member;
   * `depth`: too many runs in a chain; `fan_out`: more than 10,000 runs from one event; `waiting`: a worker has not
   * processed the event yet; `not_loaded`: the workflow had changed less than 2 s before; `added_later`: the workflow
   * did not have this trigger yet; `unknown`: no run exists, and no reason was found.
   */
  readonly verdict: 'started' | 'inactive' | 'filter' | 'audience' | 'depth' | 'fan_out' | 'waiting' | 'not_loaded' | 'added_later' | 'unknown';
  /** Run that started; only for `started`. */
  readonly runId?: string | undefined;
  /** Filters that did not match; only for `filter`. */
  readonly filters?: readonly FilterMismatch[] | undefined;
  /** Audience without the user; only for `audience`. */
  readonly audienceId?: string | undefined;
}

/** A stored event. */
export interface EventRecord {
  /** Id of the event. */
  readonly id: string;
  /** Organization of the event. */
  readonly orgId: string;
  /** Project of the event. */
  readonly projectId: string;
  /** Environment of the event. */
  readonly environment: 'prod' | 'test';
  /** User of the event; null if only the anonymous id is known. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Part of the application that sent the event. */
  readonly module: string;
  /** Name of the event. */
  readonly eventType: string;
  /** Properties of the event. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Traits that came with the event; a null unset a trait, `_truncated` marks more than 16 KB. Null: none came. */
  readonly traits: Readonly<Record<string, unknown>> | null;
  /** The client's id of the event; null if it sent none. */
  readonly messageId: string | null;
  /** Session of the event; null if the client sent none. */
  readonly sessionId: string | null;
  /** Device, page and app of the event; null if the client sent none. */
  readonly context: Readonly<Record<string, unknown>> | null;
  /** `customer`: sent to the API. `system`: raised by Beckon. */
  readonly source: 'customer' | 'system';
  /** When the event happened. */
  readonly timestamp: Date;
  /** When Beckon received the event. */
  readonly receivedAt: Date;
}

/** An event with the workflows that it could start. */
export interface ExplainedEvent extends EventRecord {
  /** Each workflow with this trigger, and why it did or did not start. */
  readonly workflows: readonly WorkflowVerdict[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Accepted: Accepted;
  readonly BatchAnswer: BatchAnswer;
  readonly FilterMismatch: FilterMismatch;
  readonly WorkflowVerdict: WorkflowVerdict;
  readonly EventRecord: EventRecord;
  readonly ExplainedEvent: ExplainedEvent;
}
