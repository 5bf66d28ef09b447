import type { ListQuery, Page } from '../primitives/page.ts';
import type { Environment, Scope } from '../primitives/scope.ts';
import type {
  MessageReason,
  MessageStatus,
  RenderFailure,
  Role,
  SendSource,
  SendStatus,
  SuppressionReason,
} from '../sending/schema.ts';
import type { ChannelSettings, SharedSettings } from '../settings/schema.ts';
import type { PostgresClient } from '../storage/postgres/host.ts';
import type { ApnsEnvironment, Platform } from '../transports/port.ts';
import type { CallbackStates } from './callbacks.ts';
import type { MessageExplanation } from './explanation.ts';
import type {
  DeviceInput,
  EmailAudienceInput,
  EmailInput,
  ProviderOf,
  PushAudienceInput,
  PushDeliveredInput,
  PushInput,
  PushOpenInput,
  SettingsInput,
  SmsAudienceInput,
  SmsInput,
} from './input.ts';
import type { SandboxContent } from './outbox.ts';

export type Channel = 'push' | 'email' | 'sms';
export const CHANNELS = ['push', 'email', 'sms'] as const satisfies readonly Channel[];
/** What a send is for. Source: contract, Sends. */
export const SEND_CLASSES = ['marketing', 'transactional'] as const;
export type SendClass = (typeof SEND_CLASSES)[number];

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
/** Messages that ended, by a name that they have in common. */
export type ByName<Name extends string> = Readonly<
  Partial<Record<Name, { readonly sent: number; readonly failed: number }>>
>;
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
/**
 * Shares are of what ended as sent or failed and of what failed and is tried again; a failure rate of 5 % is `degraded`,
 * of 50 % `failing`.
 */
export type DeliveryHealth = {
  readonly windowMinutes: number;
  readonly sent: number;
  /** Messages whose last attempt failed: those that ended with it, and those that are tried again. */
  readonly failed: number;
  /** How many of `failed` are tried again. */
  readonly retrying: number;
  /** 0 to 1; 0 where nothing was tried. */
  readonly failureRate: number;
  /** By `errorCode` of the messages, which providers have many of; `unknown` where there was none. */
  readonly byReason: Readonly<Record<string, number>>;
  readonly byPlatform: ByName<Platform>;
  readonly byProvider: ByName<Provider | 'sandbox'>;
  readonly tokensInvalidated: number;
  readonly oldestQueuedAgeSeconds: number;
  /** Of providers that refuse their credentials, or do not answer where another one can: nothing goes before `until`. */
  readonly openCircuits: readonly { readonly provider: NamedProvider; readonly until: Date; readonly code: string }[];
  readonly status: 'ok' | 'degraded' | 'failing';
};
/** The providers of all channels. */
export type Provider = ProviderOf<Channel>;
/** A provider, or the name that a host program gave its own transport. */
export type NamedProvider = Provider | (string & {});
/** Credentials of one provider as they are shown: what they are called, never what they are. */
export type ProviderState = {
  readonly provider: NamedProvider;
  readonly configured: boolean;
  /** The end of an id that tells credentials apart; null where there are none. */
  readonly lastFour: string | null;
  /** When the provider last accepted something with them. */
  readonly provenAt: Date | null;
  readonly updatedAt: Date | null;
  /** Raised by every change. */
  readonly version: number | null;
};
/** `ok` null: this provider cannot be asked without a recipient. `sandbox`: the environment is `test`. */
export type ProviderTest = {
  readonly provider: NamedProvider | 'sandbox';
  readonly ok: boolean | null;
  readonly code: string | null;
  readonly message: string | null;
};
export type ProviderStates<C extends Channel> = { readonly [P in ProviderOf<C>]: ProviderState };
/** Of a channel: what all channels share, what is its own, and its providers, those that are not configured among them. */
export type Settings<C extends Channel> = ProviderStates<C> & SharedSettings & ChannelSettings[C] & CallbackStates<C>;
/** What a channel of a scope is set to. Credentials are written and never read back. */
export type SettingsApi = {
  get<C extends Channel>(scope: Scope, channel: C): Promise<Settings<C>>;
  /**
   * Merges by key; null removes a provider's credentials, and gives any other value its default. In use in every
   * process within 10 s. Throws VALIDATION_ERROR, also for unknown keys.
   */
  put<C extends Channel>(scope: Scope, channel: C, body: SettingsInput<C>): Promise<Settings<C>>;
  /** Asks the configured providers whether they take the credentials. Throws PROVIDER_NOT_CONFIGURED. */
  test(scope: Scope, channel: Channel): Promise<{ readonly results: readonly ProviderTest[] }>;
};

/**
 * What an adapter over another protocol, such as @beckon/http, says of a request that named itself there. A host program
 * needs none of it.
 */
export type AdapterRequest = {
  /** What is asked for in that protocol, such as `POST /email/send`; keys of two operations are two keys. */
  readonly operation: string;
  /** SHA-256 as hex over what the protocol calls the request. */
  readonly bodyHash: string;
  /** Told where the answer is the first one again. */
  onReplayed(): void;
};
/** How a call is made safe to repeat. */
export type IdempotencyOptions = {
  /**
   * The caller's own name for what it asks: 1 to 256 characters, such as `order-17`. It is kept for 24 h per scope and
   * operation with the answer, which is written in the transaction of what the call creates; the same body is answered
   * the same again. What is thrown is not kept.
   *
   * Throws VALIDATION_ERROR `idempotency_mismatch` for another body (compared as JSON, whatever the order of its keys),
   * CONFLICT `idempotency_in_progress` while the first call still runs, for at most 30 s.
   */
  readonly idempotencyKey?: string | undefined;
  /** For adapters alone. */
  readonly adapter?: AdapterRequest | undefined;
};

