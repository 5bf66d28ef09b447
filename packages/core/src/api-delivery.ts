import type { Once } from './idempotency/token.ts';
import type { Page, PageQuery } from './primitives/page.ts';
import type { Environment, Scope } from './primitives/scope.ts';

export type Channel = 'push' | 'email' | 'sms';
export const CHANNELS = ['push', 'email', 'sms'] as const satisfies readonly Channel[];

export type Send = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly channel: Channel;
  readonly status: string;
  readonly source: string;
  readonly class: string;
  readonly title: string | null;
  readonly category: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly tokenCount: number;
  readonly workflowRunId: string | null;
  readonly stepPath: string | null;
  readonly scheduledFor: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly counts: {
    readonly targeted: number;
    readonly queued: number;
    readonly sent: number;
    readonly delivered: number;
    readonly bounced: number;
    readonly failed: number;
    readonly suppressed: number;
    readonly opened: number;
    readonly clicked: number;
    readonly uniqueOpened: number;
    readonly uniqueClicked: number;
  };
  /** Where one send is read that has at most 10,000 messages. */
  readonly suppressedByReason?: Readonly<Record<string, number>>;
  /** As `suppressedByReason`; of push, else empty. */
  readonly byPlatform?: Readonly<Record<string, { readonly sent: number; readonly failed: number }>>;
  readonly error: string | null;
  readonly errorCode: string | null;
  readonly warnings?: readonly string[];
};
export type Message = {
  readonly id: string;
  readonly sendId: string;
  readonly channel: Channel;
  readonly userId: string | null;
  readonly address: string | null;
  /** Of push: what kind of device; null elsewhere. */
  readonly platform: string | null;
  readonly role: string;
  readonly status: string;
  readonly reason: string | null;
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
};
/** What a send would be; nothing of it was written. */
export type DryRun = {
  readonly dryRun: true;
  readonly channel: Channel;
  readonly recipients: number;
  /** Messages that would be written, suppressed ones among them. */
  readonly tokenCount: number;
  readonly suppressed: Readonly<Record<string, number>>;
  /** The first of them, rendered in full; at most 100. */
  readonly messages: readonly {
    readonly userId: string | null;
    readonly address: string | null;
    readonly status: 'queued' | 'suppressed' | 'failed';
    readonly reason: string | null;
    readonly content: Readonly<Record<string, unknown>> | null;
  }[];
  readonly warnings?: readonly string[];
};
export type SendQuery = PageQuery & { readonly status?: string | undefined };

export type SendsApi = {
  list(scope: Scope, channel: Channel, query?: SendQuery): Promise<Page<Send>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, channel: Channel, id: string): Promise<Send>;
  /** Throws NOT_FOUND. */
  messages(scope: Scope, channel: Channel, id: string, query?: SendQuery): Promise<Page<Message>>;
  /** Of a send of which nothing was handed over; idempotent. Throws NOT_FOUND, CONFLICT `already_dispatched`. */
  cancel(scope: Scope, channel: Channel, id: string): Promise<Send>;
  /** How the last hour's messages fared. */
  health(scope: Scope, channel: Channel): Promise<DeliveryHealth>;
};
/** Shares are of what ended as sent or failed; a failure rate of 5 % is `degraded`, of 50 % `failing`. */
export type DeliveryHealth = {
  readonly windowMinutes: number;
  readonly sent: number;
  readonly failed: number;
  /** 0 to 1; 0 where nothing ended. */
  readonly failureRate: number;
  readonly byReason: Readonly<Record<string, number>>;
  readonly byPlatform: Readonly<Record<string, { readonly sent: number; readonly failed: number }>>;
  readonly byProvider: Readonly<Record<string, { readonly sent: number; readonly failed: number }>>;
  readonly tokensInvalidated: number;
  readonly oldestQueuedAgeSeconds: number;
  /** Credentials that their provider refuses; nothing is sent with them before `until`. */
  readonly openCircuits: readonly { readonly provider: string; readonly until: Date; readonly code: string }[];
  readonly status: 'ok' | 'degraded' | 'failing';
};
/** Credentials of one provider as they are shown: what they are called, never what they are. */
export type ProviderState = {
  readonly provider: string;
  readonly configured: boolean;
  /** The end of an id that tells credentials apart; null where there are none. */
  readonly lastFour: string | null;
  /** When the provider last accepted something with them. */
  readonly provenAt: Date | null;
  readonly updatedAt: Date | null;
  /** Raised by every change. */
  readonly version: number | null;
};
/** `ok` null: this provider cannot be asked without a recipient. */
export type ProviderTest = {
  readonly provider: string;
  readonly ok: boolean | null;
  readonly code: string | null;
  readonly message: string | null;
};
/** What a channel of a scope is set to. Credentials are written and never read back. */
export type SettingsApi = {
  /** By provider. */
  get(scope: Scope, channel: Channel): Promise<Readonly<Record<string, ProviderState>>>;
  /**
   * Merges by provider; null removes its credentials. In use in every process within 10 s. Throws VALIDATION_ERROR,
   * also for unknown keys.
   */
  put(scope: Scope, channel: Channel, body: unknown): Promise<Readonly<Record<string, ProviderState>>>;
  /** Asks the configured providers whether they take the credentials. Throws PROVIDER_NOT_CONFIGURED. */
  test(scope: Scope, channel: Channel): Promise<{ readonly results: readonly ProviderTest[] }>;
};

