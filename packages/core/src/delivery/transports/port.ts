import type { ApnsEnvironment, Platform } from '../../foundation/device-platform.ts';

/** Delivery report that the sandbox simulates after a message was accepted. */
export type SimulatedReport = 'delivered' | 'bounced' | 'complained' | 'failed';

/** Outcome of one attempt to hand over a message. Every legitimate answer of an outside system is a value. */
export type SendOutcome =
  | {
      readonly result: 'accepted';
      readonly providerId: string | null;
      readonly segments?: number;
      /** APNs only: the host that accepted the message, stored in the token's row. */
      readonly apnsEnvironment?: ApnsEnvironment;
      /** Sandbox only: the report that follows later. */
      readonly simulated?: SimulatedReport;
    }
  | {
      readonly result: 'retry';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs?: number;
      /** `no`: the provider provably did not process the message. */
      readonly processed: 'no' | 'unknown';
      /**
       * The provider reported in its own protocol that it serves nobody at the moment; treated like no answer. Absent:
       * it did not.
       */
      readonly isDown?: true;
    }
  | {
      readonly result: 'failed';
      readonly code: string;
      readonly message: string;
      readonly address?: 'dead' | 'bounced' | 'opted_out';
      /** SMS opt-out: the sender that the number rejects; absent: unknown, so all senders. */
      readonly sender?: string;
      readonly deadSince?: Date;
    }
  | { readonly result: 'credential'; readonly code: string; readonly message: string; readonly retryAfterMs?: number };

/** A problem with one setting. `field` is its name; `message` is a sentence that never holds the value. */
export type SettingsProblem = { readonly field: string; readonly message: string };

/** `attempt` counts from 1. When `signal` is aborted the transport answers within 100 ms. */
export type SendContext = { readonly signal: AbortSignal; readonly attempt: number };

/** The part of a transport that sends messages. */
export type LiveTransport<M> = {
  /** `smtp`, `sandbox`, ... */
  readonly name: string;
  /** Maximum concurrent calls per credential. The transport enforces this cap itself as well. */
  readonly maxInFlight: number;
  /**
   * Calls worth starting at once, 1 to `maxInFlight`; absent: `maxInFlight`. More calls would queue inside the
   * transport, which counts against their time limit, and those that time out at the provider are sent again.
   */
  currentCapacity?(): number;
  /** Sends one message to one address. Never throws for anything that a provider or a network can do. */
  send(message: M, context: SendContext): Promise<SendOutcome>;
  /** Refuses new calls, waits for those under way, then closes. Idempotent. */
  close(): Promise<void>;
};

/**
 * The port to one outside provider of one channel. Construction does no I/O. `code` and `message` of an outcome never
 * hold a body, an address or a secret.
 */
export type Transport<M, S> = LiveTransport<M> & {
  /** Pure: checks shape, key type and sizes; no network. */
  check(settings: S): readonly SettingsProblem[];
  /** A live test without a recipient. */
  probe?(settings: S): Promise<SendOutcome>;
};

/** A transport of the host program. It holds its own configuration, so there are no settings. */
export type HostTransport<M> = LiveTransport<M> & {
  /** A live test without a recipient. */
  probe?(): Promise<SendOutcome>;
};

/** An address and its display name. Checked: neither holds a line break or a control character. */
export type Mailbox = { readonly email: string; readonly name: string | null };

/** An attachment. Checked: no field holds a line break. */
export type Attachment = {
  readonly filename: string;
  /** `type/subtype`, without parameters. */
  readonly contentType: string;
  /** Base64. */
  readonly content: string;
  /** Content id for `cid:` URLs in the HTML; null: not shown inline. */
  readonly cid: string | null;
};

