// The service inside a host program.

// What goes in and comes out.
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
} from './ab-tests/api.ts';
export { AB_TEST_STATUSES } from './ab-tests/schema.ts';
export type { AiApi, AiOptions, AiSettingsInput, AiState, StepUsage } from './ai/api.ts';
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
} from './analytics/api.ts';
export type {
  Beckon,
  Health,
  ProfilesApi,
  TemplateFields,
  TemplateInput,
  TemplatePatch,
  TemplatePreview,
  TemplateRecord,
  TemplateSaved,
  TemplatesApi,
  WorkerApi,
} from './api.ts';
export type {
  Audience,
  AudienceExplanation,
  AudienceInput,
  AudienceMember,
  AudiencePatch,
  AudiencePreview,
  AudienceQuery,
  AudiencesApi,
  MemberQuery,
  MembersInput,
  PreviewAudienceInput,
} from './audiences/api.ts';
export type { Condition } from './audiences/predicate/types.ts';
export { AUDIENCE_KINDS, AUDIENCE_STATUSES, MAX_MEMBERS } from './audiences/schema.ts';
export type {
  Callback,
  CallbackAnswer,
  CallbackBody,
  CallbackInput,
  CallbackQuery,
  CallbackState,
  CallbackStates,
  CallbacksApi,
} from './callbacks/api.ts';
export { CALLBACK_START_BYTES } from './callbacks/claimed-ids.ts';
export { createBeckon } from './create.ts';
export type { EmailApi, EmailAudienceInput, EmailInput, LinkRequest } from './email/api.ts';
export type { BouncesApi, BounceTaken } from './email/bounces-api.ts';
export type {
  DnsRecord,
  DomainCheck,
  EmailDomain,
  EmailDomainChecked,
  EmailDomainInput,
  EmailDomainsApi,
} from './email/domains/api.ts';
export type { Erasure, ErasureRequested } from './erasure/api.ts';
// Errors, for whoever maps them to another protocol.
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
} from './errors.ts';
export type {
  Accepted,
  BatchAnswer,
  BatchOptions,
  EventBatchInput,
  EventInput,
  EventQuery,
  EventRecord,
  EventsApi,
  ExplainedEvent,
  FieldErrors,
  IdentifyInput,
  IngestOptions,
  WorkflowVerdict,
} from './events/api.ts';
// What an adapter needs to read requests as core does.
export { CATALOG, type CatalogName, RAISED_NAMES } from './events/catalog.ts';
export type { EventSource } from './events/schema.ts';
export { eventsInBatch, IDENTIFY_SHAPE, MAX_BATCH } from './events/schema.ts';
export type { AcceptedEvent, EndedMessage, Hook, Hooks } from './host/hooks.ts';
export type { AdapterRequest, IdempotencyOptions, JoinOptions } from './idempotency/api.ts';
export type { AttemptKind, CallBucket, CallKind, CallsApi, LimitedCall, LimitsApi, OrgCallKind } from './limits/api.ts';
export type { LoadApi, Strain } from './limits/strain.ts';
export type { BeckonOptions } from './options.ts';
export type { PlansApi } from './plans/api.ts';
export type { Gate, Plan, PlanInput } from './plans/plan.ts';
export type { SendClass } from './primitives/channel.ts';
export { CHANNELS, type Channel } from './primitives/channel.ts';
// Ports with their usual implementation.
export { type Clock, systemClock, virtualClock } from './primitives/clock.ts';
// What an adapter needs to read requests as core does, and for callbacks that nobody waits for.
export { contained } from './primitives/contained.ts';
// How long whoever asks can wait.
export { withDeadline } from './primitives/deadline.ts';
// How many definitions there may be.
export { DEFINITION_CAPS } from './primitives/definition-caps.ts';
export type { ApnsEnvironment, Platform } from './primitives/device-platform.ts';
export { type Ids, uuidV7Ids } from './primitives/ids.ts';
export { parseJson } from './primitives/json.ts';
export type { JsonValue } from './primitives/json-value.ts';
export type { KeyKind } from './primitives/key-kind.ts';
export type { Log } from './primitives/log.ts';
export type { Meter } from './primitives/meter.ts';
export type { ListQuery, Page, PageQuery, Pagination } from './primitives/page.ts';
export { DEFAULT_LIMIT, MAX_LIMIT, pageLimit } from './primitives/page.ts';
export { isPlaceholderUserId, PLACEHOLDER_USER_ID } from './primitives/placeholder-user-id.ts';
export { ENVIRONMENTS, type Environment, type ProjectScope, type Scope } from './primitives/scope.ts';
export { newMasterKey, parseMasterKeys } from './primitives/secrets.ts';
export type { BodyShape } from './primitives/skim.ts';
export type {
  AudienceSummary,
  PlaceholderUser,
  Profile,
  ProfileInput,
  ProfileQuery,
  PushToken,
} from './profiles/api.ts';
export type {
  ByName,
  DeliveryHealth,
  NamedProvider,
  Provider,
  ProviderOf,
  ProviderState,
  ProviderStates,
  ProviderTest,
} from './providers/api.ts';
// The names that a channel's settings have.
export { PROVIDERS } from './providers/names.ts';
export type { OutboundOptions } from './providers/outbound.ts';
export type { OwnTransport, OwnTransports } from './providers/own-transport.ts';
export type {
  DeviceInput,
  PushApi,
  PushAudienceInput,
  PushDeliveredInput,
  PushInput,
  PushOpenInput,
  TokensApi,
} from './push/api.ts';
export type {
  Geofence,
  GeofenceEventInput,
  GeofenceInput,
  GeofencePatch,
  GeofencesApi,
  NearGeofence,
} from './push/geofences/api.ts';
export { GEOFENCE_REPORT_SHAPE, TRANSITIONS } from './push/geofences/schema.ts';
export type {
  ActivityEndInput,
  ActivityStartInput,
  ActivityTokenInput,
  ActivityTold,
  ActivityUpdateInput,
  LiveActivitiesApi,
  LiveActivity,
  LiveActivityQuery,
} from './push/live-activities/api.ts';
export { ACTIVITY_STATUSES, ACTIVITY_TOKEN_SHAPE } from './push/live-activities/schema.ts';
export { REGISTRATION_SHAPE, REPORT_SHAPE } from './push/schema.ts';
export type { Run, RunQuery, RunStep, RunWithSteps, TriggerEvent } from './runs/api.ts';
export type { StoredStep } from './runs/cursor.ts';
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
} from './runs/figures/api.ts';
export type { ExitReason, RunOutcome, RunStatus, StepOutcome } from './runs/schema.ts';
export { RUN_STATUSES } from './runs/schema.ts';
export type { ImportWarning } from './runs/steps/import-warnings.ts';
export type { Step } from './runs/steps/list.ts';
export type {
  DryRun,
  DryRunMessage,
  ExplainedMessage,
  GateVerdict,
  Message,
  MessageExplanation,
  MessageQuery,
  Saw,
  Send,
  SendOptions,
  SendPace,
  SendQuery,
  SendsApi,
} from './sending/api.ts';
export type { ListReason } from './sending/listed.ts';
export { LIST_REASONS } from './sending/listed.ts';
export type {
  MessageReason,
  MessageStatus,
  RenderFailure,
  Role,
  SendSource,
  SendStatus,
  SuppressionReason,
} from './sending/schema.ts';
export { MESSAGE_STATUSES, SEND_STATUSES } from './sending/schema.ts';
export type { Settings, SettingsApi, SettingsInput } from './settings/api.ts';
// A bundle without a database.
export { simulate } from './simulate.ts';
export type { SmsApi, SmsAudienceInput, SmsFacts, SmsInput } from './sms/api.ts';
export type { HostRow, HostTransaction } from './storage/along.ts';
export { HostReactionError } from './storage/along.ts';
export { BackupError, type BackupReason } from './storage/backup/error.ts';
export { isOutcomeUnknown, isUnavailable, StorageError, timeoutOf } from './storage/errors.ts';
export { type DatabaseFacts, examineDatabase } from './storage/examine.ts';
export { SchemaError, type SchemaState } from './storage/migrate.ts';
export type { PostgresClient, PostgresPool } from './storage/postgres/host.ts';
export { type DatabaseSchema, databaseSchema } from './storage/schema.ts';
export { UnsafeDatabase } from './storage/sqlite/file.ts';
export type {
  ChannelSubscription,
  Subscriptions,
  SubscriptionsApi,
  SubscriptionsInput,
  UnsubscribeChange,
  UnsubscribePage,
} from './subscriptions/api.ts';
export type {
  Suppression,
  SuppressionInput,
  SuppressionQuery,
  SuppressionRemovalInput,
  SuppressionsApi,
} from './suppressions/api.ts';
export type { ListChannel, ListSource } from './suppressions/schema.ts';
export { LIST_CHANNELS, LIST_SOURCES, MAX_ADDRESSES } from './suppressions/schema.ts';
export type {
  PreviewInput,
  TemplateQuery,
  TemplateRow,
  TemplateSummary,
  TemplateVersionOptions,
} from './templates/api.ts';
export type { TemplateWarning } from './templates/kind.ts';
export { type Asked, resolveScope } from './tenancy/access.ts';
export type {
  ApiKey,
  Grant,
  MasterKeyRotation,
  NewKey,
  Org,
  Principal,
  Project,
  RotateOptions,
  SecretsApi,
  TenancyApi,
} from './tenancy/api.ts';
export type { KeyScope } from './tenancy/scopes.ts';
export { KEY_SCOPES } from './tenancy/scopes.ts';
export type { SecretInput, SigningRotation, WorkflowSecret, WorkflowSecretsApi } from './tenancy/secrets/api.ts';
export { WrongMasterKey } from './tenancy/wrong-master-key.ts';
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
} from './transports/port.ts';
export type { ContentOf, OutboxApi, OutboxQuery, SandboxContent, SandboxMessage } from './transports/sandbox/api.ts';
// What an operator makes once.
export { generateVapidKeys } from './transports/web-push/settings.ts';
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
} from './webhooks/api.ts';
export { DELIVERY_STATUSES, DELIVERY_TRIGGERS, DISABLED_REASONS } from './webhooks/schema.ts';
export { signedHeaders } from './webhooks/sign.ts';
// What describes the interface.
export { type BodyName, bodySchemas, definitionSchemas, nullIsAbsent, templateFields, words } from './wire.ts';
// A whole database as a file.
export { type Backup, backupDatabase, restoreDatabase } from './wiring/backup.ts';
export type { QueueState } from './work/queue-state.ts';
export type {
  BundleExport,
  BundleInput,
  ImportAnswer,
  ImportOptions,
  VersionOptions,
  WorkflowInput,
  WorkflowPatch,
  WorkflowQuery,
  WorkflowRecord,
  WorkflowRow,
  WorkflowSaved,
  WorkflowSummary,
  WorkflowsApi,
} from './workflows/api.ts';
export { type CheckedBundle, checkBundle } from './workflows/check.ts';
export type { Trigger, Workflow } from './workflows/schema.ts';
export type { SimulatedSend, SimulatedStep, SimulateInput, Simulation } from './workflows/simulate/api.ts';
