import { automationContributions, automationModule } from '../automation/module.ts';
import type { StepCatalog } from '../automation/runs/steps/catalog.ts';
import { stepTypes } from '../automation/runs/steps/list.ts';
import { ensureSchema } from '../database/ensure-schema.ts';
import { metered } from '../database/metered.ts';
import type { StorageObserver } from '../database/observer.ts';
import { type OpenDatabase, openDatabase, openPool } from '../database/open.ts';
import { systemClock } from '../foundation/clock.ts';
import { mailAddress } from '../foundation/email-address.ts';
import { uuidV7Ids } from '../foundation/ids.ts';
import { type Log, silentLog } from '../foundation/log.ts';
import { containedMeter, noMeter } from '../foundation/meter.ts';
import { requireNode } from '../foundation/node-version.ts';
import { userPerson } from '../foundation/person.ts';
import { phoneNumber } from '../foundation/phone-number.ts';
import type { InScope, ProjectScope, Scope } from '../foundation/scope.ts';
import { parseMasterKeys } from '../foundation/secrets.ts';
import { analyticsModule } from '../insight/analytics/module.ts';
import { queue } from '../jobs/worker.ts';
import { CALLBACK_PURPOSE, type PathTokens, pathTokens } from '../messaging/callbacks/path-token.ts';
import { TRACKING_PURPOSE, type TrackingTokens, trackingTokens } from '../messaging/email/tracking-tokens.ts';
import { UNSUBSCRIBE_DAYS, UNSUBSCRIBE_PURPOSE } from '../messaging/email/unsubscribe-links.ts';
import { tokenTags } from '../messaging/push/token-tags.ts';
import { sendingErasers } from '../messaging/sends/erase/erase.ts';
import { sendChanges } from '../messaging/sends/sums/store.ts';
import { knownAudiences } from '../people/audiences/audiences.ts';
import { audienceListener } from '../people/audiences/definitions.ts';
import { givenMember } from '../people/audiences/given-member.ts';
import { knownOf } from '../people/audiences/load-known.ts';
import { dedupe } from '../people/events/dedupe.ts';
import { emitter as makeEmitter } from '../people/events/emit.ts';
import { eventsEngine } from '../people/events/events.ts';
import { followedLog } from '../people/events/followed/store.ts';
import { bindReaction } from '../people/events/pipeline.ts';
import { placeholderCounter } from '../people/events/placeholders.ts';
import { raisedRegistration } from '../people/events/raised.ts';
import { eventStatements } from '../people/events/statements.ts';
import { eventStore } from '../people/events/store.ts';
import { storeEvents } from '../people/events/store-events.ts';
import { placeholderUsers } from '../people/profiles/placeholders.ts';
import { profilesEngine } from '../people/profiles/profiles.ts';
import { idempotencyEngine } from '../platform/idempotency/idempotency.ts';
import { limitsEngine } from '../platform/limits/limits.ts';
import type { Platform } from '../platform/platform.ts';
import { guardScopes } from '../platform/tenancy/guard.ts';
import { type Keyring, openKeyring } from '../platform/tenancy/keyring.ts';
import { rotateMasterKey } from '../platform/tenancy/rotation.ts';
import { workflowSecrets as workflowSecretsOf } from '../platform/tenancy/secrets/workflow-secrets.ts';
import { tenancyEngine } from '../platform/tenancy/tenancy.ts';
import { tenantLog } from '../platform/tenancy/tenant-log.ts';
import { webhookContributions, webhooksModule } from '../webhooks/module.ts';
import type { Beckon } from './api.ts';
import { parseOptions } from './config.ts';
import { hostReactions } from './host/host.ts';
import type { BeckonOptions } from './options.ts';
import { pureSends } from './simulate.ts';
import { type Tables, tablesOf } from './tables.ts';
import { atWorkOf } from './wiring/at-work.ts';
import { type DatabaseClock, databaseClock } from './wiring/database-clock.ts';
import { deliveryOf } from './wiring/delivery.ts';
import { erasePeople } from './wiring/erase-people.ts';
import { groupsOf } from './wiring/groups.ts';
import { orgPlansOf } from './wiring/plans.ts';
import { sealedValuesOf } from './wiring/sealed-values.ts';
import { upkeepOf } from './wiring/upkeep.ts';

