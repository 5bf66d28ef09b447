// The service inside a host program.

export { AB_TEST_STATUSES } from './ab-tests/schema.ts';
// What goes in and comes out.
export {
  type AbTest,
  type AbTestCompletion,
  type AbTestInput,
  type AbTestMetric,
  type AbTestPatch,
  type AbTestQuery,
  type AbTestStats,
  type AbTestsApi,
  type AbTestVariant,
  type AbTestVariantStats,
  type Accepted,
  type AcceptedEvent,
  type AdapterRequest,
  type ApiKey,
  type ApnsEnvironment,
  type Attachment,
  type BatchAnswer,
  type BatchOptions,
  type Beckon,
  type BeckonOptions,
  type BundleExport,
  type BundleInput,
  type ByName,
  CHANNELS,
  type Channel,
  type ContentOf,
  type DeliveryHealth,
  type DeviceInput,
  type DryRun,
  type DryRunMessage,
  type EmailApi,
  type EmailInput,
  type EmailMessage,
  type EndedMessage,
  type Erasure,
  type ErasureRequested,
  type EventBatchInput,
  type EventInput,
  type EventQuery,
  type EventRecord,
  type EventSource,
  type EventsApi,
  type ExitReason,
  type ExplainedEvent,
  type ExplainedMessage,
  type FieldErrors,
  type GateVerdict,
  type Grant,
  type Health,
  type Hook,
  type Hooks,
  type HostRow,
  type HostTransaction,
  type HostTransport,
  type IdempotencyOptions,
  type IdentifyInput,
  type ImportAnswer,
  type ImportOptions,
  type ImportWarning,
  type IngestOptions,
  type JoinOptions,
  type KeyKind,
  type KeyScope,
  type ListQuery,
  type Log,
  type Mailbox,
  type MasterKeyRotation,
  type Message,
  type MessageExplanation,
  type MessageOf,
  type MessageQuery,
  type MessageReason,
  type MessageStatus,
  type Meter,
  type NamedProvider,
  type NewKey,
  type Org,
  type OutboundOptions,
  type OutboxApi,
  type OutboxQuery,
  type OwnTransport,
  type OwnTransports,
  type Page,
  type PageQuery,
  type Pagination,
  type Platform,
  type PostgresClient,
  type PostgresPool,
  type Principal,
  type Profile,
  type ProfileInput,
  type ProfileQuery,
  type ProfilesApi,
  type Project,
  type Provider,
  type ProviderOf,
  type ProviderState,
  type ProviderStates,
  type ProviderTest,
  type PushAction,
  type PushApi,
  type PushDeliveredInput,
  type PushInput,
  type PushMessage,
  type PushOpenInput,
  type PushToken,
  type QueueState,
  type RenderFailure,
  type Role,
  type RotateOptions,
  type Run,
  type RunOutcome,
  type RunQuery,
  type RunStatus,
  type RunStep,
  type RunWithSteps,
  type SandboxContent,
  type SandboxMessage,
  type Saw,
  type SecretsApi,
  type Send,
  type SendClass,
  type SendContext,
  type SendOptions,
  type SendOutcome,
  type SendQuery,
  type SendSource,
  type SendStatus,
  type SendsApi,
  type Settings,
  type SettingsApi,
  type SettingsInput,
  type SmsApi,
  type SmsFacts,
  type SmsInput,
  type SmsMessage,
  type Step,
  type StepOutcome,
  type SuppressionReason,
  type TenancyApi,
  type TokensApi,
  type Trigger,
  type TriggerEvent,
  type VersionOptions,
  type WorkerApi,
  type Workflow,
  type WorkflowInput,
  type WorkflowPatch,
  type WorkflowQuery,
  type WorkflowRecord,
  type WorkflowRow,
  type WorkflowSaved,
  type WorkflowSummary,
  type WorkflowsApi,
  type WorkflowVerdict,
} from './api.ts';
export { createBeckon } from './create.ts';
// Errors, for whoever maps them to another protocol.
export {
  BeckonError,
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
  scopeRequired,
  unauthorized,
  validationError,
} from './errors.ts';
// What an adapter needs to read requests as core does.
export { IDENTIFY_SHAPE } from './events/schema.ts';
// Ports with their usual implementation.
export { type Clock, systemClock, virtualClock } from './primitives/clock.ts';
// What an adapter needs to read requests as core does, and for callbacks that nobody waits for.
export { contained } from './primitives/contained.ts';
export { type Ids, uuidV7Ids } from './primitives/ids.ts';
export { parseJson } from './primitives/json.ts';
export type { JsonValue } from './primitives/json-value.ts';
export { DEFAULT_LIMIT, MAX_LIMIT, pageLimit } from './primitives/page.ts';
export { ENVIRONMENTS, type Environment, type ProjectScope, type Scope } from './primitives/scope.ts';
export { newMasterKey, parseMasterKeys } from './primitives/secrets.ts';
export type { BodyShape } from './primitives/skim.ts';
// The names that a channel's settings have.
export { PROVIDERS } from './providers/names.ts';
export { REGISTRATION_SHAPE, REPORT_SHAPE } from './push/schema.ts';
export { RUN_STATUSES } from './runs/schema.ts';
export { MESSAGE_STATUSES, SEND_STATUSES } from './sending/schema.ts';
export { HostReactionError } from './storage/along.ts';
export { isOutcomeUnknown, isUnavailable, StorageError } from './storage/errors.ts';
export { SchemaError, type SchemaState } from './storage/migrate.ts';
export { type DatabaseSchema, databaseSchema } from './storage/schema.ts';
export { UnsafeDatabase } from './storage/sqlite/file.ts';
export { type Asked, resolveScope } from './tenancy/access.ts';
export { KEY_SCOPES } from './tenancy/scopes.ts';
export { WrongMasterKey } from './tenancy/wrong-master-key.ts';
// What an operator makes once.
export { generateVapidKeys } from './transports/web-push/settings.ts';
// What describes the interface.
export { type BodyName, bodySchemas, definitionSchemas, words } from './wire.ts';
// A bundle without a database.
export { type CheckedBundle, checkBundle } from './workflows/check.ts';
