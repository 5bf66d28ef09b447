// The service inside a host program.

export type { Health } from './app/answers.generated.ts';
// What describes the interface.
export { type AnswerName, type AnswerTypes, answerSchemas } from './app/answers.ts';
export type {
  Beckon,
  BeckonWithProject,
  WorkerApi,
} from './app/api.ts';
// A whole database as a file.
export { type Backup, backupDatabase, restoreDatabase } from './app/backup.ts';
export type { ProjectClient } from './app/bound.ts';
export { createBeckon, type TenantOptions } from './app/create-beckon.ts';
export type { AcceptedEvent, EndedMessage, Hook, Hooks } from './app/host/hooks.ts';
export type {
  ProfilesApi,
  TemplateFields,
  TemplateInput,
  TemplatePatch,
  TemplatePreview,
  TemplateRecord,
  TemplateSaved,
  TemplatesApi,
} from './app/messages-api.ts';
export type { BeckonOptions } from './app/options.ts';
// A bundle without a database.
export { simulate } from './app/simulate.ts';
export {
  type WebhookEvent,
  type WebhookEventData,
  type WebhookEventName,
  type WebhookEventOf,
  webhookEventSchema,
} from './app/webhook-events.ts';
export { type BodyName, bodySchemas, definitionSchemas, nullIsAbsent, templateFields } from './app/wire.ts';
export type { AiSettings, StepUsage } from './automation/ai/answers.generated.ts';
export type { AiApi, AiOptions, AiSettingsInput } from './automation/ai/api.ts';
export type { ImportWarning, Run, RunStep, RunWithSteps, TriggerEvent } from './automation/runs/answers.generated.ts';
export type { RunQuery, RunsApi } from './automation/runs/api.ts';
export type { StoredStep } from './automation/runs/cursor.ts';
export type {
  FigureSeries,
  FiguresRange,
  StepFigures,
  WorkflowFigures,
  WorkflowTotals,
} from './automation/runs/figures/answers.generated.ts';
export {
  FIGURE_INTERVALS,
  type FigureInterval,
  type FigurePoint,
  type FiguresQuery,
} from './automation/runs/figures/api.ts';
export type { ExitReason, RunOutcome, RunStatus, StepOutcome } from './automation/runs/schema.ts';
export { RUN_STATUSES } from './automation/runs/schema.ts';
export type { StepInput } from './automation/runs/steps/input.ts';
export type { Step } from './automation/runs/steps/list.ts';
export type {
  ImportAnswer,
  WorkflowRecord,
  WorkflowRow,
  WorkflowSaved,
  WorkflowSummary,
} from './automation/workflows/answers.generated.ts';
export type {
  BundleExport,
  BundleInput,
  ImportOptions,
  VersionOptions,
  WorkflowInput,
  WorkflowPatch,
  WorkflowQuery,
  WorkflowsApi,
} from './automation/workflows/api.ts';
export { type CheckedBundle, checkBundle } from './automation/workflows/check.ts';
export { defineWorkflow, type WorkflowDefinition } from './automation/workflows/define.ts';
export type { Trigger, Workflow } from './automation/workflows/schema.ts';
export type { SimulatedSend, SimulatedStep, Simulation } from './automation/workflows/simulate/answers.generated.ts';
export type { SimulateInput } from './automation/workflows/simulate/api.ts';
export { BackupError, type BackupReason } from './database/backup/error.ts';
export type { HostRow, HostTransaction } from './database/commit/commit-hook.ts';
export { HostReactionError } from './database/commit/commit-hook.ts';
export { isOutcomeUnknown, isUnavailable, StorageError, timeoutOf } from './database/errors.ts';
export { type DatabaseFacts, examineDatabase } from './database/examine.ts';
export { SchemaError, type SchemaState } from './database/migrate.ts';
export type { PostgresClient, PostgresPool } from './database/postgres/host.ts';
export { type DatabaseSchema, databaseSchema } from './database/schema.ts';
export { UnsafeDatabase } from './database/sqlite/file.ts';
export type { DeliveryHealth, ProviderState, ProviderTest } from './delivery/providers/answers.generated.ts';
export type { ByName, NamedProvider, Provider, ProviderOf, ProviderStates } from './delivery/providers/api.ts';
// The names that a channel's settings have.
export { PROVIDERS } from './delivery/providers/names.ts';
export type { OutboundOptions } from './delivery/providers/outbound.ts';
export type { OwnTransport, OwnTransports } from './delivery/providers/own-transport.ts';
export type {
  Attachment,
  EmailMessage,
  HostTransport,
  Mailbox,
  MessageOf,
  PushAction,
  PushMessage,
  SendContext,
  SendOutcome,
  SmsMessage,
} from './delivery/transports/port.ts';
export type { OutboxMessage } from './delivery/transports/sandbox/answers.generated.ts';
export type { ContentOf, OutboxApi, OutboxContent, OutboxQuery } from './delivery/transports/sandbox/api.ts';
// What an operator makes once.
export { generateVapidKeys } from './delivery/transports/web-push/settings.ts';
export { CHANNELS, type Channel, type SendClass } from './foundation/channel.ts';
// Ports with their usual implementation.
export { type Clock, systemClock, virtualClock } from './foundation/clock.ts';
// What an adapter needs to read requests as core does, and for callbacks that nobody waits for.
export { contained } from './foundation/contained.ts';
// Deadlines of callers.
export { withDeadline } from './foundation/deadline.ts';
// How many definitions there may be.
export { DEFINITION_CAPS } from './foundation/definition-caps.ts';
export type { ApnsEnvironment, Platform } from './foundation/device-platform.ts';
// Errors, for adapters that map them to another protocol.
export {
  BeckonError,
  type Cap,
  catalogue,
  conflict,
  type ErrorCode,
  fieldErrorsOf,
  internal,
  isBeckonError,
  notFound,
  overloaded,
  payloadTooLarge,
  providerNotConfigured,
  retiredCodes,
  scopeRequired,
  unauthorized,
  validationError,
} from './foundation/errors.ts';
export { type Ids, uuidV7Ids } from './foundation/ids.ts';
export { parseJson } from './foundation/json.ts';
export type { JsonValue } from './foundation/json-value.ts';
export type { KeyKind } from './foundation/key-kind.ts';
export type { Log } from './foundation/log.ts';
export { COUNTERS, type Meter, TIMER_BUCKETS, TIMERS } from './foundation/meter.ts';
export type { ListQuery, Page, PageQuery, Pagination, WholeList } from './foundation/page.ts';
export { DEFAULT_LIMIT, MAX_LIMIT, pageLimit } from './foundation/page.ts';
export { isPlaceholderUserId, PLACEHOLDER_USER_ID } from './foundation/placeholder-user-id.ts';
export type { BodyShape } from './foundation/pre-scan.ts';
export { ENVIRONMENTS, type Environment, type ProjectScope, type Scope } from './foundation/scope.ts';
export { newMasterKey, parseMasterKeys } from './foundation/secrets.ts';
export type { Telemetry, TraceSpan, Tracing } from './foundation/telemetry.ts';
export type {
  EventCounts,
  Funnel,
  Overview,
  Retention,
  SendCounts,
  SendFigures,
  Usage,
} from './insight/analytics/answers.generated.ts';
export {
  type AnalyticsApi,
  type AnalyticsQuery,
  EVENT_GROUPS,
  type EventCountQuery,
  type EventGroup,
  type FunnelInput,
  SEND_GROUPS,
  type SendCountQuery,
  type SendGroup,
} from './insight/analytics/api.ts';
export type { QueueState } from './jobs/queue-state.ts';
export type {
  AbTest,
  AbTestMetric,
  AbTestStats,
  AbTestVariant,
  AbTestVariantStats,
} from './messaging/ab-tests/answers.generated.ts';
// What goes in and comes out.
export type { AbTestCompletion, AbTestInput, AbTestPatch, AbTestQuery, AbTestsApi } from './messaging/ab-tests/api.ts';
export { AB_TEST_STATUSES } from './messaging/ab-tests/schema.ts';
export type { CallbackState } from './messaging/callbacks/answers.generated.ts';
export type {
  Callback,
  CallbackAnswer,
  CallbackBody,
  CallbackInput,
  CallbackQuery,
  CallbackStates,
  CallbacksApi,
} from './messaging/callbacks/api.ts';
export { CALLBACK_START_BYTES } from './messaging/callbacks/claimed-ids.ts';
export type {
  EmailAddressesInput,
  EmailAddressInput,
  EmailApi,
  EmailAudienceInput,
  EmailInput,
  EmailRecipients,
  LinkRequest,
} from './messaging/email/api.ts';
export type { BounceResult as BounceTaken, BouncesApi } from './messaging/email/bounces-api.ts';
export type {
  DnsRecord,
  DomainCheck,
  EmailDomain,
  EmailDomainChecked,
} from './messaging/email/domains/answers.generated.ts';
export type { EmailDomainInput, EmailDomainsApi } from './messaging/email/domains/api.ts';
export type {
  DeviceInput,
  PushApi,
  PushAudienceInput,
  PushDeliveredInput,
  PushInput,
  PushOpenInput,
  PushRecipients,
  TokensApi,
} from './messaging/push/api.ts';
export type { Geofence, NearGeofence } from './messaging/push/geofences/answers.generated.ts';
export type { GeofenceEventInput, GeofenceInput, GeofencePatch, GeofencesApi } from './messaging/push/geofences/api.ts';
export { GEOFENCE_REPORT_SHAPE, TRANSITIONS } from './messaging/push/geofences/schema.ts';
export type { ActivityResult, LiveActivity } from './messaging/push/live-activities/answers.generated.ts';
export type {
  ActivityEndInput,
  ActivityStartInput,
  ActivityTokenInput,
  ActivityUpdateInput,
  LiveActivitiesApi,
  LiveActivityQuery,
} from './messaging/push/live-activities/api.ts';
export { ACTIVITY_STATUSES, ACTIVITY_TOKEN_SHAPE } from './messaging/push/live-activities/schema.ts';
export { REGISTRATION_SHAPE, REPORT_SHAPE } from './messaging/push/schema.ts';
export type {
  DryRun,
  DryRunMessage,
  ExplainedMessage,
  GateVerdict,
  Message,
  MessageExplanation,
  Send,
  SmsDryRun,
  SmsSend,
} from './messaging/sends/answers.generated.ts';
export type {
  AudienceRecipients,
  Evidence,
  MessageQuery,
  SendCall,
  SendOptions,
  SendQuery,
  SendsApi,
  SendThroughput as SendPace,
  UserRecipients,
} from './messaging/sends/api.ts';
export { LIST_REASONS, type ListReason } from './messaging/sends/listed.ts';
export type {
  MessageReason,
  MessageStatus,
  RenderFailure,
  Role,
  SendSource,
  SendStatus,
  SuppressionReason,
} from './messaging/sends/schema.ts';
export { MESSAGE_STATUSES, SEND_STATUSES } from './messaging/sends/schema.ts';
export type { Settings, SettingsApi, SettingsInput } from './messaging/settings/api.ts';
export type {
  SmsApi,
  SmsAudienceInput,
  SmsFacts,
  SmsInput,
  SmsRecipients,
} from './messaging/sms/api.ts';
export type { ChannelSubscription, Subscriptions } from './messaging/subscriptions/answers.generated.ts';
export type {
  SubscriptionsApi,
  SubscriptionsInput,
  UnsubscribeChange,
  UnsubscribePage,
} from './messaging/subscriptions/api.ts';
export type { Suppression } from './messaging/suppressions/answers.generated.ts';
export type {
  SuppressionInput,
  SuppressionQuery,
  SuppressionRemovalInput,
  SuppressionsApi,
} from './messaging/suppressions/api.ts';
export type { ListChannel, ListSource } from './messaging/suppressions/schema.ts';
export { LIST_CHANNELS, LIST_SOURCES, MAX_ADDRESSES } from './messaging/suppressions/schema.ts';
export type { TemplateRow, TemplateSummary, TemplateWarning } from './messaging/templates/answers.generated.ts';
export type { PreviewInput, TemplateQuery, TemplateVersionOptions } from './messaging/templates/api.ts';
export type {
  Audience,
  AudienceExplanation,
  AudienceMember,
  AudiencePreview,
} from './people/audiences/answers.generated.ts';
export type {
  AudienceInput,
  AudiencePatch,
  AudienceQuery,
  AudiencesApi,
  MemberQuery,
  MembersInput,
  PreviewAudienceInput,
} from './people/audiences/api.ts';
export type { Explained, VerdictName } from './people/audiences/predicate/explain.ts';
export type {
  Condition,
  ConditionInput,
  EventLeaf,
  Leaf,
  MemberLeaf,
  PathLeaf,
  Predicate,
  PredicateInput,
  Scalar,
  Span,
  TraitLeaf,
  ValueTest,
  WhereTest,
} from './people/audiences/predicate/types.ts';
export { AUDIENCE_KINDS, AUDIENCE_STATUSES, MAX_MEMBERS } from './people/audiences/schema.ts';
export type {
  Accepted,
  BatchAnswer,
  EventRecord,
  ExplainedEvent,
  WorkflowVerdict,
} from './people/events/answers.generated.ts';
export type {
  BatchOptions,
  EventBatchInput,
  EventInput,
  EventQuery,
  EventsApi,
  FieldErrors,
  IdentifyInput,
  IngestOptions,
} from './people/events/api.ts';
// What an adapter needs to read requests as core does.
export { CATALOG, type CatalogName, RAISED_NAMES } from './people/events/catalog.ts';
export type { EventSource } from './people/events/schema.ts';
export { eventsInBatch, IDENTIFY_SHAPE, MAX_BATCH } from './people/events/schema.ts';
export type { AudienceSummary, Profile, PushToken } from './people/profiles/answers.generated.ts';
export type { PlaceholderUser, ProfileInput, ProfileQuery } from './people/profiles/api.ts';
export type { Erasure, ErasureRequested } from './platform/erasure/answers.generated.ts';
export type { AdapterRequest, IdempotencyOptions, JoinOptions } from './platform/idempotency/api.ts';
export type {
  AttemptKind,
  CallBucket,
  CallKind,
  CallsApi,
  LimitedCall,
  LimitsApi,
  OrgCallKind,
} from './platform/limits/api.ts';
export type { LoadApi, ProcessLoad } from './platform/limits/load.ts';
export type { PlansApi } from './platform/plans/api.ts';
export type { Gate, Plan, PlanInput } from './platform/plans/plan.ts';
export { type RequestedScope as Asked, resolveScope } from './platform/tenancy/access.ts';
export type { ApiKey, Grant } from './platform/tenancy/answers.generated.ts';
export type {
  MasterKeyRotation,
  NewKey,
  Org,
  OrgReference,
  Principal,
  Project,
  ProjectReference,
  RotateOptions,
  SecretsApi,
  TenancyApi,
} from './platform/tenancy/api.ts';
export { KEY_SCOPES, type KeyScope } from './platform/tenancy/scopes.ts';
export type { WorkflowSecret } from './platform/tenancy/secrets/answers.generated.ts';
export type { SecretInput, SigningRotation, WorkflowSecretsApi } from './platform/tenancy/secrets/api.ts';
export { WrongMasterKey } from './platform/tenancy/wrong-master-key.ts';
export type {
  Recovered,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryRead,
  WebhookWithSecret,
} from './webhooks/answers.generated.ts';
export type {
  DeliveryQuery,
  SecretRotation,
  WebhookInput,
  WebhookPatch,
  WebhookRecovery,
  WebhooksApi,
} from './webhooks/api.ts';
export { DELIVERY_STATUSES, DELIVERY_TRIGGERS, DISABLED_REASONS } from './webhooks/schema.ts';
export { signedHeaders } from './webhooks/sign.ts';
