// The groups of functions of one project and environment, without the scope that each of them takes first.

import type { RunsApi } from '../automation/runs/api.ts';
import type { WorkflowsApi } from '../automation/workflows/api.ts';
import type { OutboxApi } from '../delivery/transports/sandbox/api.ts';
import type { Channel } from '../foundation/channel.ts';
import type { Scope } from '../foundation/scope.ts';
import type { AuthApi, UsersApi } from '../identity/api.ts';
import type { AnalyticsApi } from '../insight/analytics/api.ts';
import type { AbTest } from '../messaging/ab-tests/answers.generated.ts';
import type { AbTestInput, AbTestPatch, AbTestsApi } from '../messaging/ab-tests/api.ts';
import type { CallbacksApi } from '../messaging/callbacks/api.ts';
import type { EmailApi } from '../messaging/email/api.ts';
import type { EmailDomainsApi } from '../messaging/email/domains/api.ts';
import type { PushApi, TokensApi } from '../messaging/push/api.ts';
import type { GeofencesApi } from '../messaging/push/geofences/api.ts';
import type { LiveActivitiesApi } from '../messaging/push/live-activities/api.ts';
import type { DryRun } from '../messaging/sends/answers.generated.ts';
import type { SendCall, SendOptions, SendsApi } from '../messaging/sends/api.ts';
import type { Settings, SettingsApi, SettingsInput } from '../messaging/settings/api.ts';
import type { SmsApi } from '../messaging/sms/api.ts';
import type { SubscriptionsApi } from '../messaging/subscriptions/api.ts';
import type { SuppressionsAdded, SuppressionsRemoved } from '../messaging/suppressions/answers.generated.ts';
import type { SuppressionInput, SuppressionRemovalInput, SuppressionsApi } from '../messaging/suppressions/api.ts';
import type { ListChannel } from '../messaging/suppressions/schema.ts';
import type { PreviewInput, TemplateVersionOptions } from '../messaging/templates/api.ts';
import type { AudiencesApi } from '../people/audiences/api.ts';
import type { EventsApi } from '../people/events/api.ts';
import type { WorkflowSecretsApi } from '../platform/tenancy/secrets/api.ts';
import type { WebhooksApi } from '../webhooks/api.ts';
import type {
  ProfilesApi,
  TemplateInput,
  TemplatePatch,
  TemplatePreview,
  TemplateRecord,
  TemplateSaved,
  TemplatesApi,
} from './messages-api.ts';

/** A `SendCall` without its scope. */
export type BoundSend<Input extends object, Accepted, Tried> = {
  (body: Input & { readonly dryRun?: false | undefined }, options?: SendOptions): Promise<Accepted>;
  (body: Input & { readonly dryRun: true }, options?: SendOptions): Promise<Tried>;
  (body: Input, options?: SendOptions): Promise<Accepted | Tried>;
};

type BoundCall<Call> =
  Call extends SendCall<infer Input, infer Accepted, infer Tried extends DryRun>
    ? BoundSend<Input, Accepted, Tried>
    : Call extends (scope: Scope, ...rest: infer Rest) => infer Answer
      ? (...rest: Rest) => Answer
      : never;

type TakesScope<Call> = Call extends (first: infer First, ...rest: never) => unknown
  ? Scope extends First
    ? true
    : false
  : false;

/** The functions of a group that take a scope, without that parameter. Other functions are left out. */
export type Bound<Api> = {
  readonly [Name in keyof Api as TakesScope<Api[Name]> extends true ? Name : never]: BoundCall<Api[Name]>;
};

/** `Beckon.settings` of one scope. */
export interface BoundSettings extends Bound<Omit<SettingsApi, 'get' | 'update'>> {
  /** As `SettingsApi.get`. */
  get<C extends Channel>(channel: C): Promise<Settings<C>>;
  /** As `SettingsApi.update`. */
  update<C extends Channel>(channel: C, body: SettingsInput<C>): Promise<Settings<C>>;
}

/** `Beckon.abTests` of one scope. */
export interface BoundAbTests extends Bound<Omit<AbTestsApi, 'create' | 'update'>> {
  /** As `AbTestsApi.create`. */
  create<C extends Channel>(channel: C, body: AbTestInput<C>): Promise<AbTest>;
  /** As `AbTestsApi.update`. */
  update<C extends Channel>(channel: C, id: string, body: AbTestPatch<C>): Promise<AbTest>;
}

/** `Beckon.suppressions` of one scope. */
export interface BoundSuppressions extends Bound<Omit<SuppressionsApi, 'add' | 'remove'>> {
  /** As `SuppressionsApi.add`. */
  add<C extends ListChannel>(channel: C, body: SuppressionInput<C>): Promise<SuppressionsAdded>;
  /** As `SuppressionsApi.remove`. */
  remove<C extends ListChannel>(channel: C, body: SuppressionRemovalInput<C>): Promise<SuppressionsRemoved>;
}

/** `Beckon.templates` of one scope. */
export interface BoundTemplates extends Bound<Omit<TemplatesApi, 'create' | 'get' | 'update' | 'preview'>> {
  /** As `TemplatesApi.create`. */
  create<C extends Channel>(channel: C, template: TemplateInput<C>): Promise<TemplateSaved<C>>;
  /** As `TemplatesApi.get`. */
  get<C extends Channel>(channel: C, id: string): Promise<TemplateRecord<C>>;
  /** As `TemplatesApi.update`. */
  update<C extends Channel>(
    channel: C,
    id: string,
    patch: TemplatePatch<C>,
    options?: TemplateVersionOptions,
  ): Promise<TemplateSaved<C>>;
  /** As `TemplatesApi.preview`. */
  preview<C extends Channel>(channel: C, id: string, input?: PreviewInput): Promise<TemplatePreview<C>>;
}

/**
 * Beckon for one project and environment: the functions of `Beckon` without their first parameter. They return and
 * throw what those of `Beckon` do.
 */
export interface ProjectClient {
  /** Organization, project and environment that the functions act on. */
  readonly scope: Scope;
  readonly events: Bound<EventsApi>;
  readonly profiles: Bound<ProfilesApi>;
  readonly audiences: Bound<AudiencesApi>;
  readonly workflows: Bound<WorkflowsApi>;
  readonly runs: Bound<RunsApi>;
  readonly push: Bound<PushApi>;
  readonly tokens: Bound<TokensApi>;
  readonly geofences: Bound<GeofencesApi>;
  readonly liveActivities: Bound<LiveActivitiesApi>;
  readonly email: Bound<EmailApi>;
  readonly sms: Bound<SmsApi>;
  readonly sends: Bound<SendsApi>;
  readonly abTests: BoundAbTests;
  readonly settings: BoundSettings;
  readonly templates: BoundTemplates;
  readonly outbox: Bound<OutboxApi>;
  readonly callbacks: Bound<CallbacksApi>;
  readonly suppressions: BoundSuppressions;
  readonly subscriptions: Bound<SubscriptionsApi>;
  readonly emailDomains: Bound<EmailDomainsApi>;
  /** Secrets of workflows. */
  readonly secrets: Bound<WorkflowSecretsApi>;
  readonly webhooks: Bound<WebhooksApi>;
  readonly analytics: Bound<AnalyticsApi>;
  readonly auth: Bound<AuthApi>;
  readonly users: Bound<UsersApi>;
}
