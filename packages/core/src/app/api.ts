import type { AiApi } from '../automation/ai/api.ts';
import type { RunsApi } from '../automation/runs/api.ts';
import type { WorkflowsApi } from '../automation/workflows/api.ts';
import type { OutboxApi } from '../delivery/transports/sandbox/api.ts';
import type { WholeList } from '../foundation/page.ts';
import type { Scope } from '../foundation/scope.ts';
import type { Telemetry } from '../foundation/telemetry.ts';
import type { AuthApi, UsersApi } from '../identity/api.ts';
import type { OperatorsApi } from '../identity/operators/api.ts';
import type { AnalyticsApi } from '../insight/analytics/api.ts';
import type { QueueState } from '../jobs/queue-state.ts';
import type { AbTestsApi } from '../messaging/ab-tests/api.ts';
import type { CallbacksApi } from '../messaging/callbacks/api.ts';
import type { EmailApi } from '../messaging/email/api.ts';
import type { BouncesApi } from '../messaging/email/bounces-api.ts';
import type { EmailDomainsApi } from '../messaging/email/domains/api.ts';
import type { PushApi, TokensApi } from '../messaging/push/api.ts';
import type { GeofencesApi } from '../messaging/push/geofences/api.ts';
import type { LiveActivitiesApi } from '../messaging/push/live-activities/api.ts';
import type { SendsApi } from '../messaging/sends/api.ts';
import type { SettingsApi } from '../messaging/settings/api.ts';
import type { SmsApi } from '../messaging/sms/api.ts';
import type { SubscriptionsApi } from '../messaging/subscriptions/api.ts';
import type { SuppressionsApi } from '../messaging/suppressions/api.ts';
import type { AudiencesApi } from '../people/audiences/api.ts';
import type { EventsApi } from '../people/events/api.ts';
import type { LimitsApi } from '../platform/limits/api.ts';
import type { LoadApi } from '../platform/limits/load.ts';
import type { PlansApi } from '../platform/plans/api.ts';
import type { SecretsApi, TenancyApi } from '../platform/tenancy/api.ts';
import type { WorkflowSecretsApi } from '../platform/tenancy/secrets/api.ts';
import type { WebhooksApi } from '../webhooks/api.ts';
import type { Health } from './answers.generated.ts';
import type { ProjectClient } from './bound.ts';
import type { ProfilesApi, TemplatesApi } from './messages-api.ts';

export type WorkerApi = {
  /** Starts to claim and handle jobs in this process. Idempotent. */
  start(): void;
  /**
   * Stops claiming, releases jobs that have not begun, and lets the others finish for `timeoutMs` (default 20 s). It
   * aborts what remains then and logs the number per queue. Calls that a provider or a receiver may have accepted keep
   * their leases, and another worker resumes them when these expire. Resolves at most two seconds after `timeoutMs`.
   * Also ends a `drain`.
   */
  stop(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /** Handles all due jobs, including those that they create, and returns the number of rows. */
  drain(): Promise<number>;
};

/** The whole service inside a host program. Each group's type documents its functions. */
export type Beckon = {
  readonly tenancy: TenancyApi;
  readonly secrets: SecretsApi & WorkflowSecretsApi;
  readonly events: EventsApi;
  readonly profiles: ProfilesApi;
  readonly audiences: AudiencesApi;
  readonly workflows: WorkflowsApi;
  readonly runs: RunsApi;
  /** AI providers, for AI steps. */
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
  /** Delivery webhooks of providers. */
  readonly callbacks: CallbacksApi;
  readonly bounces: BouncesApi;
  readonly suppressions: SuppressionsApi;
  readonly subscriptions: SubscriptionsApi;
  readonly emailDomains: EmailDomainsApi;
  /** Webhooks to your systems. */
  readonly webhooks: WebhooksApi;
  /** Analytics. */
  readonly analytics: AnalyticsApi;
  /** Sign-in of end users. */
  readonly auth: AuthApi;
  /** The end users who sign in. */
  readonly users: UsersApi;
  /** Those who run this deployment. */
  readonly operators: OperatorsApi;
  readonly limits: LimitsApi;
  readonly plans: PlansApi;
  readonly load: LoadApi;
  /** OpenTelemetry, for the HTTP handler; null: the host has not set it up. */
  readonly telemetry: Telemetry | null;
  readonly worker: WorkerApi;
  /** Health of database, schema, workers (whether due jobs wait without a worker) and time zone data. Never throws. */
  health(): Promise<Health>;
  /**
   * The client of one project and environment: the same functions without `scope` in each call. Created once per scope.
   * Throws TypeError for a scope that is not from `tenancy.scope`.
   */
  for(scope: Scope): ProjectClient;
  /** The number of waiting jobs in each queue of the worker, of all tenants. Throws what the database throws. */
  queues(): Promise<WholeList<QueueState>>;
  /**
   * Stops the worker, finishes accepted work, closes the database. Idempotent. Closes everything even if a part fails,
   * and then rejects with an AggregateError of the failures.
   */
  close(): Promise<void>;
};

/** Beckon with the client of the project that its options name. */
export type BeckonWithProject = Beckon & {
  /** The client of the project in the options `org` and `project`. */
  readonly project: ProjectClient;
};