/** One fully rendered mail to one recipient. */
export type EmailMessage = {
  /** Id of the message row; the same for all attempts. */
  readonly messageId: string;
  readonly sendId: string;
  /** Bare addresses: one sender, one recipient. */
  readonly envelope: { readonly from: string; readonly to: string };
  readonly from: Mailbox;
  /** The `To` header. For a copy it differs from the envelope's recipient. */
  readonly to: Mailbox;
  readonly cc: readonly Mailbox[];
  readonly replyTo: Mailbox | null;
  readonly subject: string;
  /** At least one of `text` and `html` is set. */
  readonly text: string | null;
  readonly html: string | null;
  /** Includes `Message-ID` and `X-Service-Send-Id`; names are unique, ignoring case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly Attachment[];
};

/** An email transport with settings of type `S`. */
export type EmailTransport<S = unknown> = Transport<EmailMessage, S>;

export type PushAction = {
  readonly id: string;
  readonly title: string;
  readonly url?: string;
  readonly icon?: string;
};

/** Content of a push to an iOS Live Activity. Dates are unix seconds. */
export type LiveActivityPush = {
  readonly event: 'start' | 'update' | 'end';
  /** Increases with each push to one activity: devices ignore older ones. */
  readonly timestamp: number;
  /** Decoded by the app's own type. */
  readonly contentState: Readonly<Record<string, unknown>> | null;
  readonly staleDate: number | null;
  readonly relevanceScore: number | null;
  readonly alert: { readonly title: string; readonly body: string; readonly sound?: string | undefined } | null;
  readonly dismissalDate: number | null;
  /** Start only: the app's type and the constant attributes of the activity. */
  readonly attributesType: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly priority: 5 | 10;
};

/** One fully rendered push to one device. */
export type PushMessage = {
  /** Id of the message row, the same for all attempts; `serviceMessageId` in the payload. */
  readonly messageId: string;
  /** `serviceSendId` in the payload. */
  readonly sendId: string;
  readonly platform: Platform;
  /** Hex token, registration token, or the JSON of a browser's PushSubscription. */
  readonly token: string;
  /** Null: unknown; iOS only. */
  readonly apnsEnvironment: ApnsEnvironment | null;
  readonly title: string | null;
  readonly body: string | null;
  /** The caller's `data` with variables filled in; `pushData` adds the two service keys. */
  readonly data: Readonly<Record<string, unknown>>;
  /** At most 4. */
  readonly actions: readonly PushAction[];
  readonly criticalAlert: { readonly soundName: string; readonly volumeRatio: number } | null;
  readonly interruptionLevel: 'passive' | 'active' | 'time-sensitive' | 'critical' | null;
  readonly collapseKey: string | null;
  readonly threadId: string | null;
  readonly ttlSeconds: number;
  readonly priority: 'high' | 'normal';
  readonly badge: number | null;
  readonly sound: string | null;
  readonly imageUrl: string | null;
  /** Set for a push to a Live Activity, which shows nothing else; absent: an ordinary push. */
  readonly liveActivity?: LiveActivityPush | undefined;
  /** The time of handover, for expiry headers. */
  readonly now: Date;
};

/** Replacement key on the device: a push replaces another with the same key, including its own duplicate. */
export const replacementKey = ({ collapseKey, messageId }: PushMessage): string => collapseKey ?? messageId;

/** The `data` of a payload: the two keys of the service overwrite a caller's. Source: interface, Push template. */
export const pushData = (message: PushMessage): Record<string, unknown> => ({
  ...message.data,
  ...(message.actions.length > 0 ? { actions: message.actions } : {}),
  serviceSendId: message.sendId,
  serviceMessageId: message.messageId,
});

export type PushTransport<S = unknown> = Transport<PushMessage, S>;

/** One fully rendered text message to one number. */
export type SmsMessage = {
  readonly messageId: string;
  readonly sendId: string;
  /** E.164. */
  readonly to: string;
  /** Exactly one of the two is set, unless the credentials have a default sender. */
  readonly from: string | null;
  readonly messagingServiceId: string | null;
  readonly body: string;
  readonly mediaUrls: readonly string[];
  /** URL for the provider's reports; null: no reports. */
  readonly statusCallback: string | null;
  /** How long the provider may try, in seconds; null: the provider's default. */
  readonly validitySeconds: number | null;
};

export type SmsTransport<S = unknown> = Transport<SmsMessage, S>;

/** The message type of each channel. */
export type MessageOf = { readonly push: PushMessage; readonly email: EmailMessage; readonly sms: SmsMessage };
