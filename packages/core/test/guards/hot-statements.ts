import { abTestHot } from '../../src/ab-tests/hot.ts';
import { aiHot } from '../../src/ai/hot.ts';
import { countingHot } from '../../src/audiences/counting/hot.ts';
import { audienceHot } from '../../src/audiences/hot.ts';
import { membersText } from '../../src/audiences/sends/hot.ts';
import { callbackHot } from '../../src/callbacks/hot.ts';
import { capHot } from '../../src/caps/hot.ts';
import { eventHot } from '../../src/events/hot.ts';
import { idempotencyHot } from '../../src/idempotency/hot.ts';
import { planHot } from '../../src/plans/hot.ts';
import { profileHot } from '../../src/profiles/hot.ts';
import { geofenceHot } from '../../src/push/geofences/hot.ts';
import { pushHot, tokensText } from '../../src/push/hot.ts';
import { liveActivityHot } from '../../src/push/live-activities/hot.ts';
import { runHot } from '../../src/runs/hot.ts';
import { selectionHot } from '../../src/sending/expand/hot.ts';
import { sendingHot } from '../../src/sending/hot.ts';
import { engagementStatements } from '../../src/sending/track/engagement.ts';
import { reportStatements } from '../../src/sending/track/report-statements.ts';
import { unsubscribing } from '../../src/sending/track/unsubscribing.ts';
import type { BulkWrite } from '../../src/storage/bulk.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { subscriptionHot } from '../../src/subscriptions/hot.ts';
import { suppressionHot } from '../../src/suppressions/hot.ts';
import type { Tables } from '../../src/tables.ts';
import { tenancyHot } from '../../src/tenancy/hot.ts';
import { webhookHot } from '../../src/webhooks/hot.ts';

const isWrite = (value: unknown): value is BulkWrite =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'write';

/** Hot writes of every engine. Compare their ids with `COMMIT_ORDER`: a statement that is missing here is in that list. */
export const hotWrites = (tables: Tables, storage: Pick<Storage, 'select'>): readonly BulkWrite[] => {
  const push = pushHot(tables);
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
    abTestHot(tables),
    aiHot(tables),
    countingHot(tables),
    audienceHot(tables),
    callbackHot(tables),
    capHot(tables),
    eventHot(tables),
    idempotencyHot(tables),
    planHot(tables),
    profileHot(tables),
    geofenceHot(tables),
    { ...push, upsert: push.upsert([]) },
    liveActivityHot(tables),
    runHot(tables),
    selectionHot(tables, membersText(tables), tokensText(tables, undefined)),
    sendingHot(tables),
    engagement,
    engagement.variants,
    reportStatements(tables),
    { unsubscribed: unsubscribing({ storage, tables }).mark(recipient, new Date(0)).bulk },
    subscriptionHot(tables),
    suppressionHot(tables),
    tenancyHot(tables),
    webhookHot(tables),
  ];
  return sets.flatMap((set) => Object.values(set).filter(isWrite));
};
