import type { AiApi } from '../automation/ai/api.ts';
import type { RunsApi } from '../automation/runs/api.ts';
import type { WorkflowsApi } from '../automation/workflows/api.ts';
import type { OutboxApi } from '../delivery/transports/sandbox/api.ts';
import type { WholeList } from '../foundation/page.ts';
import type { Scope } from '../foundation/scope.ts';
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
import type { LoadApi } from '../platform/limits/strain.ts';
import type { PlansApi } from '../platform/plans/api.ts';
import type { SecretsApi, TenancyApi } from '../platform/tenancy/api.ts';
import type { WorkflowSecretsApi } from '../platform/tenancy/secrets/api.ts';
import type { WebhooksApi } from '../webhooks/api.ts';
import type { Health } from './answers.generated.ts';
import type { ProjectClient } from './bound.ts';
import type { ProfilesApi, TemplatesApi } from './messages-api.ts';

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

/** The whole service inside a host program. Every function promises what its group says above. */
export type Beckon = {
  readonly tenancy: TenancyApi;
  readonly secrets: SecretsApi & WorkflowSecretsApi;
  readonly events: EventsApi;
  readonly profiles: ProfilesApi;
  readonly audiences: AudiencesApi;
  readonly workflows: WorkflowsApi;
  readonly runs: RunsApi;
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
  /**
   * The client of one project and environment: the same functions without `scope` in each call. Made once for each scope.
   * Throws TypeError for a scope that is not from `tenancy.scope`.
   */
  for(scope: Scope): ProjectClient;
  /** How much waits in each queue of the worker, of all tenants. Throws what the database throws. */
  queues(): Promise<WholeList<QueueState>>;
  /**
   * Stops the worker, finishes what was accepted, closes the database. Idempotent. Closes everything although a part fails;
   * then it rejects with an AggregateError of what failed.
   */
  close(): Promise<void>;
};

/** Beckon with the client of the project that its options name. */
export type BeckonWithProject = Beckon & {
  /** The client of the project that the options `org` and `project` name. */
  readonly project: ProjectClient;
};