/** Seams that tests of this package use; not part of the public surface. */
export type Seams = {
  readonly observer?: StorageObserver;
  /** Step types that runs may have, in place of those that there are. */
  readonly steps?: Pick<StepCatalog, 'find' | 'armsOf'>;
  /** Nothing goes because of its age, for whoever looks at years of it afterwards. */
  readonly keepsAll?: boolean;
  /** Whether a drain does upkeep as well, asked each time; it always does where nothing is said. */
  readonly upkeepIsDue?: () => boolean;
};

/**
 * Opens a database and wires every engine over it: the one place that knows which engine needs what, and the order
 * of the pipelines. The worker is there but not started.
 *
 * Throws an Error for an old Node, TypeError for wrong options, SchemaError for a database of another version,
 * UnsafeDatabase, WrongMasterKey, and what the database driver throws.
 */
export const createBeckon = async (given: BeckonOptions, seams: Seams = {}): Promise<Beckon> => {
  requireNode();
  const options = parseOptions(given);
  const masterKeys = parseMasterKeys(options.masterKey);
  const log = options.log ?? silentLog;
  const opening = {
    clock: options.clock,
    observer: seams.observer,
    durability: options.durability,
    trustPath: options.trustPath,
    poolSize: options.poolSize,
    preparedNames: options.preparedNames,
    onError: (error: unknown) => log.warn({ error }, 'the database failed where nobody waited for it'),
  };
  const { db } = options;
  const database = await (typeof db === 'string' ? openDatabase({ url: db, ...opening }) : openPool(db, opening));
  const { storage } = database;
  let remote: DatabaseClock | undefined;
  try {
    await ensureSchema(database, options.migrate);
    if (options.clock === undefined && database.dialect === 'postgres') remote = await databaseClock(storage, log);
    const clock = options.clock ?? remote ?? systemClock;
    const ids = uuidV7Ids(clock);
    const tables = tablesOf(database.dialect);
    const secrets = await openKeyring({ storage, tables, clock, masterKeys });
    const tenancy = tenancyEngine({ storage, tables, clock, ids, secrets, log });
    const maxAgeDays = options.email?.linkDays;
    const links = trackingTokens(await secrets.derived(TRACKING_PURPOSE), { clock, maxAgeDays });
    const callbackTokens = pathTokens(await secrets.derived(CALLBACK_PURPOSE));
    const leaving = trackingTokens(await secrets.derived(UNSUBSCRIBE_PURPOSE), { clock, maxAgeDays: UNSUBSCRIBE_DAYS });
    const { steps = stepTypes, keepsAll = false, upkeepIsDue = () => true } = seams;
    return wire({
      ...{ database, tables, tenancy, secrets, links, leaving, callbackTokens },
      ...{ clock, remote, ids, log, options, steps, keepsAll, upkeepIsDue },
    });
  } catch (error) {
    await remote?.close();
    await storage.close();
    throw error;
  }
};

type Parts = {
  readonly database: OpenDatabase;
  readonly tables: ReturnType<typeof tablesOf>;
  readonly tenancy: ReturnType<typeof tenancyEngine>;
  readonly clock: { now(): Date };
  readonly remote: DatabaseClock | undefined;
  readonly ids: ReturnType<typeof uuidV7Ids>;
  readonly secrets: Keyring;
  readonly links: TrackingTokens;
  readonly callbackTokens: PathTokens;
  readonly leaving: TrackingTokens;
  readonly log: Log;
  readonly options: BeckonOptions;
  readonly steps: NonNullable<Seams['steps']>;
  readonly keepsAll: boolean;
  readonly upkeepIsDue: () => boolean;
};

