// The answers of all modules: the source of their types, the API description, the SDK's types and the reference.

import type { z } from 'zod';
import type { Answers as AiAnswers } from '../automation/ai/answers.generated.ts';
import { aiAnswers } from '../automation/ai/answers.ts';
import type { Answers as RunAnswers } from '../automation/runs/answers.generated.ts';
import { runAnswers } from '../automation/runs/answers.ts';
import type { Answers as FigureAnswers } from '../automation/runs/figures/answers.generated.ts';
import { figureAnswers } from '../automation/runs/figures/answers.ts';
import type { Answers as WorkflowAnswers } from '../automation/workflows/answers.generated.ts';
import { workflowAnswers } from '../automation/workflows/answers.ts';
import type { Answers as SimulationAnswers } from '../automation/workflows/simulate/answers.generated.ts';
import { simulationAnswers } from '../automation/workflows/simulate/answers.ts';
import type { Answers as ProviderAnswers } from '../delivery/providers/answers.generated.ts';
import { providerAnswers } from '../delivery/providers/answers.ts';
import type { Answers as OutboxAnswers } from '../delivery/transports/sandbox/answers.generated.ts';
import { outboxAnswers } from '../delivery/transports/sandbox/answers.ts';
import type { AnswerSchemas } from '../foundation/answers.ts';
import type { Answers as PasskeyAnswers } from '../identity/authenticators/answers.generated.ts';
import { passkeyAnswers } from '../identity/authenticators/answers.ts';
import type { Answers as ClaimsAnswers } from '../identity/claims/answers.generated.ts';
import { claimsAnswers } from '../identity/claims/answers.ts';
import type { Answers as ExchangeAnswers } from '../identity/exchange/answers.generated.ts';
import { exchangeAnswers } from '../identity/exchange/answers.ts';
import type { Answers as FactorAnswers } from '../identity/factors/answers.generated.ts';
import { factorAnswers } from '../identity/factors/answers.ts';
import type { Answers as ImportAnswers } from '../identity/import/answers.generated.ts';
import { importAnswers } from '../identity/import/answers.ts';
import type { Answers as LinkAnswers } from '../identity/links/answers.generated.ts';
import { linkAnswers } from '../identity/links/answers.ts';
import type { Answers as ScimAnswers } from '../identity/scim/answers.generated.ts';
import { scimAnswers } from '../identity/scim/answers.ts';
import type { Answers as AuthAnswers } from '../identity/shapes/answers.generated.ts';
import { authAnswers } from '../identity/shapes/answers.ts';
import type { Answers as SocialAnswers } from '../identity/social/answers.generated.ts';
import { socialAnswers } from '../identity/social/answers.ts';
import type { Answers as SsoAnswers } from '../identity/sso/answers.generated.ts';
import { ssoAnswers } from '../identity/sso/answers.ts';
import type { Answers as AnalyticsAnswers } from '../insight/analytics/answers.generated.ts';
import { analyticsAnswers } from '../insight/analytics/answers.ts';
import type { Answers as AbTestAnswers } from '../messaging/ab-tests/answers.generated.ts';
import { abTestAnswers } from '../messaging/ab-tests/answers.ts';
import type { Answers as CallbackAnswers } from '../messaging/callbacks/answers.generated.ts';
import { callbackAnswers } from '../messaging/callbacks/answers.ts';
import type { Answers as EmailDomainAnswers } from '../messaging/email/domains/answers.generated.ts';
import { emailDomainAnswers } from '../messaging/email/domains/answers.ts';
import type { Answers as PushAnswers } from '../messaging/push/answers.generated.ts';
import { pushAnswers } from '../messaging/push/answers.ts';
import type { Answers as GeofenceAnswers } from '../messaging/push/geofences/answers.generated.ts';
import { geofenceAnswers } from '../messaging/push/geofences/answers.ts';
import type { Answers as LiveActivityAnswers } from '../messaging/push/live-activities/answers.generated.ts';
import { liveActivityAnswers } from '../messaging/push/live-activities/answers.ts';
import type { Answers as SendAnswers } from '../messaging/sends/answers.generated.ts';
import { sendAnswers } from '../messaging/sends/answers.ts';
import type { Answers as SettingsAnswers } from '../messaging/settings/answers.generated.ts';
import { settingsAnswers } from '../messaging/settings/answers.ts';
import type { Answers as SubscriptionAnswers } from '../messaging/subscriptions/answers.generated.ts';
import { subscriptionAnswers } from '../messaging/subscriptions/answers.ts';
import type { Answers as SuppressionAnswers } from '../messaging/suppressions/answers.generated.ts';
import { suppressionAnswers } from '../messaging/suppressions/answers.ts';
import type { Answers as TemplateAnswers } from '../messaging/templates/answers.generated.ts';
import { templateAnswers } from '../messaging/templates/answers.ts';
import type { Answers as AudienceAnswers } from '../people/audiences/answers.generated.ts';
import { audienceAnswers } from '../people/audiences/answers.ts';
import type { Answers as EventAnswers } from '../people/events/answers.generated.ts';
import { eventAnswers } from '../people/events/answers.ts';
import type { Answers as ProfileAnswers } from '../people/profiles/answers.generated.ts';
import { profileAnswers } from '../people/profiles/answers.ts';
import type { Answers as ErasureAnswers } from '../platform/erasure/answers.generated.ts';
import { erasureAnswers } from '../platform/erasure/answers.ts';
import type { Answers as TenancyAnswers } from '../platform/tenancy/answers.generated.ts';
import { tenancyAnswers } from '../platform/tenancy/answers.ts';
import type { Answers as SecretAnswers } from '../platform/tenancy/secrets/answers.generated.ts';
import { secretAnswers } from '../platform/tenancy/secrets/answers.ts';
import type { Answers as WebhookAnswers } from '../webhooks/answers.generated.ts';
import { webhookAnswers } from '../webhooks/answers.ts';
import type { Answers as ServiceAnswers } from './answers.generated.ts';
import { serviceAnswers } from './service-answers.ts';

