import type { Tables } from '../../src/app/tables.ts';
import { aiStatements } from '../../src/automation/ai/statements.ts';
import { runStatements } from '../../src/automation/runs/statements.ts';
import type { BulkWrite } from '../../src/database/statements/bulk.ts';
import type { Storage } from '../../src/database/storage.ts';
import { accountStatements } from '../../src/identity/accounts/statements.ts';
import { auditStatements } from '../../src/identity/audit/statements.ts';
import { claimsStatements } from '../../src/identity/claims/statements.ts';
import { identityStatements } from '../../src/identity/identities/statements.ts';
import { mailBudgetStatements } from '../../src/identity/mail/statements.ts';
import { mfaStatements } from '../../src/identity/mfa/statements.ts';
import { oneTimeStatements } from '../../src/identity/one-time/statements.ts';
import { passkeyStatements } from '../../src/identity/passkeys/statements.ts';
import { scimStatements } from '../../src/identity/scim/statements.ts';
import { sessionStatements } from '../../src/identity/sessions/statements.ts';
import { ssoStatements } from '../../src/identity/sso/connections/statements.ts';
import { abTestStatements } from '../../src/messaging/ab-tests/statements.ts';
import { callbackStatements } from '../../src/messaging/callbacks/statements.ts';
import { capStatements } from '../../src/messaging/caps/statements.ts';
import { geofenceStatements } from '../../src/messaging/push/geofences/statements.ts';
import { liveActivityStatements } from '../../src/messaging/push/live-activities/statements.ts';
import { pushStatements, tokensText } from '../../src/messaging/push/statements.ts';
import { selectionStatements } from '../../src/messaging/sends/expand/statements.ts';
import { sendingStatements } from '../../src/messaging/sends/statements.ts';
import { engagementStatements } from '../../src/messaging/sends/track/engagement-statements.ts';
import { reportStatements } from '../../src/messaging/sends/track/report-statements.ts';
import { unsubscribing } from '../../src/messaging/sends/track/unsubscribing.ts';
import { subscriptionStatements } from '../../src/messaging/subscriptions/statements.ts';
import { suppressionStatements } from '../../src/messaging/suppressions/statements.ts';
import { countingStatements } from '../../src/people/audiences/counting/statements.ts';
import { membersText } from '../../src/people/audiences/sends/statements.ts';
import { audienceStatements } from '../../src/people/audiences/statements.ts';
import { eventStatements } from '../../src/people/events/statements.ts';
import { profileStatements } from '../../src/people/profiles/statements.ts';
import { idempotencyStatements } from '../../src/platform/idempotency/statements.ts';
import { planStatements } from '../../src/platform/plans/statements.ts';
import { tenancyStatements } from '../../src/platform/tenancy/statements.ts';
import { webhookStatements } from '../../src/webhooks/statements.ts';

const isWrite = (value: unknown): value is BulkWrite =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'write';

/** Hot writes of every engine. `COMMIT_ORDER` lists their ids, so it reveals a statement that is missing here. */
export const hotWrites = (tables: Tables, storage: Pick<Storage, 'select'>): readonly BulkWrite[] => {
  const push = pushStatements(tables);
  const engagement = engagementStatements(tables);
  const recipient = {
    scopeId: 1,
    messageId: '',
    channel: 'email',
    person: null,
    address: null,
    category: null,
  } as const;
  const sets: readonly object[] = [
    accountStatements(tables),
    identityStatements(tables),
    scimStatements(tables),
    ssoStatements(tables),
    auditStatements(tables),
    claimsStatements(tables),
    mailBudgetStatements(tables),
    mfaStatements(tables),
    passkeyStatements(tables),
    oneTimeStatements(tables),
    sessionStatements(tables),
    abTestStatements(tables),
    aiStatements(tables),
    countingStatements(tables),
    audienceStatements(tables),
    callbackStatements(tables),
    capStatements(tables),
    eventStatements(tables),
    idempotencyStatements(tables),
    planStatements(tables),
    profileStatements(tables),
    geofenceStatements(tables),
    { ...push, upsert: push.upsert([]) },
    liveActivityStatements(tables),
    runStatements(tables),
    selectionStatements(tables, membersText(tables), tokensText(tables, undefined)),
    sendingStatements(tables),
    engagement,
    engagement.variants,
    reportStatements(tables),
    { unsubscribed: unsubscribing({ storage, tables }).mark(recipient, new Date(0)).bulk },
    subscriptionStatements(tables),
    suppressionStatements(tables),
    tenancyStatements(tables),
    webhookStatements(tables),
  ];
  return sets.flatMap((set) => Object.values(set).filter(isWrite));
};
