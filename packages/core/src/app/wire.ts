// Schemas of inputs by the names of their types, for adapters that publish an API description. Schemas of answers are
// in answers.ts.

import { z } from 'zod';
import { aiSettingsBody } from '../automation/ai/schema.ts';
import { type Step, stepTypes } from '../automation/runs/steps/list.ts';
import { bundleSchema, type Trigger, workflowBody, workflowPatch } from '../automation/workflows/schema.ts';
import { simulateBody } from '../automation/workflows/simulate/schema.ts';
import { mailAddress } from '../foundation/email-address.ts';
import { jsonKeywords } from '../foundation/json-keywords.ts';
import { phoneNumber } from '../foundation/phone-number.ts';
import { authSettingsChange } from '../identity/auth-settings/schema.ts';
import * as passkeys from '../identity/authenticators/bodies.ts';
import { claimsTemplateBody, previewClaimsBody } from '../identity/claims/bodies.ts';
import { exchangeBody } from '../identity/exchange/bodies.ts';
import * as factors from '../identity/factors/bodies.ts';
import * as guests from '../identity/guests/bodies.ts';
import { importBody } from '../identity/import/bodies.ts';
import * as links from '../identity/links/bodies.ts';
import * as scim from '../identity/scim/bodies.ts';
import * as auth from '../identity/shapes/bodies.ts';
import { linkIdentityBody, socialProviderBody, socialSignInBody } from '../identity/social/bodies.ts';
import * as sso from '../identity/sso/bodies.ts';
import { funnelBody } from '../insight/analytics/schema.ts';
import { abTestBodies, abTestPatches, completeBody } from '../messaging/ab-tests/schema.ts';
import { emailDomainBody } from '../messaging/email/domains/schema.ts';
import { emailAudienceInput, emailInput } from '../messaging/email/schema.ts';
import { emailTemplate } from '../messaging/email/template.ts';
import { pushAudienceInput, pushInput } from '../messaging/push/body.ts';
import { geofenceBody, geofenceEventBody, geofencePatch } from '../messaging/push/geofences/schema.ts';
import {
  activityEndBody,
  activityStartBody,
  activityTokenBody,
  activityUpdateBody,
} from '../messaging/push/live-activities/schema.ts';
import { deliveredBody, openBody, registrationBody } from '../messaging/push/schema.ts';
import { pushTemplate } from '../messaging/push/template.ts';
import { settingsBodies } from '../messaging/settings/schema.ts';
import { smsAudienceInput, smsInput } from '../messaging/sms/schema.ts';
import { smsTemplate } from '../messaging/sms/template.ts';
import { subscriptionsBody } from '../messaging/subscriptions/schema.ts';
import { additions, removals } from '../messaging/suppressions/schema.ts';
import { previewBody } from '../messaging/templates/preview.ts';
import { templateBody, templatePatch } from '../messaging/templates/schema.ts';
import { predicateAnswer } from '../people/audiences/answers.ts';
import { treeShapes } from '../people/audiences/predicate/shape.ts';
import type { Predicate } from '../people/audiences/predicate/types.ts';
import {
  audienceBody,
  audiencePatch,
  membersBody,
  previewBody as previewAudienceBody,
} from '../people/audiences/schema.ts';
import { eventBody, identifyBody, MAX_BATCH } from '../people/events/schema.ts';
import { profileBody } from '../people/profiles/schema.ts';
import { secretBody } from '../platform/tenancy/secrets/workflow-secrets.ts';
import { recoveryBody, rotationBody, webhookBody, webhookPatch } from '../webhooks/schema.ts';

