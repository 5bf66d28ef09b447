import type {
  EmailApi,
  IdempotencyApi,
  Message,
  OutboxApi,
  PushApi,
  PushToken,
  SendsApi,
  SettingsApi,
  SmsApi,
  TokensApi,
} from './api-delivery.ts';
import type { Once } from './idempotency/token.ts';
import type { Page, PageQuery } from './primitives/page.ts';
import type { Environment, ProjectScope, Scope } from './primitives/scope.ts';
import type { OutboundOptions } from './providers/outbound.ts';

export {
  CHANNELS,
  type Channel,
  type DeliveryHealth,
  type DryRun,
  type EmailApi,
  type IdempotencyApi,
  type IdempotencyRequest,
  type Message,
  type OutboxApi,
  type OutboxQuery,
  type ProviderState,
  type ProviderTest,
  type PushApi,
  type PushToken,
  type SandboxMessage,
  type Send,
  type SendOptions,
  type SendQuery,
  type SendsApi,
  type SettingsApi,
  type SmsApi,
  type SmsFacts,
  type TokensApi,
} from './api-delivery.ts';
export type { Once } from './idempotency/token.ts';
export type { Page, PageQuery, Pagination } from './primitives/page.ts';
export type { OutboundOptions } from './providers/outbound.ts';

export type Org = { readonly id: string; readonly name: string; readonly createdAt: Date };
export type Project = { readonly id: string; readonly orgId: string; readonly name: string; readonly createdAt: Date };

/** What a key may act for: a project of an org, or `*` for all of its projects. */
export type Grant = { readonly orgId: string; readonly projectId: string };
export type KeyKind = 'public' | 'secret';

/** A key as it is listed: never the secret itself. */
export type ApiKey = {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly lastFour: string;
  readonly scopes: readonly string[];
  readonly grants: readonly Grant[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
};
/** Who is calling, as the key says. */
export type Principal = {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly scopes: ReadonlySet<string>;
  readonly grants: readonly Grant[];
};
export type NewKey = {
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly grants: readonly Grant[];
  readonly name?: string | undefined;
  /** Default: the kind's own scopes. Throws VALIDATION_ERROR for an unknown one. */
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
};

export type TenancyApi = {
  createOrg(input: { name: string }): Promise<Org>;
  listOrgs(): Promise<readonly Org[]>;
  createProject(input: { orgId: string; name: string }): Promise<Project>;
  listProjects(query?: { orgId?: string | undefined }): Promise<readonly Project[]>;
  /** The secret is in this answer and nowhere else. */
  createKey(input: NewKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Keys with a grant for this org, or all of them. */
  listKeys(query?: { orgId?: string | undefined }): Promise<readonly ApiKey[]>;
  /** Idempotent. Other processes stop accepting the key within 10 s. Throws NOT_FOUND. */
  revokeKey(id: string): Promise<ApiKey>;
  /** Whose key this is; null for anything that is not a live key. Throws nothing of its own. */
  authenticate(secret: string): Promise<Principal | null>;
  /**
   * Whose rows a request acts on, by the grants of its key and the org or project that it names. Throws
   * VALIDATION_ERROR for what the key needs and the request leaves out, NOT_FOUND for what it has no grant for.
   */
  scopeFor(
    principal: Principal,
    asked: { readonly orgId?: string | undefined; readonly projectId?: string | undefined },
  ): Promise<Scope>;
  /**
   * The scope that every other group takes first: rows of one environment of a project. One that was not handed out here
   * is refused with a TypeError. Throws NOT_FOUND.
   */
  scope(names: {
    readonly orgId: string;
    readonly projectId: string;
    readonly environment: Environment;
  }): Promise<Scope>;
  /** The project whose definitions serve both environments; a scope does as well. Throws NOT_FOUND. */
  project(names: { readonly orgId: string; readonly projectId: string }): Promise<ProjectScope>;
};

export type Accepted = { readonly id: string; readonly accepted: true };
export type BatchAnswer = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly code: string; readonly fieldErrors: FieldErrors }[];
};
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Bodies are what `parseJson` returned: they are validated here, not before. `bytes` is the body's length where the
 * caller knows it; it counts against what may wait to be written.
 */
export type EventsApi = {
  /** Throws VALIDATION_ERROR, CONFLICT `duplicate` (details.id), OVERLOADED. */
  accept(scope: Scope, body: unknown, bytes?: number): Promise<Accepted>;
  /** Throws as `accept`. */
  identify(scope: Scope, body: unknown, bytes?: number): Promise<Accepted>;
  /** Throws VALIDATION_ERROR when nothing of it was acceptable, OVERLOADED. */
  acceptBatch(scope: Scope, body: unknown, bytes?: number): Promise<BatchAnswer>;
};

export type EventRecord = {
  readonly id: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly module: string;
  readonly eventType: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly messageId: string | null;
  readonly sessionId: string | null;
  readonly context: Readonly<Record<string, unknown>> | null;
  readonly source: string;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly environment: Environment;
  readonly orgId: string;
  readonly projectId: string;
};

export type Profile = {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly traits: Readonly<Record<string, unknown>>;
  readonly email: string | null;
  readonly phone: string | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** Present when something no longer fitted. */
  readonly _truncated?: true;
  /** Of a profile that is read by itself: the newest 100 devices, inactive ones among them. */
  readonly tokens?: readonly PushToken[];
};

