import { causesOfRuns } from '../automation/runs/causes.ts';
import { runStatements } from '../automation/runs/statements.ts';
import { stepOutcomes } from '../automation/runs/step-outcomes.ts';
import { stepTypes } from '../automation/runs/steps/list.ts';
import { eventExplainer } from '../automation/workflows/explain.ts';
import { workflowsNaming } from '../automation/workflows/naming.ts';
import { triggerAudiences, triggerListener } from '../automation/workflows/triggers.ts';
import { requireNode } from '../foundation/node-version.ts';
import { bindMessageReaction } from '../messaging/sends/finalize/reactions.ts';
import { audienceListener } from '../people/audiences/definitions.ts';
import { audiencesModule } from '../people/audiences/module.ts';
import { eventContributions, eventsModule } from '../people/events/module.ts';
import { DOWNSTREAM_ORDER, INGEST_ORDER } from '../people/events/pipeline.ts';
import { eventStatements } from '../people/events/statements.ts';
import { profileContributions, profilesModule } from '../people/profiles/module.ts';
import { ERASER_ORDER } from '../platform/erasure/eraser.ts';
import { erasureModule } from '../platform/erasure/module.ts';
import { idempotencyModule } from '../platform/idempotency/module.ts';
import { limitsModule } from '../platform/limits/module.ts';
import { plansModule, retentionModule } from '../platform/plans/module.ts';
import { EXPIRY_ORDER } from '../platform/plans/retention.ts';
import { guardScopes } from '../platform/tenancy/guard.ts';
import { secretsModule } from '../platform/tenancy/module.ts';
import { rotateMasterKey } from '../platform/tenancy/rotation.ts';
import type { Beckon } from './api.ts';
import { parseOptions } from './config.ts';
import { hostModule } from './host/host.ts';
import { closeAll, collect, inOrder, modulesOf, type ScopedApi } from './module.ts';
import { type Opened, open, type Seams } from './open.ts';
import type { BeckonOptions } from './options.ts';
import { buildReaders } from './readers.ts';
import { aiStepsOf } from './wiring/ai-steps.ts';
import { analyticsOf } from './wiring/analytics.ts';
import { announcementsOf } from './wiring/announcements.ts';
import { analyticsParts, automationParts, messagingParts, webhookParts } from './wiring/as-modules.ts';
import { automationOf } from './wiring/automation.ts';
import { deliveryOf } from './wiring/delivery.ts';
import { buildWork } from './work.ts';

/**
 * Opens a database and builds the whole service over it. The worker is there but not started.
 *
 * @throws Error for an old Node, TypeError for wrong options, SchemaError for a database of another version,
 * UnsafeDatabase, WrongMasterKey, and what the database driver throws
 */
export const createBeckon = async (input: BeckonOptions, seams: Seams = {}): Promise<Beckon> => {
  requireNode();
  const options = parseOptions(input);
  const opened = await open(options, seams.observer);
  try {
    return build(opened, options, seams);
  } catch (error) {
    await closeAll(opened.parts).catch(() => undefined);
    throw error;
  }
};

