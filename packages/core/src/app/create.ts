import { automationContributions, automationModule } from '../automation/module.ts';
import { stepTypes } from '../automation/runs/steps/list.ts';
import { silentLog } from '../foundation/log.ts';
import { closeAll, inOrder } from '../foundation/modules.ts';
import { requireNode } from '../foundation/node-version.ts';
import { loadTelemetry } from '../foundation/open-telemetry.ts';
import type { Telemetry } from '../foundation/telemetry.ts';
import { type IdentityKeys, identityModule, openIdentity } from '../identity/module.ts';
import { analyticsModule } from '../insight/analytics/module.ts';
import { txtLookUp } from '../messaging/email/domains/look-up.ts';
import { messagingModule } from '../messaging/module.ts';
import { sendChanges } from '../messaging/sends/sums/store.ts';
import { audienceListener } from '../people/audiences/definitions.ts';
import { audiencesModule } from '../people/audiences/module.ts';
import { rebuildInNewZone } from '../people/audiences/records.ts';
import { audiencesForSends } from '../people/audiences/sends/sends.ts';
import { followedLog } from '../people/events/followed/store.ts';
import { eventContributions, eventsModule, raisedEventsModule } from '../people/events/module.ts';
import { bindReaction, DOWNSTREAM_ORDER, INGEST_ORDER } from '../people/events/pipeline.ts';
import { eventStore } from '../people/events/store.ts';
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
import { webhookContributions, webhooksModule } from '../webhooks/module.ts';
import type { Beckon, BeckonWithProject } from './api.ts';
import { clientsOf } from './clients.ts';
import { parseOptions } from './config.ts';
import { hostModule } from './host/host.ts';
import { collect, modulesOf, type ScopedApi } from './module.ts';
import { type Opened, open, type Seams } from './open.ts';
import type { BeckonOptions } from './options.ts';
import { pureSends } from './pure-sends.ts';
import { buildReaders } from './readers.ts';
import { buildWork } from './work.ts';

/** Functions of sign-in whose secret or path names the environment. */
const UNSCOPED_AUTH = [
  ...(['issuerJwks', 'openIdConfiguration', 'handleSocialCallback', 'authenticateScim'] as const),
  ...(['handleOidcCallback', 'handleSamlResponse', 'samlMetadata'] as const),
] as const;

/**
 * Opens a database and creates the whole service for it. The worker exists but is not started.
 *
 * @throws as `createBeckon` of create-beckon.ts
 */
export const createBeckon = async (
  input: BeckonOptions,
  seams: Seams = {},
): Promise<Beckon & Partial<BeckonWithProject>> => {
  requireNode();
  const options = parseOptions(input);
  const telemetry = await loadTelemetry(options.log ?? silentLog);
  const opened = await open(options, telemetry, seams.observer);
  try {
    const identityKeys = await openIdentity(opened.platform, options.auth);
    const beckon = build({ opened, identityKeys, telemetry }, options, seams);
    const { org, project, environment = 'test' } = options;
    if (!org || !project) return beckon;
    const names = await opened.tenancy.ensureTenant(org, project);
    return { ...beckon, project: beckon.for(await opened.tenancy.scope({ ...names, environment })) };
  } catch (error) {
    await closeAll(opened.parts).catch(() => undefined);
    throw error;
  }
};

type Base = {
  readonly opened: Opened;
  readonly identityKeys: IdentityKeys;
  readonly telemetry: Telemetry | null;
};

