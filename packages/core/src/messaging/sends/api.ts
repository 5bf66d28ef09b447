import type { ByName, DeliveryHealth } from '../../delivery/providers/api.ts';
import type { ContentOf, SandboxContent } from '../../delivery/transports/sandbox/api.ts';
import type { Channel, SendClass } from '../../foundation/channel.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Environment, Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions, JoinOptions } from '../../platform/idempotency/api.ts';
import type { TemplateWarning } from '../templates/kind.ts';
import type {
  MessageReason,
  MessageStatus,
  RenderFailure,
  Role,
  SendSource,
  SendStatus,
  SuppressionReason,
} from './schema.ts';

/** One accepted request to reach people. Its fields are the same wherever it is answered or listed. */
export type Send = SendFacts &
  (
    | { readonly channel: 'email'; readonly subject: string | null }
    | { readonly channel: 'push' | 'sms'; readonly title: string | null }
  );

type SendFacts = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly status: SendStatus;
  readonly source: SendSource;
  readonly class: SendClass;
  readonly category: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly abTestId: string | null;
  /** Whose members it is for, as they are while a worker makes its messages; null: it names them one by one. */
  readonly audienceId: string | null;
  readonly tokenCount: number;
  readonly workflowRunId: string | null;
  readonly stepPath: string | null;
  /** The stored template that it was made from, and the version of that moment; null: none. */
  readonly templateId: string | null;
  readonly templateVersion: number | null;
  readonly scheduledFor: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly counts: {
    readonly targeted: number;
    readonly queued: number;
    /** Messages that wait for the end of quiet hours; they are not among the queued ones. */
    readonly deferred: number;
    readonly sent: number;
    readonly delivered: number;
    readonly bounced: number;
    readonly failed: number;
    readonly suppressed: number;
    readonly opened: number;
    readonly clicked: number;
    readonly uniqueOpened: number;
    readonly uniqueClicked: number;
    /** Of mail: opens by programs, such as privacy proxies, which no other count has. */
    readonly machineOpened: number;
  };
  /** Null where it was not counted: past 10,000 messages of one send, or of the sends of one page. */
  readonly suppressedByReason: Readonly<Partial<Record<MessageReason, number>>> | null;
  /** As `suppressedByReason`; of push, else empty. */
  readonly byPlatform: ByName<Platform> | null;
  readonly error: string | null;
  /**
   * `no_recipients`, or what its first failed message ended with; while none has, what the last attempt of one failed
   * with that is tried again.
   */
  readonly errorCode: string | null;
  /**
   * Sentences that name the keys of the body that were ignored, and tags of its texts that are not filled in; in the answer
   * to a send only.
   */
  readonly warnings?: readonly string[];
};

/** A send to one address. */
export type Message = {
  readonly id: string;
  readonly sendId: string;
  readonly channel: Channel;
  readonly userId: string | null;
  readonly address: string | null;
  /** Of push: what kind of device; null elsewhere. */
  readonly platform: Platform | null;
  readonly role: Role;
  readonly status: MessageStatus;
  /** Why it was suppressed, why it waits, or what its provider says of the address. */
  readonly reason: MessageReason | null;
  /** A word of the provider's vocabulary (`Unregistered`, `30007`), or of ours (`too_large`). */
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly attempt: number;
  readonly createdAt: Date;
  /** Of a deferred message: when it is judged again; null otherwise. */
  readonly deferredUntil: Date | null;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly openedAt: Date | null;
  readonly clickedAt: Date | null;
  /** What was clicked first: the button of a push, or the URL of a link of a mail. */
  readonly clickAction: string | null;
  /** Of mail: when whoever got it called it spam, and when they unsubscribed by it. */
  /** Of mail: a program has opened it or followed a link of it, which `openedAt` and `clickedAt` leave out. */
  readonly machine: boolean;
  readonly complainedAt: Date | null;
  readonly unsubscribedAt: Date | null;
  /** The key of the variant of its send's A/B test that it was given; null: it has none. */
  readonly variant: string | null;
};

/** A message, and why it went, waits or did not go. */
export type ExplainedMessage = Message & { readonly explanation: MessageExplanation };

/** What a send would be; nothing of it was written. */
export type DryRun = {
  readonly dryRun: true;
  readonly channel: Channel;
  readonly recipients: number;
  /** Messages that would be written, suppressed ones among them. */
  readonly tokenCount: number;
  readonly suppressed: Readonly<Partial<Record<SuppressionReason, number>>>;
  /** The first of them, rendered in full; at most 100. */
  readonly messages: readonly DryRunMessage[];
  readonly warnings?: readonly string[];
};

