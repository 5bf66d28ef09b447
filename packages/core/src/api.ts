import type { AbTestsApi } from './api/ab-tests.ts';
import type { AiApi } from './api/ai.ts';
import type { AnalyticsApi } from './api/analytics.ts';
import type { AudiencesApi } from './api/audiences.ts';
import type { BouncesApi } from './api/bounces.ts';
import type { CallbacksApi } from './api/callbacks.ts';
import type { EmailApi, PushApi, SendsApi, SettingsApi, SmsApi, TokensApi } from './api/delivery.ts';
import type { EmailDomainsApi } from './api/email-domains.ts';
import type { EventsApi } from './api/events.ts';
import type { GeofencesApi } from './api/geofences.ts';
import type { LimitsApi } from './api/limits.ts';
import type { LiveActivitiesApi } from './api/live-activities.ts';
import type { LoadApi } from './api/load.ts';
import type { OutboxApi } from './api/outbox.ts';
import type { PlansApi } from './api/plans.ts';
import type { ProfilesApi } from './api/profiles.ts';
import type { WorkflowSecretsApi } from './api/secrets.ts';
import type { SubscriptionsApi } from './api/subscriptions.ts';
import type { SuppressionsApi } from './api/suppressions.ts';
import type { TemplatesApi } from './api/templates.ts';
import type { SecretsApi, TenancyApi } from './api/tenancy.ts';
import type { WebhooksApi } from './api/webhooks.ts';
import type { WorkflowsApi } from './api/workflows.ts';
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
} from './api/ab-tests.ts';
export type { AiApi, AiOptions, AiSettingsInput, AiState, StepUsage } from './api/ai.ts';
export {
  type AnalyticsApi,
  type AnalyticsQuery,
  EVENT_GROUPS,
  type EventCountQuery,
  type EventCounts,
  type EventGroup,
  type Figures,
  type Funnel,
  type FunnelInput,
  type Overview,
  type Retention,
  SEND_GROUPS,
  type SendCountQuery,
  type SendCounts,
  type SendFigures,
  type SendGroup,
  type Usage,
} from './api/analytics.ts';
export type {
  Audience,
  AudienceExplanation,
  AudienceInput,
  AudienceMember,
  AudiencePatch,
  AudiencePreview,
  AudienceQuery,
  AudienceSummary,
  AudiencesApi,
  MemberQuery,
  MembersInput,
  PreviewAudienceInput,
} from './api/audiences.ts';
export type { BouncesApi, BounceTaken } from './api/bounces.ts';
export type {
  Callback,
  CallbackAnswer,
  CallbackBody,
  CallbackInput,
  CallbackQuery,
  CallbackState,
  CallbackStates,
  CallbacksApi,
} from './api/callbacks.ts';
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
  type LinkRequest,
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
  type SendPace,
  type SendQuery,
  type SendsApi,
  type Settings,
  type SettingsApi,
  type SmsApi,
  type SmsFacts,
  type TokensApi,
} from './api/delivery.ts';
export type {
  DnsRecord,
  DomainCheck,
  EmailDomain,
  EmailDomainChecked,
  EmailDomainInput,
  EmailDomainsApi,
} from './api/email-domains.ts';
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
} from './api/events.ts';
export type { GateVerdict, MessageExplanation, Saw } from './api/explanation.ts';
export {
  FIGURE_INTERVALS,
  type FigureInterval,
  type FigurePoint,
  type FigureSeries,
  type FiguresQuery,
  type FiguresRange,
  type StepFigures,
  type WorkflowFigures,
  type WorkflowTotals,
} from './api/figures.ts';
export type { Geofence, GeofencesApi, NearGeofence } from './api/geofences.ts';
export type {
  ActivityEndInput,
  ActivityStartInput,
  ActivityTokenInput,
  ActivityUpdateInput,
  BundleInput,
  DeviceInput,
  EmailAudienceInput,
  EmailInput,
  EventBatchInput,
  EventInput,
  GeofenceEventInput,
  GeofenceInput,
  GeofencePatch,
  IdentifyInput,
  ProfileInput,
  ProviderOf,
  PushAudienceInput,
  PushDeliveredInput,
  PushInput,
  PushOpenInput,
  SettingsInput,
  SimulateInput,
  SmsAudienceInput,
  SmsInput,
  SubscriptionsInput,
  SuppressionInput,
  SuppressionRemovalInput,
  WorkflowInput,
  WorkflowPatch,
} from './api/input.ts';
export type {
  AttemptKind,
  CallBucket,
  CallKind,
  CallsApi,
  LimitedCall,
  LimitsApi,
  OrgCallKind,
} from './api/limits.ts';
export type { ActivityTold, LiveActivitiesApi, LiveActivity, LiveActivityQuery } from './api/live-activities.ts';
export type { LoadApi, Strain } from './api/load.ts';
export type { BeckonOptions, Log } from './api/options.ts';
export type { ContentOf, OutboxApi, OutboxQuery, SandboxContent, SandboxMessage } from './api/outbox.ts';
export type { PlansApi } from './api/plans.ts';
export type {
  Erasure,
  ErasureRequested,
  PlaceholderUser,
  Profile,
  ProfileQuery,
  ProfilesApi,
} from './api/profiles.ts';
export type { SecretInput, SigningRotation, WorkflowSecret, WorkflowSecretsApi } from './api/secrets.ts';
export type { SimulatedSend, SimulatedStep, Simulation } from './api/simulate.ts';
export type {
  ChannelSubscription,
  Subscriptions,
  SubscriptionsApi,
  UnsubscribeChange,
  UnsubscribePage,
} from './api/subscriptions.ts';
export type { Suppression, SuppressionQuery, SuppressionsApi } from './api/suppressions.ts';
export type {
  PreviewInput,
  TemplateFields,
  TemplateInput,
  TemplatePatch,
  TemplatePreview,
  TemplateQuery,
  TemplateRecord,
  TemplateRow,
  TemplateSaved,
  TemplateSummary,
  TemplatesApi,
  TemplateVersionOptions,
} from './api/templates.ts';
export type {
  ApiKey,
  Grant,
  KeyKind,
  MasterKeyRotation,
  NewKey,
  Org,
  Principal,
  Project,
  RotateOptions,
  SecretsApi,
  TenancyApi,
} from './api/tenancy.ts';
export type {
  DeliveryQuery,
  Recovered,
  SecretRotation,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryRead,
  WebhookInput,
  WebhookPatch,
  WebhookRecovery,
  WebhooksApi,
  WebhookWithSecret,
} from './api/webhooks.ts';
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
} from './api/workflows.ts';
export type { Condition } from './audiences/predicate/types.ts';
export type { EventSource } from './events/schema.ts';
export type { AcceptedEvent, EndedMessage, Hook, Hooks } from './host/hooks.ts';
export type { Gate, Plan, PlanInput } from './plans/plan.ts';
export type { Meter } from './primitives/meter.ts';
export type { ListQuery, Page, PageQuery, Pagination } from './primitives/page.ts';
export type { OutboundOptions } from './providers/outbound.ts';
export type { OwnTransport, OwnTransports } from './providers/own-transport.ts';
export type { StoredStep } from './runs/cursor.ts';
export type { ExitReason, RunOutcome, RunStatus, StepOutcome } from './runs/schema.ts';
export type { Step } from './runs/steps/list.ts';
export type { ListReason } from './sending/listed.ts';
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
export type { ListChannel, ListSource } from './suppressions/schema.ts';
export type { TemplateWarning } from './templates/kind.ts';
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

