import type { AbTestsApi } from './api-ab-tests.ts';
import type { EmailApi, PushApi, SendsApi, SettingsApi, SmsApi, TokensApi } from './api-delivery.ts';
import type { EventsApi } from './api-events.ts';
import type { OutboxApi } from './api-outbox.ts';
import type { ProfilesApi } from './api-profiles.ts';
import type { WorkflowsApi } from './api-workflows.ts';
import type { Hooks } from './host/hooks.ts';
import type { Meter } from './primitives/meter.ts';
import type { Environment, ProjectScope, Scope } from './primitives/scope.ts';
import type { OutboundOptions } from './providers/outbound.ts';
import type { OwnTransports } from './providers/own-transport.ts';
import type { PostgresPool } from './storage/postgres/host.ts';
import type { KeyScope } from './tenancy/scopes.ts';
import type { QueueState } from './work/queue-state.ts';

export type {
  AbTest,
  AbTestCompletion,
  AbTestInput,
  AbTestMetric,
  AbTestPatch,
  AbTestQuery,
  AbTestStats,
  AbTestsApi,
  AbTestVariant,
  AbTestVariantStats,
} from './api-ab-tests.ts';
export {
  type AdapterRequest,
  type ByName,
  CHANNELS,
  type Channel,
  type DeliveryHealth,
  type DryRun,
  type DryRunMessage,
  type EmailApi,
  type ExplainedMessage,
  type IdempotencyOptions,
  type JoinOptions,
  type Message,
  type MessageQuery,
  type NamedProvider,
  type Provider,
  type ProviderState,
  type ProviderStates,
  type ProviderTest,
  type PushApi,
  type PushToken,
  SEND_CLASSES,
  type Send,
  type SendClass,
  type SendOptions,
  type SendQuery,
  type SendsApi,
  type Settings,
  type SettingsApi,
  type SmsApi,
  type SmsFacts,
  type TokensApi,
} from './api-delivery.ts';
export type {
  Accepted,
  BatchAnswer,
  BatchOptions,
  EventQuery,
  EventRecord,
  EventsApi,
  ExplainedEvent,
  FieldErrors,
  IngestOptions,
} from './api-events.ts';
export type { GateVerdict, MessageExplanation, Saw } from './api-explanation.ts';
export type {
  BundleInput,
  DeviceInput,
  EmailInput,
  EventBatchInput,
  EventInput,
  IdentifyInput,
  ProfileInput,
  ProviderOf,
  PushDeliveredInput,
  PushInput,
  PushOpenInput,
  SettingsInput,
  SmsInput,
  WorkflowInput,
  WorkflowPatch,
} from './api-input.ts';
export type { ContentOf, OutboxApi, OutboxQuery, SandboxContent, SandboxMessage } from './api-outbox.ts';
export type { Erasure, ErasureRequested, Profile, ProfileQuery, ProfilesApi } from './api-profiles.ts';
export type {
  BundleExport,
  ImportAnswer,
  ImportOptions,
  ImportWarning,
  Run,
  RunQuery,
  RunStep,
  RunWithSteps,
  TriggerEvent,
  VersionOptions,
  WorkflowQuery,
  WorkflowRecord,
  WorkflowRow,
  WorkflowSaved,
  WorkflowSummary,
  WorkflowsApi,
  WorkflowVerdict,
} from './api-workflows.ts';
export type { EventSource } from './events/schema.ts';
export type { AcceptedEvent, EndedMessage, Hook, Hooks } from './host/hooks.ts';
export type { Meter } from './primitives/meter.ts';
export type { ListQuery, Page, PageQuery, Pagination } from './primitives/page.ts';
export type { OutboundOptions } from './providers/outbound.ts';
export type { OwnTransport, OwnTransports } from './providers/own-transport.ts';
export type { ExitReason, RunOutcome, RunStatus, StepOutcome } from './runs/schema.ts';
export type { Step } from './runs/steps/list.ts';
export type {
  MessageReason,
  MessageStatus,
  RenderFailure,
  Role,
  SendSource,
  SendStatus,
  SuppressionReason,
} from './sending/schema.ts';
export type { HostRow, HostTransaction } from './storage/along.ts';
export type { PostgresClient, PostgresPool } from './storage/postgres/host.ts';
export type { KeyScope } from './tenancy/scopes.ts';
export type {
  ApnsEnvironment,
  Attachment,
  EmailMessage,
  HostTransport,
  Mailbox,
  MessageOf,
  Platform,
  PushAction,
  PushMessage,
  SendContext,
  SendOutcome,
  SmsMessage,
} from './transports/port.ts';
export type { QueueState } from './work/queue-state.ts';
export type { Trigger, Workflow } from './workflows/schema.ts';

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
  readonly scopes: readonly KeyScope[];
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
  readonly scopes: ReadonlySet<KeyScope>;
  readonly grants: readonly Grant[];
};
export type NewKey = {
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly grants: readonly Grant[];
  readonly name?: string | undefined;
  /** Default: the kind's own scopes. Throws VALIDATION_ERROR for an unknown one. */
  readonly scopes?: readonly KeyScope[] | undefined;
  readonly expiresAt?: Date | undefined;
};

