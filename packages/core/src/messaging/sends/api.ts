import type { DeliveryHealth } from '../../delivery/providers/answers.generated.ts';
import type { ContentOf } from '../../delivery/transports/sandbox/api.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions, JoinOptions } from '../../platform/idempotency/api.ts';
import type { EmailPreview, ExplainedMessage, GateVerdict, Message, Send } from './answers.generated.ts';
import type { MessageStatus, SendStatus } from './schema.ts';

/** By when a send was accepted, by its status, and those that have a message to a user. */
export type SendQuery = ListQuery & {
  readonly status?: SendStatus | undefined;
  readonly userId?: string | undefined;
};

/** By when a message was made, by its status and its user. */
export type MessageQuery = ListQuery & {
  readonly status?: MessageStatus | undefined;
  readonly userId?: string | undefined;
};

export type SendsApi = {
  /**
   * Newest first. Throws VALIDATION_ERROR for a limit, a cursor, a time or a status that there is not, INVALID_RANGE for
   * a `to` before `from`.
   */
  list(scope: Scope, channel: Channel, query?: SendQuery): Promise<Page<Send>>;
  /** Throws NOT_FOUND, also for another channel's send. */
  get(scope: Scope, channel: Channel, id: string): Promise<Send>;
  /** In the order of the recipients. Throws NOT_FOUND, else as `list`. */
  messages(scope: Scope, channel: Channel, id: string, query?: MessageQuery): Promise<Page<Message>>;
  /**
   * One message, and why it went, waits or did not go: each check in its order with its evidence. Throws NOT_FOUND, also for
   * another channel's message.
   */
  message(scope: Scope, channel: Channel, id: string): Promise<ExplainedMessage>;
  /** Of a send of which nothing was handed over; idempotent. Throws NOT_FOUND, CONFLICT `already_dispatched`. */
  cancel(scope: Scope, channel: Channel, id: string): Promise<Send>;
  /** How the last hour's messages fared. */
  health(scope: Scope, channel: Channel): Promise<DeliveryHealth>;
  /** How fast messages go, by the newest 1,000 of the last hour. */
  throughput(scope: Scope, channel: Channel): Promise<SendThroughput>;
};

/** How fast messages of a channel go. */
export type SendThroughput = {
  /** Over the last 10 seconds. */
  readonly perSecond: number;
  /** By provider: what 95 of 100 messages took at most from when they could go until it had them, in milliseconds. */
  readonly p95Ms: Readonly<Record<string, number>>;
};

/** What a caller may say of a send besides its body. */
export type SendOptions = IdempotencyOptions & JoinOptions;

/**
 * The `send` of a channel. It answers a `Send`; only a body with `dryRun: true` is answered with a `DryRun`. Of a body whose
 * `dryRun` is a boolean that the compiler does not know, the answer is one of the two: `'dryRun' in answer` tells which.
 */
export type SendCall<Input extends object, Accepted, Tried> = {
  (scope: Scope, body: Input & { readonly dryRun?: false | undefined }, options?: SendOptions): Promise<Accepted>;
  (scope: Scope, body: Input & { readonly dryRun: true }, options?: SendOptions): Promise<Tried>;
  (scope: Scope, body: Input, options?: SendOptions): Promise<Accepted | Tried>;
};

/** Recipients that are users, by their ids, at most 1,000. */
export type UserRecipients = { readonly userIds: readonly string[]; readonly audienceId?: undefined };
/** Recipients that are the members of an audience while a worker makes the messages. */
export type AudienceRecipients = { readonly audienceId: string; readonly userIds?: undefined };

/** Values that a check read, by their names. */
export type Evidence = GateVerdict['evidence'];

/** What a send of a template would be for a user. */
export type RenderedPreview<C extends Channel = Channel> = Pick<
  EmailPreview,
  'status' | 'reason' | 'unresolved' | 'warnings'
> & { readonly content: ContentOf[C] | null };

/** The previews of all channels, as templates name them. */
export type SendPreviews = {
  readonly [C in Channel]: { readonly fields: object; readonly preview: RenderedPreview<C> };
};
