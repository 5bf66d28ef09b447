import type { DeliveryHealth } from '../../delivery/providers/answers.generated.ts';
import type { ContentOf } from '../../delivery/transports/sandbox/api.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions, JoinOptions } from '../../platform/idempotency/api.ts';
import type { EmailPreview, ExplainedMessage, GateVerdict, Message, Send } from './answers.generated.ts';
import type { MessageStatus, SendStatus } from './schema.ts';

/** Filters sends by acceptance time, by status, and by a user who has a message of the send. */
export type SendQuery = ListQuery & {
  readonly status?: SendStatus | undefined;
  readonly userId?: string | undefined;
};

/** Filters messages by creation time, status and user. */
export type MessageQuery = ListQuery & {
  readonly status?: MessageStatus | undefined;
  readonly userId?: string | undefined;
};

export type SendsApi = {
  /**
   * Newest first. Throws VALIDATION_ERROR for an invalid limit, cursor, time or status, INVALID_RANGE for a `to` before
   * `from`.
   */
  list(scope: Scope, channel: Channel, query?: SendQuery): Promise<Page<Send>>;
  /** Throws NOT_FOUND, also for a send of another channel. */
  get(scope: Scope, channel: Channel, id: string): Promise<Send>;
  /** In recipient order. Throws NOT_FOUND, and the errors of `list`. */
  messages(scope: Scope, channel: Channel, id: string, query?: MessageQuery): Promise<Page<Message>>;
  /**
   * One message with an explanation of its status: each check in order, with the values it read. Throws NOT_FOUND, also
   * for a message of another channel.
   */
  message(scope: Scope, channel: Channel, id: string): Promise<ExplainedMessage>;
  /**
   * Cancels a send before its first handover to a provider. Idempotent. Throws NOT_FOUND, CONFLICT
   * `already_dispatched`.
   */
  cancel(scope: Scope, channel: Channel, id: string): Promise<Send>;
  /** Outcomes of the messages of the last hour. */
  health(scope: Scope, channel: Channel): Promise<DeliveryHealth>;
  /** Delivery speed, measured on the newest 1,000 messages of the last hour. */
  throughput(scope: Scope, channel: Channel): Promise<SendThroughput>;
};

/** Delivery speed of a channel. */
export type SendThroughput = {
  /** Messages per second over the last 10 seconds. */
  readonly perSecond: number;
  /** By provider: 95th percentile, in milliseconds, of the time from due to handed over. */
  readonly p95Ms: Readonly<Record<string, number>>;
};

/** Options of a send call, besides its body. */
export type SendOptions = IdempotencyOptions & JoinOptions;

/**
 * The `send` of a channel. Returns a `Send`; for a body with `dryRun: true`, a `DryRun`. If the type of `dryRun` is
 * `boolean`, the result is either of the two; `'dryRun' in answer` tells them apart.
 */
export type SendCall<Input extends object, Accepted, Tried> = {
  (scope: Scope, body: Input & { readonly dryRun?: false | undefined }, options?: SendOptions): Promise<Accepted>;
  (scope: Scope, body: Input & { readonly dryRun: true }, options?: SendOptions): Promise<Tried>;
  (scope: Scope, body: Input, options?: SendOptions): Promise<Accepted | Tried>;
};

/** Users as recipients, by user id; at most 1,000. */
export type UserRecipients = { readonly userIds: readonly string[]; readonly audienceId?: undefined };
/** The members of an audience as recipients, read when a worker expands the send. */
export type AudienceRecipients = { readonly audienceId: string; readonly userIds?: undefined };

/** Values that a check read, by name. */
export type Evidence = GateVerdict['evidence'];

/** What a send of a template to a user would contain. */
export type RenderedPreview<C extends Channel = Channel> = Pick<
  EmailPreview,
  'status' | 'reason' | 'unresolved' | 'warnings'
> & { readonly content: ContentOf[C] | null };

/** Previews of all channels, named as in template routes. */
export type SendPreviews = {
  readonly [C in Channel]: { readonly fields: object; readonly preview: RenderedPreview<C> };
};