/** Inputs of calls, by the names of their types. */
export type BodyName =
  | 'EventInput'
  | 'EventBatchInput'
  | 'IdentifyInput'
  | 'ProfileInput'
  | 'EmailInput'
  | 'EmailAudienceInput'
  | 'PushInput'
  | 'PushAudienceInput'
  | 'SmsInput'
  | 'SmsAudienceInput'
  | 'SubscriptionsInput'
  | 'EmailSuppressionInput'
  | 'EmailSuppressionRemovalInput'
  | 'SmsSuppressionInput'
  | 'SmsSuppressionRemovalInput'
  | 'DeviceInput'
  | 'PushOpenInput'
  | 'PushDeliveredInput'
  | 'ActivityTokenInput'
  | 'ActivityStartInput'
  | 'ActivityUpdateInput'
  | 'ActivityEndInput'
  | 'GeofenceInput'
  | 'GeofencePatch'
  | 'GeofenceEventInput'
  | 'AudienceInput'
  | 'AudiencePatch'
  | 'MembersInput'
  | 'PreviewAudienceInput'
  | 'WebhookInput'
  | 'WebhookPatch'
  | 'SecretRotation'
  | 'WebhookRecovery'
  | 'BundleInput'
  | 'WorkflowInput'
  | 'WorkflowPatch'
  | 'SimulateInput'
  | 'SecretInput'
  | 'AiSettingsInput'
  | 'PushTemplateInput'
  | 'EmailTemplateInput'
  | 'SmsTemplateInput'
  | 'PushTemplatePatch'
  | 'EmailTemplatePatch'
  | 'SmsTemplatePatch'
  | 'PreviewInput'
  | 'EmailDomainInput'
  | 'EmailSettingsInput'
  | 'PushSettingsInput'
  | 'SmsSettingsInput'
  | 'EmailAbTestInput'
  | 'PushAbTestInput'
  | 'SmsAbTestInput'
  | 'EmailAbTestPatch'
  | 'PushAbTestPatch'
  | 'SmsAbTestPatch'
  | 'AbTestCompletion'
  | 'FunnelInput'
  | 'SocialSignInInput'
  | 'LinkIdentityInput'
  | 'CodeExchangeInput'
  | 'ScimDirectoryInput'
  | 'ScimDirectoryPatch'
  | 'ScimTokenInput'
  | 'SocialProviderInput'
  | 'SsoStartInput'
  | 'SsoConnectionInput'
  | 'SsoConnectionPatch'
  | 'SsoDomainInput'
  | 'SignUpInput'
  | 'SignInInput'
  | 'ForgotPasswordInput'
  | 'ResetPasswordInput'
  | 'ChangePasswordInput'
  | 'ReauthenticateInput'
  | 'VerificationInput'
  | 'VerifyEmailInput'
  | 'ChangeEmailInput'
  | 'UndoEmailInput'
  | 'RefreshInput'
  | 'LogoutInput'
  | 'ConfirmFactorInput'
  | 'DeleteFactorInput'
  | 'VerifyMfaInput'
  | 'MfaPasskeyInput'
  | 'PasskeyInput'
  | 'PasskeyPatch'
  | 'PasskeySignInInput'
  | 'MeInput'
  | 'UserInput'
  | 'UserPatch'
  | 'ImpersonateInput'
  | 'ClaimsTemplateInput'
  | 'PreviewClaimsInput'
  | 'UsersImportInput'
  | 'MagicLinkInput'
  | 'MagicLinkVerifyInput'
  | 'EmailOtpInput'
  | 'EmailOtpVerifyInput'
  | 'GuestInput'
  | 'GuestUpgradeInput'
  | 'AuthSettingsInput';

/**
 * The engines' own input schemas; a few rules about values are only in their refinements. Created at each call, so that
 * programs without a description pay nothing. Throws nothing.
 */