/** Every answer, by the name of its type. */
export interface AnswerTypes
  extends ProviderAnswers,
    OutboxAnswers,
    SendAnswers,
    CallbackAnswers,
    TemplateAnswers,
    AbTestAnswers,
    SuppressionAnswers,
    SubscriptionAnswers,
    SettingsAnswers,
    EmailDomainAnswers,
    PushAnswers,
    GeofenceAnswers,
    LiveActivityAnswers,
    EventAnswers,
    ProfileAnswers,
    AudienceAnswers,
    ErasureAnswers,
    TenancyAnswers,
    SecretAnswers,
    AiAnswers,
    WorkflowAnswers,
    RunAnswers,
    FigureAnswers,
    SimulationAnswers,
    WebhookAnswers,
    ImportAnswers,
    AuthAnswers,
    ClaimsAnswers,
    ExchangeAnswers,
    ScimAnswers,
    SocialAnswers,
    SsoAnswers,
    FactorAnswers,
    PasskeyAnswers,
    LinkAnswers,
    AnalyticsAnswers,
    ServiceAnswers {}

/** Name of an answer, which is also the name of its type. */
export type AnswerName = keyof AnswerTypes;

/**
 * The schemas of each module's answers, by the folder of the module. The generator of types reads it.
 *
 * @internal
 */
export const answerModules = {
  'delivery/providers': providerAnswers,
  'delivery/transports/sandbox': outboxAnswers,
  'identity/authenticators': passkeyAnswers,
  'identity/claims': claimsAnswers,
  'identity/import': importAnswers,
  'identity/exchange': exchangeAnswers,
  'identity/factors': factorAnswers,
  'identity/links': linkAnswers,
  'identity/shapes': authAnswers,
  'identity/scim': scimAnswers,
  'identity/social': socialAnswers,
  'identity/sso': ssoAnswers,
  'messaging/sends': sendAnswers,
  'messaging/callbacks': callbackAnswers,
  'messaging/templates': templateAnswers,
  'messaging/ab-tests': abTestAnswers,
  'messaging/suppressions': suppressionAnswers,
  'messaging/subscriptions': subscriptionAnswers,
  'messaging/settings': settingsAnswers,
  'messaging/email/domains': emailDomainAnswers,
  'messaging/push': pushAnswers,
  'messaging/push/geofences': geofenceAnswers,
  'messaging/push/live-activities': liveActivityAnswers,
  'people/events': eventAnswers,
  'people/profiles': profileAnswers,
  'people/audiences': audienceAnswers,
  'platform/erasure': erasureAnswers,
  'platform/tenancy': tenancyAnswers,
  'platform/tenancy/secrets': secretAnswers,
  'automation/ai': aiAnswers,
  'automation/workflows': workflowAnswers,
  'automation/runs': runAnswers,
  'automation/runs/figures': figureAnswers,
  'automation/workflows/simulate': simulationAnswers,
  webhooks: webhookAnswers,
  'insight/analytics': analyticsAnswers,
  app: serviceAnswers,
} as const satisfies Readonly<Record<string, () => Readonly<Record<string, z.ZodType>>>>;

/** The schemas of all answers by their names, with dates as `Date`. Built at the first call. Throws nothing. */
export const answerSchemas = (): AnswerSchemas<AnswerTypes> => ({
  ...providerAnswers(),
  ...outboxAnswers(),
  ...importAnswers(),
  ...authAnswers(),
  ...claimsAnswers(),
  ...exchangeAnswers(),
  ...scimAnswers(),
  ...socialAnswers(),
  ...ssoAnswers(),
  ...factorAnswers(),
  ...passkeyAnswers(),
  ...linkAnswers(),
  ...sendAnswers(),
  ...callbackAnswers(),
  ...templateAnswers(),
  ...abTestAnswers(),
  ...suppressionAnswers(),
  ...subscriptionAnswers(),
  ...settingsAnswers(),
  ...emailDomainAnswers(),
  ...pushAnswers(),
  ...geofenceAnswers(),
  ...liveActivityAnswers(),
  ...eventAnswers(),
  ...profileAnswers(),
  ...audienceAnswers(),
  ...erasureAnswers(),
  ...tenancyAnswers(),
  ...secretAnswers(),
  ...aiAnswers(),
  ...workflowAnswers(),
  ...runAnswers(),
  ...figureAnswers(),
  ...simulationAnswers(),
  ...webhookAnswers(),
  ...analyticsAnswers(),
  ...serviceAnswers(),
});
