import { aiTables } from '../automation/ai/tables.ts';
import { runTables } from '../automation/runs/tables.ts';
import { workflowTables } from '../automation/workflows/tables.ts';
import { type Columns, columnsOf } from '../database/columns.ts';
import type { DialectName } from '../database/dialect-name.ts';
import { credentialTables } from '../delivery/providers/tables.ts';
import { accountTables } from '../identity/accounts/tables.ts';
import { auditTables } from '../identity/audit/tables.ts';
import { authSettingsTables } from '../identity/auth-settings/tables.ts';
import { claimsTables } from '../identity/claims/tables.ts';
import { hashConfigTables } from '../identity/hash-configs/tables.ts';
import { identityTables } from '../identity/identities/tables.ts';
import { mailBudgetTables } from '../identity/mail/tables.ts';
import { mfaTables } from '../identity/mfa/tables.ts';
import { oneTimeTables } from '../identity/one-time/tables.ts';
import { passkeyTables } from '../identity/passkeys/tables.ts';
import { scimTables } from '../identity/scim/tables.ts';
import { sessionTables } from '../identity/sessions/tables.ts';
import { signingKeyTables } from '../identity/signing-keys/tables.ts';
import { socialTables } from '../identity/social/tables.ts';
import { ssoTables } from '../identity/sso/connections/tables.ts';
import { analyticsTables } from '../insight/analytics/tables.ts';
import { workTables } from '../jobs/tables.ts';
import { abTestTables } from '../messaging/ab-tests/tables.ts';
import { callbackTables } from '../messaging/callbacks/tables.ts';
import { capTables } from '../messaging/caps/tables.ts';
import { emailDomainTables } from '../messaging/email/domains/tables.ts';
import { geofenceTables } from '../messaging/push/geofences/tables.ts';
import { liveActivityTables } from '../messaging/push/live-activities/tables.ts';
import { pushTables } from '../messaging/push/tables.ts';
import { sendingTables } from '../messaging/sends/tables.ts';
import { settingsTables } from '../messaging/settings/tables.ts';
import { subscriptionTables } from '../messaging/subscriptions/tables.ts';
import { suppressionTables } from '../messaging/suppressions/tables.ts';
import { templateTables } from '../messaging/templates/tables.ts';
import { countingTables } from '../people/audiences/counting/tables.ts';
import { audienceTables } from '../people/audiences/tables.ts';
import { eventTables } from '../people/events/tables.ts';
import { profileTables } from '../people/profiles/tables.ts';
import { erasureTables } from '../platform/erasure/tables.ts';
import { idempotencyTables } from '../platform/idempotency/tables.ts';
import { limitTables } from '../platform/limits/tables.ts';
import { planTables } from '../platform/plans/tables.ts';
import { tenancyTables } from '../platform/tenancy/tables.ts';
import { webhookTables } from '../webhooks/tables.ts';

/** Every table of the program, in the columns of one database. */
export const tables = (c: Columns) => ({
  ...tenancyTables(c),
  ...eventTables(c),
  ...profileTables(c),
  ...audienceTables(c),
  ...countingTables(c),
  ...workflowTables(c),
  ...runTables(c),
  ...pushTables(c),
  ...geofenceTables(c),
  ...liveActivityTables(c),
  ...sendingTables(c),
  ...abTestTables(c),
  ...credentialTables(c),
  ...settingsTables(c),
  ...callbackTables(c),
  ...suppressionTables(c),
  ...capTables(c),
  ...templateTables(c),
  ...subscriptionTables(c),
  ...emailDomainTables(c),
  ...webhookTables(c),
  ...limitTables(c),
  ...analyticsTables(c),
  ...planTables(c),
  ...aiTables(c),
  ...idempotencyTables(c),
  ...erasureTables(c),
  ...workTables(c),
  ...accountTables(c),
  ...mfaTables(c),
  ...passkeyTables(c),
  ...sessionTables(c),
  ...oneTimeTables(c),
  ...identityTables(c),
  ...signingKeyTables(c),
  ...socialTables(c),
  ...authSettingsTables(c),
  ...claimsTables(c),
  ...mailBudgetTables(c),
  ...auditTables(c),
  ...hashConfigTables(c),
  ...scimTables(c),
  ...ssoTables(c),
});

export type Tables = ReturnType<typeof tables>;

/** The tables for a database. Throws nothing. */
export const tablesOf = (dialect: DialectName): Tables => tables(columnsOf(dialect));