const wire = ({
  database,
  tables,
  tenancy,
  secrets,
  links,
  callbackTokens,
  leaving,
  clock,
  ids,
  options,
  steps,
  keepsAll,
  ...parts
}: Parts): Beckon => {
  const { scopes } = tenancy;
  const log = tenantLog(parts.log, scopes);
  const threw = (error: unknown): void => log.warn({ error }, 'the meter threw');
  const meter = options.meter ? containedMeter(options.meter, threw) : noMeter;
  const storage = options.meter ? metered(database.storage, meter) : database.storage;
  const platform: Platform<Tables> = { storage, tables, clock, ids, log, meter, scopes, keyring: secrets };
  const profiles = profilesEngine({ storage, tables, tokenTags: tokenTags(storage, tables) });
  const host = hostReactions(options.hooks ?? {}, { scopes, log });
  const idempotency = idempotencyEngine({ storage, tables, clock, ids });
  const countPlaceholders = placeholderCounter({ meter, log, clock });
  const hotEvents = eventStatements(tables);
  const triggering = automationContributions(platform);
  const known = knownAudiences({ storage, tables, clock });
  const publishing = webhookContributions(platform, options.sandbox);
  // Whoever listens to events of the catalog, and who tells other systems.
  const emitter = makeEmitter({
    hot: hotEvents,
    scopes,
    listeners: [...triggering.internal.listeners, audienceListener(known)],
    announcer: publishing.internal.announcer,
  });
  const userOf = async ({ scopeId }: InScope, anonymousId: string) =>
    (await storage.select(profiles.hot.aliasesOf, [[scopeId, anonymousId]]))[0]?.userId ?? null;
  const { answerOnce } = idempotency;
  const prodScope = ({ orgId, projectId }: ProjectScope) => tenancy.scope({ orgId, projectId, environment: 'prod' });
  const isOrg = async (orgId: string) => (await tenancy.listOrgs()).some(({ id }) => id === orgId);
  const plans = orgPlansOf({ storage, tables, clock, tenancy, options });
  const limits = limitsEngine({
    ...{ storage, tables, clock, plans, isOrg },
    ...{ mailsPerMinute: options.email?.mailsPerMinute, calls: options.limits },
  });
  const delivery = deliveryOf({
    ...platform,
    secrets,
    links,
    callbackTokens,
    leaving,
    scopeIdsOfAll: tenancy.scopeIdsOfAll,
    options,
    hasSeveralOrgs: tenancy.hasSeveralOrgs,
    loadProfiles: profiles.load,
    personWith: profiles.personWith,
    userOf,
    emitter,
    causes: triggering.internal.loadCauses,
    answerOnce,
    requirePlan: plans.require,
    limits,
    reactions: [...triggering.messageReactions, ...host.messages],
    countPlaceholders,
  });
  const { sending, tokens } = delivery;

  const audiences = groupsOf({
    ...{ storage, tables, clock, ids, emitter, definitions: known, workflows: triggering.internal, profiles },
    ...{ log: () => events.log, scopeOf: tenancy.scope },
  });

  const eventLog = eventStore({ storage, tables });
  const loadKnown = knownOf({ storage, tables, definitions: known, log: { ...eventLog, movingTo: profiles.movingTo } });
  const workflowSecrets = workflowSecretsOf({ storage, tables, clock, secrets });
  const sendErasers = sendingErasers({ storage, tables, clock });
  const automation = automationModule(platform, triggering, {
    ...{ options, steps, emitter, answerOnce, plans, isOrg, prodScope, userOf, profiles, audiences, loadKnown },
    secrets: workflowSecrets,
    isGivenMember: givenMember(known, loadKnown),
    sends: sending,
    eraseSends: sendErasers.ofRuns,
    loadSettings: delivery.loadSettings,
    templates: delivery.templates,
    abTests: delivery.abTests,
    postStep: publishing.internal.planStepDelivery,
    pureSends,
  });
  const behind = [...audiences.behind, ...automation.downstreamReactions];
  const stepNeeds = { runs: automation.internal.waitingSteps, secrets: workflowSecrets };
  const webhooks = webhooksModule(platform, publishing, { outbound: options.outbound, emitter, ...stepNeeds });

  // Ingest: who is who comes before what they did, and both before what that starts.
  const events = eventsEngine({
    storage,
    tables,
    clock,
    ids,
    lifecycle: sending.lifecycle,
    findTold: webhooks.internal.findTold,
    answerOnce,
    quotas: plans.quotas,
    meter,
    countPlaceholders,
    log,
    reactions: [
      bindReaction(dedupe(storage, hotEvents)),
      bindReaction(plans.quotas.reaction),
      bindReaction(profiles.reactionBefore(behind)),
      bindReaction(tokens.merges),
      bindReaction(storeEvents(hotEvents)),
      ...webhooks.ingestReactions,
      bindReaction(delivery.conversions),
      ...behind,
      ...host.events,
    ],
  });

  const { db, dialect } = storage;
  const analytics = analyticsModule(platform, {
    followedLog: followedLog({ storage, tables }),
    eventLog,
    sendChanges: sendChanges({ db, dialect, tables, clock }),
    workflowsOf: automation.internal.workflowsOf,
    countRuns: automation.api.figures,
    ...{ planOf: plans.of, usageOf: plans.api.usageOf, scopeIdsOfAll: tenancy.scopeIdsOfAll },
  });
  const erasure = erasePeople({
    storage,
    tables,
    clock,
    ids,
    idempotency,
    profiles,
    sending,
    tokens,
    events,
    runs: automation.erasers,
    sends: sendErasers.eraser,
    more: [...delivery.erasers, audiences.eraser, ...webhooks.erasers],
    afterEvents: analytics.erasers,
  });
  const { messages } = sending.registrations;
  const raised = raisedRegistration({
    ...{ storage, tables, hot: hotEvents, clock, scopes },
    reactions: [bindReaction(profiles.presentBefore(behind)), ...behind],
  });
  const { behindMs, ...atWork } = atWorkOf({
    database,
    storage,
    tables,
    ids,
    log,
    pollMs: options.pollMs,
    upkeepIsDue: parts.upkeepIsDue,
    queues: (of) => [
      queue(of, messages),
      queue(of, sending.registrations.sends),
      queue(of, raised),
      queue(of, audiences.registrations.builds),
      queue(of, audiences.registrations.checks),
      ...[...automation.queues, ...webhooks.queues].map((make) => make(of)),
      queue(of, erasure.registration),
    ],
    setOff: [messages.claim, automation.internal.claim, raised.claim],
    hostAheadMs: parts.remote?.hostAheadMs,
    upkeep: upkeepOf({
      events,
      profiles,
      tokens,
      idempotency,
      more: [
        ...plans.upkeep,
        ...(keepsAll ? [] : [plans.retention]),
        ...[
          ...limits.upkeep,
          ...delivery.upkeep,
          ...automation.maintenance,
          ...webhooks.maintenance,
          ...analytics.maintenance,
        ],
      ],
    }),
  });

  const { sends } = sending;
  const explain = automation.internal.explainer({ sends, isWaiting: events.isWaiting });
  const explained = async (scope: Scope, id: string) => {
    const event = await events.recordOf(scope, id);
    return { ...event, workflows: await explain(scope, event) };
  };
  const reads = profiles.reads({ events: events.listOf, messages: sending.forPerson });
  let closing: Promise<void> | undefined;

  const sealedValues = [
    ...sealedValuesOf({ storage, tables, scopes }),
    ...automation.sealedValues,
    ...webhooks.sealedValues,
  ];
  return {
    tenancy,
    secrets: {
      rotateMasterKey: (rotation) => rotateMasterKey({ keys: secrets.rotation, values: sealedValues }, rotation),
      ...guardScopes(workflowSecrets.api, scopes),
    },
    plans: plans.api,
    limits: { ...limits.api, ...guardScopes({ mailRequest: limits.api.mailRequest }, scopes) },
    events: guardScopes({ ...events.api, list: events.list, get: explained }, scopes),
    profiles: guardScopes(
      {
        ...reads,
        ...erasure.api,
        ...profiles.writes({ clock, behind, addresses: { email: mailAddress, phone: phoneNumber } }),
        get: async (scope: Scope, userId: string) => ({
          ...(await reads.get(scope, userId)),
          tokens: await tokens.ofPerson(scope, userPerson(userId)),
          audiences: await audiences.api.ofUser(scope, userId),
        }),
        placeholders: placeholderUsers(profiles, tokens),
      },
      scopes,
    ),
    audiences: guardScopes(audiences.api, scopes),
    workflows: guardScopes({ ...automation.api, figures: analytics.internal.workflowFigures }, scopes),
    ai: automation.openApi,
    webhooks: guardScopes(webhooks.api, scopes),
    analytics: guardScopes(analytics.api, scopes),
    load: { strain: () => ({ databaseWaitMs: storage.waitMs(), ingestFilled: events.filled() }), behindMs },
    ...delivery.apis,
    ...atWork,
    close: () => {
      closing ??= (async () => {
        await atWork.worker.stop();
        await events.close();
        await delivery.close();
        audiences.close();
        await automation.close();
        await webhooks.close();
        limits.close();
        plans.close();
        await host.settled();
        await tenancy.close();
        await parts.remote?.close();
        await storage.close();
      })();
      return closing;
    },
  };
};
