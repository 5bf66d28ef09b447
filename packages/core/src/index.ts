// The service inside a host program.

// What goes in and comes out.
export {
  type Accepted,
  type ApiKey,
  type BatchAnswer,
  type Beckon,
  type BeckonOptions,
  type BundleExport,
  CHANNELS,
  type Channel,
  type DeliveryHealth,
  type DryRun,
  type EmailApi,
  type EventRecord,
  type EventsApi,
  type FieldErrors,
  type Grant,
  type Health,
  type IdempotencyApi,
  type IdempotencyRequest,
  type ImportAnswer,
  type ImportWarning,
  type KeyKind,
  type Log,
  type Message,
  type NewKey,
  type Once,
  type Org,
  type OutboundOptions,
  type OutboxApi,
  type OutboxQuery,
  type Page,
  type PageQuery,
  type Pagination,
  type Principal,
  type Profile,
  type ProfilesApi,
  type Project,
  type ProviderState,
  type ProviderTest,
  type PushApi,
  type PushToken,
  type Run,
  type RunQuery,
  type RunStep,
  type SandboxMessage,
  type Send,
  type SendOptions,
  type SendQuery,
  type SendsApi,
  type SettingsApi,
  type SmsApi,
  type SmsFacts,
  type TenancyApi,
  type TokensApi,
  type WorkerApi,
  type WorkflowSummary,
  type WorkflowsApi,
} from './api.ts';
export { createBeckon } from './beckon.ts';
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
// Ports with their usual implementation.
export { type Clock, systemClock, virtualClock } from './primitives/clock.ts';
export { type Ids, uuidV7Ids } from './primitives/ids.ts';
// What an adapter needs to read requests as core does.
export { parseJson } from './primitives/json.ts';
export { DEFAULT_LIMIT, MAX_LIMIT, pageLimit } from './primitives/page.ts';
export { ENVIRONMENTS, type Environment, type ProjectScope, type Scope } from './primitives/scope.ts';
export { newMasterKey, parseMasterKeys } from './primitives/secrets.ts';
// The names that a channel's settings have.
export { PROVIDERS } from './providers/names.ts';
export { SEND_STATUSES } from './sending/schema.ts';
export { isUnavailable, StorageError } from './storage/errors.ts';
export { SchemaError, type SchemaState } from './storage/migrate.ts';
export { type DatabaseSchema, databaseSchema } from './storage/schema.ts';
export { type Asked, resolveScope } from './tenancy/access.ts';
export { KEY_SCOPES } from './tenancy/scopes.ts';
export { WrongMasterKey } from './tenancy/wrong-master-key.ts';
// What an operator makes once.
export { generateVapidKeys } from './transports/web-push/settings.ts';