export const bodySchemas = (): Readonly<Record<BodyName, z.ZodType>> => {
  const events = z.array(eventBody).min(1).max(MAX_BATCH);
  return {
    EventInput: eventBody,
    EventBatchInput: z.union([
      z.object({
        batch: events.describe('Events, in order. 1 to 500.'),
        sentAt: eventBody.shape.sentAt.describe(
          "When the client sent the batch, by the client's clock. Applies to events without sentAt of their own.",
        ),
      }),
      events,
    ]),
    IdentifyInput: identifyBody,
    ProfileInput: profileBody({ email: mailAddress, phone: phoneNumber }),
    EmailInput: emailInput,
    EmailAudienceInput: emailAudienceInput,
    PushInput: pushInput,
    PushAudienceInput: pushAudienceInput,
    SmsInput: smsInput,
    SmsAudienceInput: smsAudienceInput,
    SubscriptionsInput: subscriptionsBody,
    EmailSuppressionInput: additions.email,
    EmailSuppressionRemovalInput: removals.email,
    SmsSuppressionInput: additions.sms,
    SmsSuppressionRemovalInput: removals.sms,
    DeviceInput: registrationBody,
    PushOpenInput: openBody,
    PushDeliveredInput: deliveredBody,
    ActivityTokenInput: activityTokenBody,
    ActivityStartInput: activityStartBody,
    ActivityUpdateInput: activityUpdateBody,
    ActivityEndInput: activityEndBody,
    GeofenceInput: geofenceBody,
    GeofencePatch: geofencePatch,
    GeofenceEventInput: geofenceEventBody,
    AudienceInput: audienceBody,
    AudiencePatch: audiencePatch,
    MembersInput: membersBody,
    PreviewAudienceInput: previewAudienceBody,
    WebhookInput: webhookBody,
    WebhookPatch: webhookPatch,
    SecretRotation: rotationBody,
    WebhookRecovery: recoveryBody,
    BundleInput: bundleSchema,
    WorkflowInput: workflowBody,
    WorkflowPatch: workflowPatch,
    SimulateInput: simulateBody,
    SecretInput: secretBody,
    AiSettingsInput: aiSettingsBody,
    PushTemplateInput: templateBody(pushTemplate),
    EmailTemplateInput: templateBody(emailTemplate),
    SmsTemplateInput: templateBody(smsTemplate),
    PushTemplatePatch: templatePatch(pushTemplate),
    EmailTemplatePatch: templatePatch(emailTemplate),
    SmsTemplatePatch: templatePatch(smsTemplate),
    PreviewInput: previewBody,
    EmailDomainInput: emailDomainBody,
    EmailSettingsInput: settingsBodies.email,
    PushSettingsInput: settingsBodies.push,
    SmsSettingsInput: settingsBodies.sms,
    EmailAbTestInput: abTestBodies.email,
    PushAbTestInput: abTestBodies.push,
    SmsAbTestInput: abTestBodies.sms,
    EmailAbTestPatch: abTestPatches.email,
    PushAbTestPatch: abTestPatches.push,
    SmsAbTestPatch: abTestPatches.sms,
    AbTestCompletion: completeBody,
    FunnelInput: funnelBody,
    SocialSignInInput: socialSignInBody,
    LinkIdentityInput: linkIdentityBody,
    CodeExchangeInput: exchangeBody,
    ScimDirectoryInput: scim.scimDirectoryBody,
    ScimDirectoryPatch: scim.scimDirectoryPatch,
    ScimTokenInput: scim.scimTokenBody,
    SocialProviderInput: socialProviderBody,
    SsoStartInput: sso.ssoStartBody,
    SsoConnectionInput: sso.ssoConnectionBody,
    SsoConnectionPatch: sso.ssoConnectionPatch,
    SsoDomainInput: sso.ssoDomainBody,
    SignUpInput: auth.signUpBody,
    SignInInput: auth.signInBody,
    ForgotPasswordInput: auth.forgotBody,
    ResetPasswordInput: auth.resetBody,
    ChangePasswordInput: auth.changePasswordBody,
    ReauthenticateInput: auth.reauthenticateBody,
    VerificationInput: auth.verificationBody,
    VerifyEmailInput: auth.verifyEmailBody,
    ChangeEmailInput: auth.changeEmailBody,
    UndoEmailInput: auth.undoEmailBody,
    RefreshInput: auth.refreshBody,
    LogoutInput: auth.logoutBody,
    MeInput: auth.meBody,
    ConfirmFactorInput: factors.confirmFactorBody,
    DeleteFactorInput: factors.deleteFactorBody,
    VerifyMfaInput: factors.verifyMfaBody,
    MfaPasskeyInput: passkeys.mfaPasskeyBody,
    PasskeyInput: passkeys.newPasskeyBody,
    PasskeyPatch: passkeys.passkeyPatch,
    PasskeySignInInput: passkeys.passkeySignInBody,
    UserInput: auth.userBody,
    UserPatch: auth.userPatch,
    ImpersonateInput: auth.impersonateBody,
    ClaimsTemplateInput: claimsTemplateBody,
    PreviewClaimsInput: previewClaimsBody,
    UsersImportInput: importBody,
    MagicLinkInput: links.magicLinkBody,
    MagicLinkVerifyInput: links.magicLinkVerifyBody,
    EmailOtpInput: links.emailOtpBody,
    EmailOtpVerifyInput: links.emailOtpVerifyBody,
    GuestInput: guests.guestBody,
    GuestUpgradeInput: guests.guestUpgradeBody,
    AuthSettingsInput: authSettingsChange,
  };
};

/**
 * Bodies in which null means that an optional field is absent, at each level; for patches only within a member's value,
 * because null as a member clears a field. Source: contract, Decided on 2026-11-28.
 */
export const nullIsAbsent = {
  bodies: [
    'EmailInput',
    'EmailAudienceInput',
    'PushInput',
    'PushAudienceInput',
    'SmsInput',
    'SmsAudienceInput',
    'EmailTemplateInput',
    'PushTemplateInput',
    'SmsTemplateInput',
    'PreviewInput',
    'EmailAbTestInput',
    'PushAbTestInput',
    'SmsAbTestInput',
    'AbTestCompletion',
  ],
  patches: [
    'EmailTemplatePatch',
    'PushTemplatePatch',
    'SmsTemplatePatch',
    'EmailAbTestPatch',
    'PushAbTestPatch',
    'SmsAbTestPatch',
  ],
} as const satisfies Readonly<Record<string, readonly BodyName[]>>;

const { trigger } = workflowBody.shape;
/** Schemas used in both inputs and answers: a step, as a member of the bodies that contain steps, and a trigger. */
export const definitionSchemas: {
  readonly step: z.ZodType<Step>;
  readonly trigger: z.ZodType<Trigger>;
  readonly predicate: z.ZodType<Predicate>;
  /** Predicates and conditions, by the names of their types; made at each call. */
  readonly trees: () => Readonly<Record<'Predicate' | 'PredicateInput' | 'Condition' | 'ConditionInput', z.ZodType>>;
  /** The name in `trees` of the schema that describes this one; undefined: it describes itself. */
  readonly treeOf: (schema: z.core.$ZodType) => string | undefined;
} = {
  step: stepTypes.schema,
  trigger,
  predicate: predicateAnswer,
  trees: treeShapes,
  treeOf: (schema) => {
    const { $ref } = jsonKeywords.get(schema) ?? {};
    return typeof $ref === 'string' ? $ref : undefined;
  },
};

/** Content of a template, by channel, as it was given. */
export const templateFields = {
  push: pushTemplate.fields,
  email: emailTemplate.fields,
  sms: smsTemplate.fields,
} as const;
