import { abTestTables } from './ab-tests/tables.ts';
import { aiTables } from './ai/tables.ts';
import { analyticsTables } from './analytics/tables.ts';
import { countingTables } from './audiences/counting/tables.ts';
import { audienceTables } from './audiences/tables.ts';
import { callbackTables } from './callbacks/tables.ts';
import { capTables } from './caps/tables.ts';
import { emailDomainTables } from './email/domains/tables.ts';
import { erasureTables } from './erasure/tables.ts';
import { eventTables } from './events/tables.ts';
import { idempotencyTables } from './idempotency/tables.ts';
import { limitTables } from './limits/tables.ts';
import { planTables } from './plans/tables.ts';
import { profileTables } from './profiles/tables.ts';
import { credentialTables } from './providers/tables.ts';
import { geofenceTables } from './push/geofences/tables.ts';
import { liveActivityTables } from './push/live-activities/tables.ts';
import { pushTables } from './push/tables.ts';
import { runTables } from './runs/tables.ts';
import { sendingTables } from './sending/tables.ts';
import { settingsTables } from './settings/tables.ts';
import { type Columns, columnsOf } from './storage/columns.ts';
import type { DialectName } from './storage/dialect-name.ts';
import { subscriptionTables } from './subscriptions/tables.ts';
import { suppressionTables } from './suppressions/tables.ts';
import { templateTables } from './templates/tables.ts';
import { tenancyTables } from './tenancy/tables.ts';
import { webhookTables } from './webhooks/tables.ts';
import { workTables } from './work/tables.ts';
import { workflowTables } from './workflows/tables.ts';

/** Every table of the program, spoken in one database's columns. */
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
});

export type Tables = ReturnType<typeof tables>;

/** The tables for a database. Throws nothing. */
export const tablesOf = (dialect: DialectName): Tables => tables(columnsOf(dialect));