const build = (opened: Opened, options: BeckonOptions, seams: Seams): Beckon => {
  const { platform, tenancy, linkTokens } = opened;
  const { storage, tables, ids, log, scopes, keyring } = platform;
  const { isOrg, scopeIdsOfAll, hasSeveralOrgs, scope: scopeOf } = tenancy;
  const readers = buildReaders(platform, tenancy, options);
  const { plans, profiles, eventLog, triggers, awaited, loadKnown, isGivenMember } = readers;

  // Pass 1: contributions, in import order. They are built from the platform and readers, and know no engine.
  const host = hostModule(platform, options.hooks);
  const secrets = secretsModule(platform);
  const counted = plansModule(platform, { plans });
  const limits = limitsModule(platform, {
    ...{ plans, isOrg, calls: options.limits, mailsPerMinute: options.email?.mailsPerMinute },
  });
  const idempotency = idempotencyModule(platform);
  const { answerOnce } = idempotency.internal;
  const announcements = announcementsOf({ ...platform, secrets: keyring, options });
  const ingest = eventContributions(platform, {
    ...{ plans, quotaStatements: counted.internal.quotaStatements, announcer: announcements.announcer },
    listeners: [triggerListener(triggers), awaited, audienceListener(readers.audiences)],
  });
  const { emitter, countPlaceholders, quotas } = ingest.internal;
  const audiences = audiencesModule(platform, {
    ...{ definitions: readers.audiences, log: eventLog, profiles, emitter, scopeOf },
    workflowsNaming: workflowsNaming({ storage, tables }),
    asked: triggerAudiences(triggers),
  });

  // Pass 2: engines and interfaces, in import order, from collected lists and the modules before them.
  const hotRuns = runStatements(tables);
  const delivery = deliveryOf({
    ...{ ...platform, secrets: keyring, options, emitter, countPlaceholders, answerOnce, limits: limits.internal },
    ...{ links: linkTokens.tracking, callbackTokens: linkTokens.callbacks, leaving: linkTokens.unsubscribe },
    ...{ scopeIdsOfAll, hasSeveralOrgs, requirePlan: plans.require, userOf: profiles.userOf },
    ...{ loadProfiles: profiles.load, personWith: profiles.personWith },
    causes: causesOfRuns({ storage, hot: hotRuns }),
    reactions: [bindMessageReaction(stepOutcomes(hotRuns)), ...host.messageReactions],
  });
  const { sending, tokens } = delivery;
  const messaging = messagingParts(platform, delivery);
  const ai = aiStepsOf({
    ...{ ...platform, secrets: keyring, options, isOrg },
    mayShare: (orgId) => plans.allows(orgId, 'sharedModels'),
  });
  const automation = automationOf({
    ...{ ...platform, options, steps: seams.steps ?? stepTypes, hotEvents: eventStatements(tables), hotRuns, ai },
    ...{ postStep: announcements.postStep, secrets: secrets.internal, emitter, answerOnce, userOf: profiles.userOf },
    ...{ requirePlan: plans.require, allows: plans.allows, triggers, awaited, profiles, loadKnown, isGivenMember },
    ...{ sending, loadSettings: delivery.loadSettings, templates: delivery.templates, abTests: delivery.abTests },
    audiences: { behind: audiences.downstreamReactions, lacking: audiences.internal.lacking },
    prodScope: ({ orgId, projectId }) => scopeOf({ orgId, projectId, environment: 'prod' }),
  });
  const downstream = inOrder(DOWNSTREAM_ORDER, automation.behind);
  const webhooks = webhookParts(announcements, automation, emitter);
  const person = profileContributions({ profiles, downstream });
  const reacting = modulesOf(host, ingest, person, messaging, webhooks);
  const events = eventsModule(platform, {
    ...{ answerOnce, quotas, countPlaceholders, lifecycle: sending.lifecycle, findTold: announcements.findTold },
    reactions: inOrder(INGEST_ORDER, [...collect(reacting, 'ingestReactions'), ...downstream]),
    explain: eventExplainer({
      ...{ storage, tables, ...automation.reads, sends: sending.sends, isWaiting: eventLog.isWaiting },
    }),
  });
  const people = profilesModule(platform, {
    ...{ profiles, downstream, countDevices: tokens.devicesOf },
    histories: {
      ...{ events: events.internal.listOf, messages: sending.forPerson },
      ...{ devices: tokens.ofPerson, audiences: audiences.api.ofUser },
    },
    moves: { devices: tokens.follow, events: events.internal.move },
  });
  const analytics = analyticsOf({
    ...{ ...platform, scopeIdsOfAll, planOf: plans.of, usageOf: counted.openApi.usageOf },
    retentionDays: async (orgId) => (await plans.of(orgId)).retentionDays,
  });

  // What works over the lists of all modules.
  const built = modulesOf(
    ...[host, secrets, counted, limits, idempotency, webhooks, ingest, audiences],
    ...[messaging, automationParts(platform, automation, ai), person, events, people, analyticsParts(analytics)],
  );
  const erasure = erasureModule(platform, {
    erasers: inOrder(ERASER_ORDER, collect(built, 'erasers')),
    ...{ traces: collect(built, 'traces'), describe: profiles.erasure.describe },
  });
  const list = inOrder(EXPIRY_ORDER, collect(built, 'expiring'));
  const retention = seams.keepsAll ? [] : [retentionModule(platform, { plans, scopeIdsOfAll, list })];
  const modules = modulesOf(...built, erasure, ...retention);
  const values = collect(modules, 'sealedValues');
  const { behindMs, ...work } = buildWork({
    ...{ database: opened.database, storage, tables, ids, log, hostAheadMs: opened.hostAheadMs },
    ...{ queues: collect(modules, 'queues'), maintenance: collect(modules, 'maintenance'), pollMs: options.pollMs },
    upkeepIsDue: seams.upkeepIsDue ?? (() => true),
  });

  // Closed from the end: no new work, accepted events are stored, then modules in the reverse order of building.
  const intake = [
    { name: 'ingest', close: events.internal.close },
    { name: 'worker', close: () => work.worker.stop() },
  ];
  let closing: Promise<void> | undefined;
  const guarded = <Api extends ScopedApi>({ api }: { readonly api: Api }): Api => guardScopes(api, scopes);
  return {
    ...{ ...delivery.apis, ...work, tenancy, ai: ai.api, webhooks: announcements.api, plans: counted.openApi },
    secrets: {
      ...guarded(secrets),
      rotateMasterKey: (rotation) => rotateMasterKey({ keys: keyring.rotation, values }, rotation),
    },
    limits: { ...limits.openApi, ...guarded(limits) },
    events: guarded(events),
    profiles: { ...guarded(people), ...guarded(erasure) },
    audiences: guarded(audiences),
    workflows: { ...automation.api, ...guardScopes({ figures: analytics.figures(automation.api.figures) }, scopes) },
    analytics: guarded(analytics),
    load: { strain: () => ({ databaseWaitMs: storage.waitMs(), ingestFilled: events.internal.filled() }), behindMs },
    close: () => {
      closing ??= closeAll([...opened.parts, readers, ...modules, ...intake]);
      return closing;
    },
  };
};