export type ProfilesApi = {
  /** Identified users only, by userId. */
  list(scope: Scope, query?: PageQuery): Promise<Page<Profile>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, userId: string): Promise<Profile>;
  /** Newest first. Throws NOT_FOUND for an unknown user. */
  events(scope: Scope, userId: string, query?: PageQuery): Promise<Page<EventRecord>>;
  /** Newest first. Throws NOT_FOUND for an unknown user. */
  sends(scope: Scope, userId: string, query?: PageQuery): Promise<Page<Message>>;
};

export type WorkflowSummary = { readonly id: string; readonly name: string };
export type ImportAnswer = {
  readonly created: readonly WorkflowSummary[];
  readonly updated: readonly (WorkflowSummary & { readonly version: number; readonly changes: readonly string[] })[];
  readonly unchanged: readonly WorkflowSummary[];
  readonly warnings: readonly ImportWarning[];
  readonly dryRun: boolean;
  readonly importId: string;
};
export type ImportWarning = {
  readonly name: string;
  readonly path: string;
  readonly code: string;
  readonly message: string;
};
/** A bundle as the interface describes it; plain JSON. */
export type BundleExport = {
  readonly bundle: { readonly version: 1; readonly exportedAt: string; readonly workflows: readonly unknown[] };
  /** SHA-256 over `workflows`, for `ifMatch`. */
  readonly etag: string;
};
export type Run = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly triggerEventId: string;
  readonly triggerEvent: Readonly<Record<string, unknown>>;
  readonly status: string;
  readonly outcome: string | null;
  readonly depth: number;
  readonly exitReason: string | null;
  readonly cursor: string;
  readonly next_step_at: Date | null;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly error: string | null;
  readonly context: Readonly<Record<string, unknown>>;
};
export type RunStep = {
  readonly path: string;
  readonly type: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly sendId: string | null;
};
export type RunQuery = PageQuery & {
  readonly status?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly userId?: string | undefined;
};

export type WorkflowsApi = {
  exportBundle(scope: ProjectScope, query?: { workflows?: readonly string[] | undefined }): Promise<BundleExport>;
  /** One transaction. Throws VALIDATION_ERROR (nothing written), CONFLICT `version_changed`. */
  importBundle(
    scope: ProjectScope,
    bundle: unknown,
    options?: { dryRun?: boolean | undefined; ifMatch?: string | undefined; once?: Once | undefined },
  ): Promise<ImportAnswer>;
  listRuns(scope: Scope, query?: RunQuery): Promise<Page<Run>>;
  /** Throws NOT_FOUND. */
  getRun(scope: Scope, id: string): Promise<Run & { readonly steps: readonly RunStep[] }>;
};

export type WorkerApi = {
  /** Begins to claim and handle work in this process. Idempotent. */
  start(): void;
  /** Stops claiming, lets what is in hand finish for at most `timeoutMs`, releases the rest. */
  stop(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /** Handles what is due now, including what that makes due, and answers how many rows. */
  drain(): Promise<number>;
};

export type Health = {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
};

/** The whole service inside a host program. Every function promises what its group says above. */
export type Beckon = {
  readonly tenancy: TenancyApi;
  readonly events: EventsApi;
  readonly profiles: ProfilesApi;
  readonly workflows: WorkflowsApi;
  readonly push: PushApi;
  readonly tokens: TokensApi;
  readonly email: EmailApi;
  readonly sms: SmsApi;
  readonly sends: SendsApi;
  readonly settings: SettingsApi;
  readonly idempotency: IdempotencyApi;
  readonly outbox: OutboxApi;
  readonly worker: WorkerApi;
  /** Database, schema, worker and time-zone data; never throws. */
  health(): Promise<Health>;
  /** Stops the worker, finishes what was accepted, closes the database. Idempotent. */
  close(): Promise<void>;
};

/** What a host or the CLI passes to `createBeckon`. Unknown keys are refused with a TypeError. */
export type BeckonOptions = {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://...`. */
  readonly db: string;
  /** 32 bytes as hex, base64 or base64url; several, comma-separated, during rotation. */
  readonly masterKey: string;
  /** `auto` (default) applies missing migrations; `check` throws SchemaError when any is missing. */
  readonly migrate?: 'auto' | 'check' | undefined;
  readonly durability?: 'full' | 'process' | undefined;
  /** How often to look for due work besides being woken; milliseconds, default 1,000. */
  readonly pollMs?: number | undefined;
  readonly poolSize?: number | undefined;
  readonly preparedNames?: boolean | undefined;
  readonly clock?: { now(): Date } | undefined;
  readonly log?: Log | undefined;
  /**
   * Where this service is reached from outside, without a slash at its end: providers report to it, and what is tracked
   * of mails leads to `/api/v1` below it.
   */
  readonly publicUrl?: string | undefined;
  readonly sms?:
    | {
        /** A message is sent again when nobody knows whether its provider took it. Default false. */
        readonly resendOnAmbiguous?: boolean | undefined;
      }
    | undefined;
  /** The operator's word on hosts; what a tenant sets never changes it. */
  readonly outbound?: OutboundOptions | undefined;
};

/** The part of a pino-like logger that is used. Values of traits, bodies, addresses and tokens are never passed. */
export type Log = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};