/** How a call takes part in a transaction of the host's own, so that both are one commit. */
export type JoinOptions = {
  /**
   * A connection of node-postgres (`pg.PoolClient`) on which the host has begun a transaction in Beckon's own database.
   * The call is answered when its statements are done; it is on disk, and the worker is woken, with the host's COMMIT. Of
   * a transaction that is rolled back, or whose process dies before, nothing is left. Until the answer the host leaves
   * the connection alone; whoever writes about the same person waits for its end, so it should be short. An idempotency
   * key is then kept with the host's transaction, too.
   *
   * Throws TypeError on SQLite and for a client that is not in a transaction; CONFLICT `transaction_conflict` where the
   * transaction lost a race that a savepoint cannot undo (roll it back and run it again), OVERLOADED where others
   * changed the same person five times meanwhile, LOCK_TIMEOUT by the host's own `lock_timeout`. After each of these the
   * transaction is as it was before the call.
   */
  readonly client?: PostgresClient | undefined;
};
/** What a caller may say of a send besides its body. */
export type SendOptions = IdempotencyOptions & JoinOptions;
/** The request for a link of a mail, as far as it tells programs from people. */
export type LinkRequest = { readonly method?: string | undefined; readonly userAgent?: string | undefined };
export type EmailApi = {
  /**
   * Accepts a mail: on disk when it resolves, with its messages where it has at most 100 recipients and is for now; the
   * worker makes those of others. With `dryRun` nothing is written. Throws VALIDATION_ERROR, PROVIDER_NOT_CONFIGURED
   * (nothing written), and what its options say.
   */
  send(scope: Scope, body: EmailInput, options?: SendOptions): Promise<Send | DryRun>;
  /**
   * The same to an audience alone. The worker makes the messages, for whoever is a member while it makes the part that they
   * stand in, by their ids: who joins behind that is not reached.
   */
  sendToAudience(scope: Scope, body: EmailAudienceInput, options?: SendOptions): Promise<Send | DryRun>;
  /**
   * Somebody opened a mail: `token` is of the address of its pixel. Resolves for whatever it is given, and for a
   * database that is away, within 2 s.
   */
  trackOpen(token: string, by?: LinkRequest): Promise<void>;
  /**
   * Somebody follows a link of a mail: where it leads, an http or https URL of ASCII characters. The click is recorded
   * before that, unless `isRecorded` is false or the database is away for 2 s. Throws NOT_FOUND for a token that is not
   * of such a link.
   */
  trackClick(
    token: string,
    options?: LinkRequest & { readonly isRecorded?: boolean | undefined },
  ): Promise<{ readonly url: string }>;
};

/** What a text takes; both null where it has variables and nothing of it was rendered yet. */
export type SmsFacts = {
  readonly segments: number | null;
  readonly encoding: 'GSM-7' | 'UCS-2' | null;
};
export type SmsApi = {
  /** Throws as `email.send`. With `dryRun` the facts of a text with variables are those of its first message. */
  send(scope: Scope, body: SmsInput, options?: SendOptions): Promise<(Send | DryRun) & SmsFacts>;
  /** As `EmailApi.sendToAudience`. */
  sendToAudience(scope: Scope, body: SmsAudienceInput, options?: SendOptions): Promise<(Send | DryRun) & SmsFacts>;
};

/** A device that can be reached by push. */
export type PushToken = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly platform: Platform;
  /** Of a browser: the JSON of its subscription. */
  readonly token: string;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly appVersion: string | null;
  /** Which APNs host knows the token; null: not known yet, or not iOS. */
  readonly apnsEnvironment: ApnsEnvironment | null;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
export type TokensApi = {
  /**
   * A device is one row per org: registered again, it keeps `id` and `isActive`, and moves to this project and
   * environment. Fields that the body leaves out are kept; null unsets. Throws VALIDATION_ERROR.
   */
  register(scope: Scope, body: DeviceInput): Promise<{ readonly token: PushToken; readonly isNew: boolean }>;
  /** Makes the token inactive. Idempotent. Throws NOT_FOUND. */
  remove(scope: Scope, id: string): Promise<PushToken>;
  /** What a browser needs to subscribe; in `test` a key of the sandbox. Throws PROVIDER_NOT_CONFIGURED. */
  webConfig(scope: Scope): Promise<{ readonly vapidPublicKey: string }>;
};

export type PushApi = {
  /** Promises and throws as `EmailApi.send`. */
  send(scope: Scope, body: PushInput, options?: SendOptions): Promise<Send | DryRun>;
  /** As `EmailApi.sendToAudience`. */
  sendToAudience(scope: Scope, body: PushAudienceInput, options?: SendOptions): Promise<Send | DryRun>;
  /** A device reports that its user opened or clicked a push. Throws VALIDATION_ERROR, NOT_FOUND. */
  trackOpen(scope: Scope, body: PushOpenInput): Promise<{ readonly accepted: true }>;
  /** A device reports that it showed a push. Throws as `trackOpen`. */
  trackDelivered(scope: Scope, body: PushDeliveredInput): Promise<{ readonly accepted: true }>;
};
