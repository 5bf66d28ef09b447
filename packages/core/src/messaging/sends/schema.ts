import type { Channel, SendClass } from '../../foundation/channel.ts';
import type { RunBudget } from '../../people/events/run-budget.ts';

/** How a message stands to its send: who is meant, or, of mail, who gets a copy. */
export const ROLES = ['to', 'cc', 'bcc'] as const;
export type Role = (typeof ROLES)[number];

/** One whom a send is for. */
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

/** The place of somebody who was erased. */
export const NOBODY = { kind: 'nobody' } as const;
/** Recipients as a send keeps them: places are counted, so nobody's place stays. */
export type Places = readonly (Recipient | typeof NOBODY)[];
export const isSomebody = (place: Places[number]): place is Recipient => place.kind !== 'nobody';

/** Statuses of a send on the wire. Source: contract, Sends. */
export const SEND_STATUSES = ['queued', 'sending', 'sent', 'suppressed', 'failed', 'cancelled'] as const;
export type SendStatus = (typeof SEND_STATUSES)[number];

/** Statuses of a message on the wire. Source: contract, Message. */
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

/** Why a message was suppressed; those of the contract's that this version gives. Source: contract, Message. */
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

/** `reason` of a queued message that waits because its provider refuses the credentials. */
export const PARKED = 'held' as const;
/** `reason` of a queued message that waits because no provider of its channel answers. */
export const UNREACHABLE = 'unreachable' as const;
/** What a provider says of an address for good. Source: transports, Ports and outcomes. */
export const ADDRESS_REASONS = ['dead', 'bounced', 'opted_out'] as const;
/** `reason` of a message: why it was suppressed, why it waits, or what became of its address. */
export const MESSAGE_REASONS = [...SUPPRESSION_REASONS, PARKED, UNREACHABLE, ...ADDRESS_REASONS] as const;
export type MessageReason = (typeof MESSAGE_REASONS)[number];

/** Why a message cannot be rendered; it is `failed` with this code. */
export const RENDER_FAILURES = ['content_missing', 'too_large', 'too_many_segments', 'unsafe_url'] as const;
export type RenderFailure = (typeof RENDER_FAILURES)[number];

/** Who asked for a send. */
export const SEND_SOURCES = ['api', 'workflow', 'audience', 'auth'] as const;
export type SendSource = (typeof SEND_SOURCES)[number];

/** A send that was asked for, in no channel's own words. */
export type SendRequest = {
  readonly channel: Channel;
  readonly source: SendSource;
  readonly class: SendClass;
  /** What lists show: the subject of a mail, as it was given. */
  readonly title: string | null;
  /** What the channel renders, checked and made storable by it. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Template scopes besides the recipient's own, such as `{ event }`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Empty where it is for an audience. */
  readonly recipients: Recipients;
  /** Whoever is a member as the send is expanded; absent or null: the recipients. */
  readonly audienceId?: string | null;
  /** Subscription topic; null: none. */
  readonly category?: string | null;
  /** Of the channel and the scope: which variant each message says. */
  readonly abTestId?: string | null;
  /** The caller's own labels; at most 10. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The stored template that it was made from, and which version of it; absent: none. */
  readonly templateId?: string;
  readonly templateVersion?: number;
  /** Not before this moment; absent, null or past: now. At most a year ahead, which acceptance sees to. */
  readonly scheduledFor?: Date | null;
  /** Of mail: it has its place among the mails that its org may ask for in a minute; absent: it takes one as it goes. */
  readonly hasMailPermit?: boolean;
  /** Nothing is written; the answer is what would be sent. */
  readonly isDryRun?: boolean;
  /** Sentences for the answer: keys that were ignored, and tags of texts that are not filled in. */
  readonly warnings?: readonly string[];
  /** What the channel adds to the answer, such as `segments` and `encoding`. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** Id of the send; absent: a new one. */
  readonly id?: string;
  /** Values for rendering, sealed for this id: see deliver/sealed.ts. Absent: none. */
  readonly sealed?: string;
  /** Both or neither: a step of a run sends once. */
  readonly workflowRunId?: string;
  readonly stepPath?: string;
  /** Of the events that it raises: one more than the run that sends it; absent: 0. */
  readonly depth?: number;
  /** What they may spend on runs: the share of that run; absent: nothing in this service caused them. */
  readonly budget?: RunBudget;
};

/** What becomes of a send that is for nobody: it is `suppressed` with this `errorCode`. Source: contract, Sends. */
export const NO_RECIPIENTS = { errorCode: 'no_recipients' } as const;

/** Recipients that become messages on acceptance; more are expanded by the worker. Ours: one small transaction. */
export const MAX_INLINE = 100;
/** Addresses of those recipients; a person may have thousands of tokens. Ours. */
export const MAX_INLINE_ADDRESSES = 500;
/** Recipients that become messages in one transaction of the worker. Ours: far below the limit of a lease. */
export const CHUNK = 1_000;
/** Addresses of those recipients. Ours: as above. */
export const CHUNK_ADDRESSES = 2_000;
/** How far ahead a send may be scheduled, in milliseconds. Source: contract, Sends (a year). */
export const MAX_AHEAD_MS = 366 * 86_400_000;
/** How long a message is tried or parked before it ends, in milliseconds; ours: three days. */
export const MAX_AGE_MS = 3 * 86_400_000;

/** Names of the work queues; also the topics that wake them. */
export const MESSAGES_QUEUE = 'messages';
export const SENDS_QUEUE = 'sends';