const build = ({ opened, identityKeys, telemetry }: Base, options: BeckonOptions, seams: Seams): Beckon => {
  const { platform, tenancy, linkTokens } = opened;
  const { storage, tables, clock, ids, log, tracing, scopes, keyring } = platform;
  const { isOrg, scopeIdsOfAll, hasSeveralOrgs, scope: scopeOf } = tenancy;
  const readers = buildReaders(platform, tenancy, options);
  const { plans, profiles, eventLog, loadKnown, isMemberWithTraits } = readers;

  // Pass 1: contributions, in import order. They use the platform and readers, and know no engine.
  const host = hostModule(platform, options.hooks);
  const secrets = secretsModule(platform);
  const counted = plansModule(platform, { plans });
  const limits = limitsModule(platform, {
    ...{ plans, isOrg, calls: options.limits, mailsPerMinute: options.email?.mailsPerMinute },
  });
  const idempotency = idempotencyModule(platform);
  const { answerOnce } = idempotency.internal;
  const triggering = automationContributions(platform);
  const publishing = webhookContributions(platform, options.sandbox);
  const ingest = eventContributions(platform, {
    ...{ plans, quotaStatements: counted.internal.quotaStatements, publisher: publishing.internal.publisher },
    listeners: [...triggering.internal.listeners, audienceListener(readers.audiences)],
  });
  const { emitter, countPlaceholders, quotas } = ingest.internal;
  const audiences = audiencesModule(platform, {
    ...{ definitions: readers.audiences, log: eventLog, profiles, emitter, scopeOf },
    workflowsNaming: triggering.internal.workflowsNaming,
    triggersOn: triggering.internal.needsMemberships,
  });

  // Pass 2: engines and interfaces, in import order, from collected lists and the modules before them.
  const { apis, ...messaging } = messagingModule(
    platform,
    {
      ...{ emitter, countPlaceholders, answerOnce, limits: limits.internal, scopeIdsOfAll, hasSeveralOrgs },
      ...{ loadProfiles: profiles.load, personWith: profiles.personWith, userOf: profiles.userOf },
      ...{
        links: linkTokens.tracking,
        callbackTokens: linkTokens.callbacks,
        unsubscribeTokens: linkTokens.unsubscribe,
      },
      ...{ audiences: audiencesForSends(platform), causes: triggering.internal.loadCauses, requirePlan: plans.require },
      onOrgZone: (scope, db) => rebuildInNewZone({ ...platform, definitions: readers.audiences }, scope, db),
      messageReactions: [...triggering.messageReactions, ...host.messageReactions],
    },
    options,
  );
  const { sends, tokens, loadSettings, templates, abTests } = messaging.internal;
  const { runsApi, ...automation } = automationModule(platform, triggering, {
    ...{ options, steps: seams.steps ?? stepTypes, emitter, answerOnce, plans, isOrg, profiles },
    ...{
      userOf: profiles.userOf,
      loadKnown,
      isMemberWithTraits,
      secrets: secrets.internal,
      sends,
      pureSends,
    },
    ...{ loadSettings, templates, abTests, eraseSends: sends.eraseOfRuns },
    postStep: publishing.internal.planStepDelivery,
    audiences: { ...audiences.internal, downstreamReactions: audiences.downstreamReactions },
    prodScope: ({ orgId, projectId }) => scopeOf({ orgId, projectId, environment: 'prod' }),
  });
  const downstream = inOrder(DOWNSTREAM_ORDER, [...audiences.downstreamReactions, ...automation.downstreamReactions]);
  const webhooks = webhooksModule(platform, publishing, {
    ...{ outbound: options.outbound, emitter, runs: automation.internal.waitingSteps, secrets: secrets.internal },
  });
  const raised = raisedEventsModule(platform, [bindReaction(profiles.presentBefore(downstream)), ...downstream]);
  const person = profileContributions({ profiles, downstream });
  const reacting = modulesOf(host, ingest, person, messaging, webhooks);
  const events = eventsModule(platform, {
    ...{
      answerOnce,
      quotas,
      countPlaceholders,
      lifecycle: sends.lifecycle,
      findPublished: webhooks.internal.findPublished,
    },
    reactions: inOrder(INGEST_ORDER, [...collect(reacting, 'ingestReactions'), ...downstream]),
    explain: automation.internal.explainer({ sends: sends.sends, isWaiting: eventLog.isWaiting }),
  });
  const people = profilesModule(platform, {
    ...{ profiles, downstream, countDevices: tokens.devicesOf },
    histories: {
      ...{ events: events.internal.listOf, messages: sends.forPerson },
      ...{ devices: tokens.ofPerson, audiences: audiences.internal.allOfUser },
    },
    moves: { devices: tokens.follow, events: events.internal.move },
  });
  const analytics = analyticsModule(platform, {
    ...{ followedLog: followedLog({ storage, tables }), eventLog: eventStore({ storage, tables }) },
    ...{ sendChanges: sendChanges({ ...storage, tables, clock }), workflowsOf: automation.internal.workflowsOf },
    ...{ countRuns: automation.api.figures, planOf: plans.of, usageOf: counted.openApi.usageOf, scopeIdsOfAll },
  });

  const { usersApi, operatorsApi, ...identity } = identityModule(platform, identityKeys, {
    ...{
      publicUrl: options.publicUrl ?? null,
      auth: options.auth,
      outbound: options.outbound,
      hashPool: seams.hashPool,
      emitter,
      sends,
      useTemplate: templates.use,
      profiles,
      downstream,
      answerOnce,
      plans,
    },
    lookUp: txtLookUp(options.email?.dnsServers),
    ...{ hook: host.internal.authHook, before: host.internal.authBefore },
    environmentOf: tenancy.environmentOf,
    eraseUser: (scope, userId) => erasure.api.erase(scope, userId),
  });

  // Parts that work with the lists of all modules.
  const built = modulesOf(
    ...[host, secrets, counted, limits, idempotency, webhooks, ingest, audiences],
    ...[messaging, automation, raised, person, events, people, identity, analytics],
  );
  const erasure = erasureModule(platform, {
    erasers: inOrder(ERASER_ORDER, collect(built, 'erasers')),
    ...{ traces: collect(built, 'traces'), describe: profiles.erasure.describe },
  });
  const list = inOrder(EXPIRY_ORDER, collect(built, 'expiring'));
  const retention = seams.keepsAll ? [] : [retentionModule(platform, { plans, scopeIdsOfAll, list })];
  const modules = modulesOf(...built, erasure, ...retention);
  const values = collect(modules, 'sealedValues');
  const { lagMs, ...work } = buildWork({
    ...{ database: opened.database, storage, tables, ids, log, tracing, hostAheadMs: opened.hostAheadMs },
    ...{ queues: collect(modules, 'queues'), maintenance: collect(modules, 'maintenance'), pollMs: options.pollMs },
    maintenanceIsDue: seams.maintenanceIsDue ?? (() => true),
  });

  // Closed from the end: no new work, accepted events are stored, then modules in reverse order of creation.
  const intake = [
    { name: 'ingest', close: events.internal.close },
    { name: 'worker', close: () => work.worker.stop() },
  ];
  let closing: Promise<void> | undefined;
  const guarded = <Api extends ScopedApi>({ api }: { readonly api: Api }): Api => guardScopes(api, scopes);
  const beckon: Omit<Beckon, 'for'> = {
    ...{ ...apis, ...work, tenancy, ai: automation.openApi, plans: counted.openApi },
    secrets: {
      ...guarded(secrets),
      rotateMasterKey: (rotation) => rotateMasterKey({ keys: keyring.rotation, values }, rotation),
    },
    limits: { ...limits.openApi, ...guarded(limits) },
    events: guarded(events),
    profiles: { ...guarded(people), ...guarded(erasure) },
    audiences: guarded(audiences),
    runs: guardScopes(runsApi, scopes),
    workflows: guardScopes({ ...automation.api, figures: analytics.internal.workflowFigures }, scopes),
    webhooks: guarded(webhooks),
    analytics: guarded(analytics),
    auth: guardScopes(identity.api, scopes, UNSCOPED_AUTH),
    users: guardScopes(usersApi, scopes),
    operators: operatorsApi,
    telemetry,
    load: { current: () => ({ databaseWaitMs: storage.waitMs(), ingestFilled: events.internal.filled() }), lagMs },
    close: () => {
      closing ??= closeAll([...opened.parts, readers, ...modules, ...intake]);
      return closing;
    },
  };
  const clientOf = clientsOf(beckon);
  return {
    ...beckon,
    for: (scope) => {
      if (!scopes.isOurs(scope)) throw new TypeError('beckon.for needs a scope from tenancy.scope.');
      return clientOf(scope);
    },
  };
};