export type TenancyApi = {
  /** Throws VALIDATION_ERROR for a name that is empty or longer than 200 characters. */
  createOrg(input: { name: string }): Promise<Org>;
  listOrgs(): Promise<readonly Org[]>;
  /** Throws VALIDATION_ERROR as `createOrg`, NOT_FOUND for an org that there is not. */
  createProject(input: { orgId: string; name: string }): Promise<Project>;
  listProjects(query?: { orgId?: string | undefined }): Promise<readonly Project[]>;
  /**
   * The secret is in this answer and nowhere else. Throws VALIDATION_ERROR for a grant to an org or a project that
   * there is not, for scopes that the kind may not hold and for an end that is past.
   */
  createKey(input: NewKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /**
   * Keys with a grant for this org, or all of them. With `reader` those of its environment that hold a grant which it
   * covers, and of their grants those alone.
   */
  listKeys(query?: {
    orgId?: string | undefined;
    reader?: Pick<Principal, 'environment' | 'grants'> | undefined;
  }): Promise<readonly ApiKey[]>;
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

export type RotateOptions = {
  /** Told as it goes on; `of` is what there was at the start. */
  readonly onProgress?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined;
};
export type MasterKeyRotation = {
  /** Data keys that were wrapped anew. */
  readonly dataKeys: number;
  /** Values that were sealed anew. */
  readonly values: number;
  /** Values that no key opens, before as after; they are left as they are. */
  readonly unreadable: number;
  /** Data keys that another master key still wraps: a process that knows only that one made them meanwhile. */
  readonly left: number;
};
export type SecretsApi = {
  /**
   * Wraps and seals everything with the first of the configured master keys, so that the others may be removed once
   * `left` is 0. May be stopped anywhere and run again, also beside servers that have both keys. Throws WrongMasterKey for
   * what none of the keys opens.
   */
  rotateMasterKey(options?: RotateOptions): Promise<MasterKeyRotation>;
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
  /** `schema` and `worker` are missing where the database cannot be reached. */
  readonly checks: Readonly<
    Partial<Record<'database' | 'schema' | 'worker' | 'timezones', { readonly ok: boolean; readonly detail: string }>>
  >;
};

/** The whole service inside a host program. Every function promises what its group says above. */
export type Beckon = {
  readonly tenancy: TenancyApi;
  readonly secrets: SecretsApi;
  readonly events: EventsApi;
  readonly profiles: ProfilesApi;
  readonly workflows: WorkflowsApi;
  readonly push: PushApi;
  readonly tokens: TokensApi;
  readonly email: EmailApi;
  readonly sms: SmsApi;
  readonly sends: SendsApi;
  readonly abTests: AbTestsApi;
  readonly settings: SettingsApi;
  readonly outbox: OutboxApi;
  readonly worker: WorkerApi;
  /** Database, schema, workers (whether due work waits and nobody does it) and time-zone data; never throws. */
  health(): Promise<Health>;
  /** How much waits in each queue of the worker, of all tenants. Throws what the database throws. */
  queues(): Promise<readonly QueueState[]>;
  /** Stops the worker, finishes what was accepted, closes the database. Idempotent. */
  close(): Promise<void>;
};

/** What a host or the CLI passes to `createBeckon`. Unknown keys are refused with a TypeError. */
export type BeckonOptions = {
  /**
   * `sqlite:PATH`, `sqlite::memory:`, `postgres://...`, or the host's own `pg.Pool`: then one of its connections listens
   * while the worker runs, `close` leaves it open, and its type parsers have to be node-postgres's own.
   */
  readonly db: string | PostgresPool;
  /** 32 bytes as hex, base64 or base64url; several, comma-separated, during rotation. */
  readonly masterKey: string;
  /** `auto` (default) applies missing migrations; `check` throws SchemaError when any is missing. */
  readonly migrate?: 'auto' | 'check' | undefined;
  readonly durability?: 'full' | 'process' | undefined;
  /**
   * SQLite: the file may be a symbolic link or another user's, and its folder one that others may write into; default false,
   * and UnsafeDatabase is thrown for each.
   */
  readonly trustPath?: boolean | undefined;
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
  readonly email?:
    | {
        /** How many days the tracked links of a mail lead anywhere, 1 to 3,650; default 400. */
        readonly linkDays?: number | undefined;
      }
    | undefined;
  readonly sms?:
    | {
        /** A message is sent again when nobody knows whether its provider took it. Default false. */
        readonly resendOnAmbiguous?: boolean | undefined;
      }
    | undefined;
  /** The operator's word on hosts; what a tenant sets never changes it. */
  readonly outbound?: OutboundOptions | undefined;
  /** What sends in `prod` in place of configured credentials. */
  readonly transports?: OwnTransports | undefined;
  /** What the host does about messages that end and events that are accepted. */
  readonly hooks?: Hooks | undefined;
  /** Takes figures about the running service; `createMetrics` of `@beckon/http` makes one for Prometheus. */
  readonly meter?: Meter | undefined;
};

/** The part of a pino-like logger that is used. Values of traits, bodies, addresses and tokens are never passed. */
export type Log = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};