/** A request's own name for itself, within (scope, route). */
export type IdempotencyRequest = {
  /** 1 to 256 characters. */
  readonly key: string;
  /** Method and path. */
  readonly route: string;
  /** SHA-256 over the raw body and the query, as hex. */
  readonly bodyHash: string;
};
export type IdempotencyApi = {
  /**
   * Answers `work` once per key in 24 h: the first answer again to a request with the same body. Work that is given
   * `once` and passes it on has its answer written with what it creates; of other work the answer is written after it.
   * What it throws is not kept.
   *
   * Throws VALIDATION_ERROR `idempotency_mismatch` for another body, CONFLICT `idempotency_in_progress` while the first
   * request still runs, for at most 30 s.
   */
  run<T>(
    scope: Scope,
    request: IdempotencyRequest,
    work: (once: Once) => Promise<T>,
  ): Promise<
    { readonly isReplayed: false; readonly answer: T } | { readonly isReplayed: true; readonly answer: unknown }
  >;
};

/** What a caller may say of a send besides its body. */
export type SendOptions = {
  /** From `idempotency.run`: the send and its remembered answer are one write. */
  readonly once?: Once | undefined;
};
export type EmailApi = {
  /**
   * With `dryRun` nothing is written. Throws VALIDATION_ERROR, PROVIDER_NOT_CONFIGURED (nothing written), CONFLICT
   * `idempotency_in_progress`.
   */
  send(scope: Scope, body: unknown, options?: SendOptions): Promise<Send | DryRun>;
  /**
   * Somebody opened a mail: `token` is of the address of its pixel. Resolves for whatever it is given, and for a
   * database that is away, within 2 s.
   */
  trackOpen(token: string): Promise<void>;
  /**
   * Somebody follows a link of a mail: where it leads, an http or https URL of ASCII characters. The click is recorded
   * before that, unless `isRecorded` is false or the database is away for 2 s. Throws NOT_FOUND for a token that is not
   * of such a link.
   */
  trackClick(token: string, options?: { readonly isRecorded?: boolean | undefined }): Promise<{ readonly url: string }>;
};

/** What a text takes; both null where it has variables and nothing of it was rendered yet. */
export type SmsFacts = {
  readonly segments: number | null;
  readonly encoding: 'GSM-7' | 'UCS-2' | null;
};
export type SmsApi = {
  /** Throws as `email.send`. With `dryRun` the facts of a text with variables are those of its first message. */
  send(scope: Scope, body: unknown, options?: SendOptions): Promise<(Send | DryRun) & SmsFacts>;
};

/** A device that can be reached by push. */
export type PushToken = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly platform: 'ios' | 'android' | 'web';
  /** Of a browser: the JSON of its subscription. */
  readonly token: string;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly appVersion: string | null;
  /** Which APNs host knows the token; null: not known yet, or not iOS. */
  readonly apnsEnvironment: 'production' | 'sandbox' | null;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
export type TokensApi = {
  /**
   * A device is one row per org: registered again, it keeps `id` and `isActive`, and moves to this project and
   * environment. Fields that the body leaves out are kept; null unsets. Throws VALIDATION_ERROR.
   */
  register(scope: Scope, body: unknown): Promise<{ readonly token: PushToken; readonly isNew: boolean }>;
  /** Makes the token inactive. Idempotent. Throws NOT_FOUND. */
  remove(scope: Scope, id: string): Promise<PushToken>;
  /** What a browser needs to subscribe. Throws PROVIDER_NOT_CONFIGURED. */
  webConfig(scope: Scope): Promise<{ readonly vapidPublicKey: string }>;
};

export type PushApi = {
  /** Promises and throws as `EmailApi.send`. */
  send(scope: Scope, body: unknown, options?: SendOptions): Promise<Send | DryRun>;
  /** A device reports that its user opened or clicked a push. Throws VALIDATION_ERROR, NOT_FOUND. */
  trackOpen(scope: Scope, body: unknown): Promise<{ readonly accepted: true }>;
  /** A device reports that it showed a push. Throws as `trackOpen`. */
  trackDelivered(scope: Scope, body: unknown): Promise<{ readonly accepted: true }>;
};

export type SandboxMessage = {
  readonly id: string;
  readonly channel: Channel;
  readonly sendId: string;
  readonly messageId: string;
  readonly userId: string | null;
  readonly address: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
};
export type OutboxQuery = PageQuery & {
  readonly channel?: Channel | undefined;
  readonly userId?: string | undefined;
};
/** What the sandbox caught in `test`, newest first. */
export type OutboxApi = {
  list(scope: Scope, query?: OutboxQuery): Promise<Page<SandboxMessage>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<SandboxMessage>;
  /** Answers how many were removed. */
  clear(scope: Scope): Promise<number>;
};