/** One message of a dry run: what its provider would be given, or why there would be none. */
export type DryRunMessage = { readonly userId: string | null; readonly address: string | null } & (
  | { readonly status: 'queued'; readonly reason: null; readonly content: SandboxContent }
  /** Until its quiet hours are over; then it passes every gate again. */
  | {
      readonly status: 'deferred';
      readonly reason: 'quiet_hours';
      readonly deferredUntil: Date;
      readonly content: SandboxContent;
    }
  | { readonly status: 'suppressed'; readonly reason: SuppressionReason; readonly content: null }
  | {
      readonly status: 'failed';
      readonly reason: RenderFailure | 'provider_not_configured';
      readonly content: null;
    }
);

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
   * One message, and why it went, waits or did not go: each gate in its order and what it saw. Throws NOT_FOUND, also for
   * another channel's message.
   */
  message(scope: Scope, channel: Channel, id: string): Promise<ExplainedMessage>;
  /** Of a send of which nothing was handed over; idempotent. Throws NOT_FOUND, CONFLICT `already_dispatched`. */
  cancel(scope: Scope, channel: Channel, id: string): Promise<Send>;
  /** How the last hour's messages fared. */
  health(scope: Scope, channel: Channel): Promise<DeliveryHealth>;
  /** How fast messages go, by the newest 1,000 of the last hour. */
  pace(scope: Scope, channel: Channel): Promise<SendPace>;
};

/** How fast messages of a channel go. */
export type SendPace = {
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

/** What a gate looked at, by names of its own. */
export type Saw = Readonly<Record<string, string | number | boolean | null>>;

/** What one gate says of one message. */
export type GateVerdict = {
  /** `send_open`, `not_ambiguous`, `attempts_left`, `address_usable`, `provider_configured`, `quiet_hours`, `rendering`, ... */
  readonly gate: string;
  /** `not_reached`: another one stopped the message before; `unknown`: nothing was kept that would tell. */
  readonly verdict: 'pass' | 'suppressed' | 'deferred' | 'cancelled' | 'failed' | 'not_reached' | 'unknown';
  readonly reason?: MessageReason | null;
  readonly errorCode?: string | null;
  readonly error?: string | null;
  readonly deferredUntil?: Date;
  /** Of a message that has ended, as much as its row keeps. */
  readonly saw: Saw;
};

/** Why a message went, waits or did not go; worked out when it is asked for. */
export type MessageExplanation = {
  /**
   * What the verdicts speak of: `made`, it was suppressed as it was accepted; `ended`, told from what its row keeps; `now`,
   * it is open, and what a worker finds may differ.
   */
  readonly judged: 'made' | 'ended' | 'now';
  /**
   * The gate that stops it, or `provider`, which refused it or could not be reached, or `worker`, which gave it up; null:
   * nothing does.
   */
  readonly stoppedBy: string | null;
  /**
   * Of an open message, what it waits for: a `worker` that takes it up, the `answer` of the provider that has it, a `retry`
   * after an attempt that failed, `credentials` that its provider takes, a `provider` that answers, `capacity` of the
   * provider, or the `moment` that it was deferred to. Null: it has ended.
   */
  readonly waits: {
    readonly for: 'worker' | 'answer' | 'retry' | 'credentials' | 'provider' | 'capacity' | 'moment';
    /** When it is taken up again; null: as soon as somebody does. */
    readonly until: Date | null;
  } | null;
  /** In the order in which they are asked. */
  readonly gates: readonly GateVerdict[];
};

/** What a send of a template would be for somebody. */
export type RenderedPreview<C extends Channel = Channel> = {
  /** What would become of a message: `suppressed` and `failed` say why in `reason`. */
  readonly status: DryRunMessage['status'];
  readonly reason: Exclude<DryRunMessage['reason'], 'provider_not_configured'>;
  /** As it would be handed over, also for somebody without an address; null where there is nothing to show. */
  readonly content: ContentOf[C] | null;
  /** Variables of what is shown that have no value here and no default, so nothing stands in their place. */
  readonly unresolved: readonly string[];
  readonly warnings: readonly TemplateWarning[];
};

/** The previews of all channels, as templates name them. */
export type SendPreviews = {
  readonly [C in Channel]: { readonly fields: object; readonly preview: RenderedPreview<C> };
};
