// What answers hold, as it is on the wire: every type of the library's with its dates as text. Loaded with the first
// description of the interface, never by what serves requests.

import {
  type Accepted,
  type ApiKey,
  type AudiencePreview,
  type BatchAnswer,
  type BundleExport,
  catalogue,
  definitionSchemas,
  type Erasure,
  type ErasureRequested,
  type EventRecord,
  type ExplainedEvent,
  type Health,
  type ImportAnswer,
  KEY_SCOPES,
  type Profile,
  RUN_STATUSES,
  type Run,
  type RunWithSteps,
  type SandboxMessage,
  type StepUsage,
  type WorkflowRecord,
  type WorkflowRow,
  type WorkflowSaved,
  type WorkflowSummary,
  words,
} from '@beckon/core';
import { z } from 'zod';
import { abTestAnswers } from './ab-test-answers.ts';
import { aiAnswers } from './ai-answers.ts';
import { audienceAnswers } from './audience-answers.ts';
import { callbackAnswers } from './callback-answers.ts';
import { deliveryAnswers, pushToken, sandboxContents } from './delivery-answers.ts';
import { emailDomainAnswers } from './email-domain-answers.ts';
import { figureAnswers } from './figure-answers.ts';
import { geofenceAnswers } from './geofence-answers.ts';
import { importWarning } from './import-warning.ts';
import { liveActivityAnswers } from './live-activity-answers.ts';
import { secretAnswers } from './secret-answers.ts';
import { simulationAnswers } from './simulation-answers.ts';
import { suppressionAnswers } from './suppression-answers.ts';
import { templateAnswers } from './template-answers.ts';
import { webhookAnswers } from './webhook-answers.ts';
import { answerOf, environment, freeForm, id, moment, names, owner, word } from './wire.ts';

const accepted = answerOf<Accepted>()(z.object({ id, accepted: z.literal(true) }));
const batchAnswer = answerOf<BatchAnswer>()(
  z.object({
    accepted: z.int(),
    duplicates: z.int(),
    rejected: z.array(
      z.object({
        index: z.int(),
        code: names(catalogue),
        fieldErrors: z.record(z.string(), z.array(z.string())),
      }),
    ),
  }),
);
const event = answerOf<EventRecord>()(
  z.object({
    id,
    ...owner,
    userId: z.string().nullable(),
    anonymousId: z.string().nullable(),
    module: z.string(),
    eventType: z.string(),
    properties: freeForm,
    traits: freeForm.nullable(),
    messageId: z.string().nullable(),
    sessionId: z.string().nullable(),
    context: freeForm.nullable(),
    source: word(words.eventSources),
    timestamp: moment,
    receivedAt: moment,
  }),
);
const verdict = z.object({
  workflowId: id,
  workflowName: z.string(),
  workflowVersion: z.int(),
  verdict: z.enum([
    'started',
    'inactive',
    'filter',
    'audience',
    'depth',
    'fan_out',
    'waiting',
    'unseen',
    'later',
    'unknown',
  ]),
  runId: id.exactOptional(),
  filters: z
    .array(z.object({ path: z.string(), wanted: z.string(), found: z.unknown().exactOptional() }))
    .exactOptional(),
  audienceId: z.string().exactOptional(),
});
const explainedEvent = answerOf<ExplainedEvent>()(event.extend({ workflows: z.array(verdict) }));

const profile = answerOf<Profile>()(
  z.object({
    userId: z.string().nullable(),
    anonymousId: z.string().nullable(),
    traits: freeForm,
    email: z.string().nullable(),
    phone: z.string().nullable(),
    locale: z.string().nullable(),
    timezone: z.string().nullable(),
    createdAt: moment,
    lastSeenAt: moment,
    _truncated: z.literal(true).exactOptional(),
    tokens: z.array(pushToken).exactOptional(),
    audiences: z.array(z.object({ id, name: z.string() })).exactOptional(),
  }),
);
const erasureRequested = answerOf<ErasureRequested>()(z.object({ erasureId: id }));
const erasure = answerOf<Erasure>()(
  z.object({ id, status: z.enum(['pending', 'done']), createdAt: moment, finishedAt: moment.nullable() }),
);