export type WorkerApi = {
  /** Begins to claim and handle work in this process. Idempotent. */
  start(): void;
  /**
   * Stops claiming, gives back at once what has not begun, and lets the rest finish for `timeoutMs` (default 20 s). What is
   * left then is cut off and logged with its number per queue. Calls that a provider or a receiver may have taken keep their
   * leases and are taken up again when these run out. Resolves at most two seconds after `timeoutMs`. Ends a `drain` too.
   */
  stop(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /** Handles what is due now, including what that makes due, and answers how many rows. */
  drain(): Promise<number>;
};

export type Health = {
  /** May be given requests: the database answers and has the schema of this program. */
  readonly ready: boolean;
  /**
   * `degraded`: it is ready, and one of the checks fails: due work waits and no worker lives, workers have different time-zone
   * data, the clocks of host and database differ by more than 5 s, or some calls are refused.
   */
  readonly status: 'ok' | 'degraded' | 'unready';
  /**
   * `schema` and `worker` are missing where the database cannot be reached. `clock` compares this host's clock with the
   * database's, on PostgreSQL. `load` is what `/readyz` adds: which calls are
   * refused because too much is asked, and why.
   */
  readonly checks: Readonly<
    Partial<
      Record<
        'database' | 'schema' | 'worker' | 'timezones' | 'clock' | 'load',
        { readonly ok: boolean; readonly detail: string }
      >
    >
  >;
};

/** The whole service inside a host program. Every function promises what its group says above. */
export type Beckon = {
  readonly tenancy: TenancyApi;
  readonly secrets: SecretsApi & WorkflowSecretsApi;
  readonly events: EventsApi;
  readonly profiles: ProfilesApi;
  readonly audiences: AudiencesApi;
  readonly workflows: WorkflowsApi;
  /** Providers of models, for steps that ask one. */
  readonly ai: AiApi;
  readonly push: PushApi;
  readonly tokens: TokensApi;
  readonly geofences: GeofencesApi;
  readonly liveActivities: LiveActivitiesApi;
  readonly email: EmailApi;
  readonly sms: SmsApi;
  readonly sends: SendsApi;
  readonly abTests: AbTestsApi;
  readonly settings: SettingsApi;
  readonly templates: TemplatesApi;
  readonly outbox: OutboxApi;
  /** What providers post about messages. */
  readonly callbacks: CallbacksApi;
  readonly bounces: BouncesApi;
  readonly suppressions: SuppressionsApi;
  readonly subscriptions: SubscriptionsApi;
  readonly emailDomains: EmailDomainsApi;
  /** Other systems that are told what happens. */
  readonly webhooks: WebhooksApi;
  /** What happened over time. */
  readonly analytics: AnalyticsApi;
  readonly limits: LimitsApi;
  readonly plans: PlansApi;
  readonly load: LoadApi;
  readonly worker: WorkerApi;
  /** Database, schema, workers (whether due work waits and nobody does it) and time-zone data; never throws. */
  health(): Promise<Health>;
  /** How much waits in each queue of the worker, of all tenants. Throws what the database throws. */
  queues(): Promise<readonly QueueState[]>;
  /** Stops the worker, finishes what was accepted, closes the database. Idempotent. */
  close(): Promise<void>;
};
