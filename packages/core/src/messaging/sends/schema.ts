import type { Channel, SendClass } from '../../foundation/channel.ts';
import type { RunBudget } from '../../people/events/run-budget.ts';

/** Role of a recipient: direct, or copy (email only). */
export const ROLES = ['to', 'cc', 'bcc'] as const;
export type Role = (typeof ROLES)[number];

/** A recipient of a send. */
export type Recipient =
  | {
      readonly kind: 'address';
      readonly address: string;
      readonly name: string | null;
      /** Absent: `to`. */
      readonly role?: Role;
    }
  | { readonly kind: 'user'; readonly userId: string };
export type Recipients = readonly Recipient[];

/** Placeholder for an erased recipient. */
export const ERASED_RECIPIENT = { kind: 'nobody' } as const;
/** Recipients as stored. The list is read by position, so an erased recipient leaves a placeholder. */
export type StoredRecipients = readonly (Recipient | typeof ERASED_RECIPIENT)[];
export const isRecipient = (recipient: StoredRecipients[number]): recipient is Recipient => recipient.kind !== 'nobody';

/** Send statuses in answers. Source: contract, Sends. */
export const SEND_STATUSES = ['queued', 'sending', 'sent', 'suppressed', 'failed', 'cancelled'] as const;
export type SendStatus = (typeof SEND_STATUSES)[number];

/** Message statuses in answers. Source: contract, Message. */
export const MESSAGE_STATUSES = [
  'queued',
  'deferred',
  'sending',
  'sent',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'cancelled',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Suppression reasons that this version uses. Source: contract, Message. */
export const SUPPRESSION_REASONS = [
  'no_address',
  'no_token',
  'token_inactive',
  'bounced_address',
  'complained_address',
  'sms_stopped',
  'unsubscribed',
  'locale_unsupported',
  'duplicate',
  'empty_body',
  'frequency_cap',
  'quiet_hours',
] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** `reason` of a queued message that waits because its provider rejects the credentials. */
export const HELD = 'held' as const;
/** `reason` of a queued message that waits because no provider of its channel responds. */
export const UNREACHABLE = 'unreachable' as const;
/** Permanent address states reported by providers. Source: transports, Ports and outcomes. */
export const ADDRESS_REASONS = ['dead', 'bounced', 'opted_out'] as const;
/** `reason` of a message: why it was suppressed, why it waits, or the state of its address. */
export const MESSAGE_REASONS = [...SUPPRESSION_REASONS, HELD, UNREACHABLE, ...ADDRESS_REASONS] as const;
export type MessageReason = (typeof MESSAGE_REASONS)[number];

/** Why a message cannot be rendered; it is `failed` with this code. */
export const RENDER_FAILURES = ['content_missing', 'too_large', 'too_many_segments', 'unsafe_url'] as const;
export type RenderFailure = (typeof RENDER_FAILURES)[number];

/** Origin of a send. */
export const SEND_SOURCES = ['api', 'workflow', 'audience', 'auth'] as const;
export type SendSource = (typeof SEND_SOURCES)[number];

/** A requested send, independent of the channel. */
export type SendRequest = {
  readonly channel: Channel;
  readonly source: SendSource;
  readonly class: SendClass;
  /** Title in lists, for example an email's subject, before rendering. */
  readonly title: string | null;
  /** Content for the channel's renderer; the channel has checked and normalised it. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Template scopes besides the recipient's own, such as `{ event }`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Empty for an audience. */
  readonly recipients: Recipients;
  /** Audience whose members at expansion are the recipients; absent or null: `recipients`. */
  readonly audienceId?: string | null;
  /** Subscription topic; null: none. */
  readonly category?: string | null;
  /** A/B test of the same channel and scope that chooses the variant of each message; absent or null: none. */
  readonly abTestId?: string | null;
  /** Labels of the caller; at most 10. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Stored template of the content, and its version; absent: none. */
  readonly templateId?: string;
  readonly templateVersion?: number;
  /** Earliest start; absent, null or past: now. Acceptance checks that it is at most a year ahead. */
  readonly scheduledFor?: Date | null;
  /**
   * Email only: the send was already counted against the organization's emails per minute; absent: it is counted at
   * handover.
   */
  readonly hasMailPermit?: boolean;
  /** Nothing is written; the answer is a dry run. */
  readonly isDryRun?: boolean;
  /** Warnings for the answer: ignored keys, unresolved template tags. */
  readonly warnings?: readonly string[];
  /** Fields that the channel adds to the answer, such as `segments` and `encoding`. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** Id of the send; absent: a new one. */
  readonly id?: string;
  /** Values for rendering, sealed for this id: see deliver/sealed.ts. Absent: none. */
  readonly sealed?: string;
  /** Both or neither: a step of a run sends once. */
  readonly workflowRunId?: string;
  readonly stepPath?: string;
  /** Cause depth of the raised events: one more than that of the run; absent: 0. */
  readonly depth?: number;
  /** Run budget of the raised events: a share of the run's; absent: nothing in Beckon caused the send. */
  readonly budget?: RunBudget;
};

/** End of a send without recipients: `suppressed` with this `errorCode`. Source: contract, Sends. */
export const NO_RECIPIENTS = { errorCode: 'no_recipients' } as const;

/** Maximum recipients that acceptance expands; the worker expands larger sends. Chosen: one small transaction. */
export const MAX_INLINE = 100;
/** Maximum addresses of those recipients; one user may have thousands of tokens. Chosen: one small transaction. */
export const MAX_INLINE_ADDRESSES = 500;
/** Maximum recipients per expansion transaction. Chosen: takes far less time than a lease. */
export const CHUNK = 1_000;
/** Maximum addresses of those recipients. Chosen: as above. */
export const CHUNK_ADDRESSES = 2_000;
/** How far ahead a send may be scheduled, in milliseconds. Source: contract, Sends (a year). */
export const MAX_AHEAD_MS = 366 * 86_400_000;
/** How long a message is tried or held before it ends, in milliseconds. Chosen: three days. */
export const MAX_AGE_MS = 3 * 86_400_000;

/** Names of the work queues; also the topics of their wake signals. */
export const MESSAGES_QUEUE = 'messages';
export const SENDS_QUEUE = 'sends';