const workflowSummary = answerOf<WorkflowSummary>()(z.object({ id, name: z.string() }));
const definition = {
  name: z.string(),
  description: z.string().nullable(),
  trigger: definitionSchemas.trigger,
  isActive: z.boolean(),
};
const workflowRow = answerOf<WorkflowRow>()(
  z.object({
    id,
    orgId: id,
    projectId: id,
    ...definition,
    version: z.int(),
    createdAt: moment,
    updatedAt: moment,
  }),
);
const steps = z.array(definitionSchemas.step);
const workflow = answerOf<WorkflowRecord>()(workflowRow.extend({ steps }));
const workflowSaved = answerOf<WorkflowSaved>()(workflow.extend({ warnings: z.array(importWarning) }));
const importAnswer = answerOf<ImportAnswer>()(
  z.object({
    created: z.array(workflowSummary),
    updated: z.array(workflowSummary.extend({ version: z.int(), changes: z.array(z.string()) })),
    unchanged: z.array(workflowSummary),
    skipped: z.array(z.string()),
    warnings: z.array(importWarning),
    dryRun: z.boolean(),
    importId: id,
  }),
);
const bundle = answerOf<BundleExport['bundle']>()(
  z.object({ version: z.literal(1), exportedAt: moment, workflows: z.array(z.object({ ...definition, steps })) }),
);
const run = answerOf<Run>()(
  z.object({
    id,
    ...owner,
    workflowId: id,
    workflowName: z.string(),
    workflowVersion: z.int(),
    userId: z.string().nullable(),
    anonymousId: z.string().nullable(),
    triggerEventId: id,
    triggerEvent: z.object({
      id,
      eventType: z.string(),
      module: z.string(),
      properties: freeForm,
      timestamp: moment,
      userId: z.string().nullable(),
      anonymousId: z.string().nullable(),
    }),
    status: word(RUN_STATUSES),
    outcome: word(words.runOutcomes).nullable(),
    depth: z.int(),
    exitReason: word(words.exitReasons).nullable(),
    cursor: z.string(),
    next_step_at: moment.nullable(),
    attempt: z.int(),
    startedAt: moment,
    completedAt: moment.nullable(),
    error: z.string().nullable(),
    context: freeForm,
  }),
);
const stepUsage = answerOf<StepUsage>()(
  z.object({
    model: z.string(),
    key: word(['own', 'shared']),
    calls: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    cost: z.number().nullable(),
  }),
);
const runWithSteps = answerOf<RunWithSteps>()(
  run.extend({
    steps: z.array(
      z.object({
        path: z.string(),
        type: word(words.stepTypes),
        outcome: word(words.stepOutcomes),
        reason: z.string().nullable(),
        attempt: z.int(),
        startedAt: moment,
        finishedAt: moment,
        sendId: id.nullable(),
        httpStatus: z.int().nullable(),
        output: z.record(z.string(), z.unknown()).nullable(),
        usage: stepUsage.nullable(),
      }),
    ),
  }),
);

const caught = { id, sendId: id, messageId: id, userId: z.string().nullable(), address: z.string(), createdAt: moment };
const sandboxMessage = answerOf<SandboxMessage>()(
  z.discriminatedUnion('channel', [
    z.object({ ...caught, channel: z.literal('email'), content: sandboxContents.email }),
    z.object({ ...caught, channel: z.literal('push'), content: sandboxContents.caughtPush }),
    z.object({ ...caught, channel: z.literal('sms'), content: sandboxContents.sms }),
  ]),
);

const apiKey = answerOf<ApiKey>()(
  z.object({
    id,
    name: z.string(),
    kind: z.enum(['public', 'secret']),
    environment,
    lastFour: z.string(),
    scopes: z.array(word(KEY_SCOPES)),
    grants: z.array(z.object({ orgId: id, projectId: z.string() })),
    createdAt: moment,
    expiresAt: moment.nullable(),
    revokedAt: moment.nullable(),
    lastUsedAt: moment.nullable(),
  }),
);
const check = z.object({ ok: z.boolean(), detail: z.string() });
const checks = z.object({
  database: check.exactOptional(),
  schema: check.exactOptional(),
  worker: check.exactOptional(),
  timezones: check.exactOptional(),
  clock: check.exactOptional(),
  load: check.exactOptional(),
});
const health = answerOf<Health>()(
  z.object({ ready: z.boolean(), status: z.enum(['ok', 'degraded', 'unready']), checks }),
);

const all = {
  Accepted: accepted,
  BatchAnswer: batchAnswer,
  EventRecord: event,
  ExplainedEvent: explainedEvent,
  Profile: profile,
  ErasureRequested: erasureRequested,
  Erasure: erasure,
  WorkflowSummary: workflowSummary,
  WorkflowRow: workflowRow,
  WorkflowRecord: workflow,
  WorkflowSaved: workflowSaved,
  ImportWarning: importWarning,
  ImportAnswer: importAnswer,
  Bundle: bundle,
  Step: definitionSchemas.step,
  Run: run,
  RunWithSteps: runWithSteps,
  ...deliveryAnswers,
  ...geofenceAnswers,
  ...audienceAnswers,
  AudiencePreview: answerOf<AudiencePreview>()(z.object({ count: z.int(), sample: z.array(profile) })),
  ...liveActivityAnswers,
  ...suppressionAnswers,
  ...callbackAnswers,
  ...templateAnswers,
  ...emailDomainAnswers,
  ...abTestAnswers,
  ...figureAnswers,
  ...simulationAnswers,
  ...secretAnswers,
  ...aiAnswers,
  ...webhookAnswers,
  SandboxMessage: sandboxMessage,
  ApiKey: apiKey,
  Alive: z.object({ status: z.literal('ok') }),
  Service: z.object({ name: z.string(), api: z.string(), openapi: z.string(), docs: z.string() }),
  Health: health,
};

/** What `data` of an answer can be. */
export type AnswerName = keyof typeof all;
/** The schemas of what answers hold, by the name that the document of the interface calls them. */
export const answers: Readonly<Record<AnswerName, z.ZodType>> = all;
