import type { ApnsEnvironment, Platform } from '../../foundation/device-platform.ts';

/** What a provider says of a message some time after it took it, as the sandbox plays it. */
export type SimulatedReport = 'delivered' | 'bounced' | 'complained' | 'failed';

/** What came of one attempt to hand a message over. What an outside system may legitimately answer is a value. */
export type SendOutcome =
  | {
      readonly result: 'accepted';
      readonly providerId: string | null;
      readonly segments?: number;
      /** APNs only: the host that took it, for the token's row to keep. */
      readonly apnsEnvironment?: ApnsEnvironment;
      /** The sandbox only: what a provider would report of the message later. */
      readonly simulated?: SimulatedReport;
    }
  | {
      readonly result: 'retry';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs?: number;
      /** `no`: the other side provably did nothing with it. */
      readonly processed: 'no' | 'unknown';
      /** It says that it serves nobody at the moment, in words of its own: as good as no answer. Absent: it does not. */
      readonly isDown?: true;
    }
  | {
      readonly result: 'failed';
      readonly code: string;
      readonly message: string;
      readonly address?: 'dead' | 'bounced' | 'opted_out';
      /** Of a number that opted out: the sender that it wants no more from; absent: not known, so all. */
      readonly sender?: string;
      readonly deadSince?: Date;
    }
  | { readonly result: 'credential'; readonly code: string; readonly message: string; readonly retryAfterMs?: number };

/** What is wrong with one setting; `field` is its name, `message` a sentence that never holds the value. */
export type SettingsProblem = { readonly field: string; readonly message: string };

/** `attempt` counts from 1. When `signal` is aborted the transport answers within 100 ms. */
export type SendContext = { readonly signal: AbortSignal; readonly attempt: number };

/** The part of a transport that messages go through. */
export type LiveTransport<M> = {
  /** `smtp`, `sandbox`, ... */
  readonly name: string;
  /** Calls at once per credential. The transport holds this cap for itself as well. */
  readonly maxInFlight: number;
  /**
   * How many calls are worth beginning at once as far as is known, 1 to `maxInFlight`; absent: all. More would wait
   * inside for long, which counts against their time, and those that the provider has when it is over are sent again.
   */
  currentCapacity?(): number;
  /** One message to one address. Never throws for anything that a provider or a network can do. */
  send(message: M, context: SendContext): Promise<SendOutcome>;
  /** Refuses what comes from now on, lets what is under way finish, closes. Idempotent. */
  close(): Promise<void>;
};

/**
 * The port to one outside provider of one channel. Construction does no I/O. `code` and `message` of an outcome never
 * hold a body, an address or a secret.
 */
export type Transport<M, S> = LiveTransport<M> & {
  /** Pure: shape, key type, sizes; no network. */
  check(settings: S): readonly SettingsProblem[];
  /** A live test without a recipient. */
  probe?(settings: S): Promise<SendOutcome>;
};

/** A transport of the host program: what it needs to know it knows, so there are no settings. */
export type HostTransport<M> = LiveTransport<M> & {
  /** A live test without a recipient. */
  probe?(): Promise<SendOutcome>;
};

/** One address and the name shown with it. Checked: neither holds a line break or a control character. */
export type Mailbox = { readonly email: string; readonly name: string | null };

/** A file that comes with a mail. Checked: no field holds a line break. */
export type Attachment = {
  readonly filename: string;
  /** `type/subtype`, without parameters. */
  readonly contentType: string;
  /** Base64. */
  readonly content: string;
  /** What `cid:` URLs of the HTML call it; null: nothing shows it. */
  readonly cid: string | null;
};

/** One mail to one recipient, rendered in full. */
export type EmailMessage = {
  /** Id of the message row: stable over all attempts. */
  readonly messageId: string;
  readonly sendId: string;
  /** Bare addresses: one sender, one recipient. */
  readonly envelope: { readonly from: string; readonly to: string };
  readonly from: Mailbox;
  /** Of the header: of a copy not the one whom the envelope names. */
  readonly to: Mailbox;
  readonly cc: readonly Mailbox[];
  readonly replyTo: Mailbox | null;
  readonly subject: string;
  /** At least one of `text` and `html` is there. */
  readonly text: string | null;
  readonly html: string | null;
  /** `Message-ID` and `X-Service-Send-Id` among them; names are unique whatever their case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly Attachment[];
};

/** A transport of mail with settings of kind `S`. */
export type EmailTransport<S = unknown> = Transport<EmailMessage, S>;

export type PushAction = {
  readonly id: string;
  readonly title: string;
  readonly url?: string;
  readonly icon?: string;
};

/** What a push tells a live activity of iOS. Dates are unix seconds. */
export type LiveActivityPush = {
  readonly event: 'start' | 'update' | 'end';
  /** Grows with each push to one activity: devices leave out what is not newer. */
  readonly timestamp: number;
  /** What the app's own type decodes. */
  readonly contentState: Readonly<Record<string, unknown>> | null;
  readonly staleDate: number | null;
  readonly relevanceScore: number | null;
  readonly alert: { readonly title: string; readonly body: string; readonly sound?: string | undefined } | null;
  readonly dismissalDate: number | null;
  /** Of a start: the app's type, and what never changes of the activity. */
  readonly attributesType: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly priority: 5 | 10;
};

/** One push to one device, rendered in full. */
export type PushMessage = {
  /** Id of the message row: stable over all attempts; `serviceMessageId` in the payload. */
  readonly messageId: string;
  /** `serviceSendId` in the payload. */
  readonly sendId: string;
  readonly platform: Platform;
  /** Hex token, registration token, or the JSON of a browser's PushSubscription. */
  readonly token: string;
  /** Null: not known; iOS only. */
  readonly apnsEnvironment: ApnsEnvironment | null;
  readonly title: string | null;
  readonly body: string | null;
  /** The caller's `data`, variables filled in; the two service keys are added by `pushData`. */
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
  /** It is for a live activity, and nothing else of it is shown; absent: an ordinary push. */
  readonly liveActivity?: LiveActivityPush | undefined;
  /** The moment of hand-over, for expiry headers. */
  readonly now: Date;
};

/** What a device shows a push under: one with the same key replaces it, and so does a second copy of its own. */
export const shownAs = ({ collapseKey, messageId }: PushMessage): string => collapseKey ?? messageId;

/** The `data` of a payload: the two keys of the service overwrite a caller's. Source: interface, Push template. */
export const pushData = (message: PushMessage): Record<string, unknown> => ({
  ...message.data,
  ...(message.actions.length > 0 ? { actions: message.actions } : {}),
  serviceSendId: message.sendId,
  serviceMessageId: message.messageId,
});

export type PushTransport<S = unknown> = Transport<PushMessage, S>;

/** One text message to one number, rendered in full. */
export type SmsMessage = {
  readonly messageId: string;
  readonly sendId: string;
  /** E.164. */
  readonly to: string;
  /** Exactly one of the two is there, unless the credentials name a default. */
  readonly from: string | null;
  readonly messagingServiceId: string | null;
  readonly body: string;
  readonly mediaUrls: readonly string[];
  /** Where the provider reports; null: nowhere. */
  readonly statusCallback: string | null;
  /** How long the provider may try; null: as long as it does by itself. */
  readonly validitySeconds: number | null;
};

export type SmsTransport<S = unknown> = Transport<SmsMessage, S>;

/** What each channel hands to its transports. */
export type MessageOf = { readonly push: PushMessage; readonly email: EmailMessage; readonly sms: SmsMessage };
