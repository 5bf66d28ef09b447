import { causesOfRuns } from '../automation/runs/causes.ts';
import { runStatements } from '../automation/runs/statements.ts';
import { stepOutcomes } from '../automation/runs/step-outcomes.ts';
import type { StepCatalog } from '../automation/runs/steps/catalog.ts';
import { stepTypes } from '../automation/runs/steps/list.ts';
import { type AwaitedCache, awaitedCache } from '../automation/workflows/awaited.ts';
import { eventExplainer } from '../automation/workflows/explain.ts';
import { triggerCache, triggerListener } from '../automation/workflows/triggers.ts';
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
import type { Upkeep } from '../jobs/maintenance.ts';
import { queue } from '../jobs/worker.ts';
import { CALLBACK_PURPOSE, type PathTokens, pathTokens } from '../messaging/callbacks/path-token.ts';
import { TRACKING_PURPOSE, type TrackingTokens, trackingTokens } from '../messaging/email/tracking-tokens.ts';
import { UNSUBSCRIBE_DAYS, UNSUBSCRIBE_PURPOSE } from '../messaging/email/unsubscribe-links.ts';
import { tokenTags } from '../messaging/push/token-tags.ts';
import { bindMessageReaction } from '../messaging/sends/finalize/reactions.ts';
import { orgZoneReader } from '../messaging/settings/settings.ts';
import { knownAudiences } from '../people/audiences/audiences.ts';
import { audienceListener } from '../people/audiences/definitions.ts';
import { givenMember } from '../people/audiences/given-member.ts';
import { knownOf } from '../people/audiences/load-known.ts';
import { rebuildInNewZone } from '../people/audiences/records.ts';
import { dedupe } from '../people/events/dedupe.ts';
import { emitter as makeEmitter } from '../people/events/emit.ts';
import { eventsEngine } from '../people/events/events.ts';
import { bindReaction } from '../people/events/pipeline.ts';
import { placeholderCounter } from '../people/events/placeholders.ts';
import { eventStatements } from '../people/events/statements.ts';
import { storeEvents } from '../people/events/store-events.ts';
import { placeholderUsers } from '../people/profiles/placeholders.ts';
import { profilesEngine } from '../people/profiles/profiles.ts';
import { idempotencyEngine } from '../platform/idempotency/idempotency.ts';
import { limitsEngine } from '../platform/limits/limits.ts';
import { guardScopes } from '../platform/tenancy/guard.ts';
import { type Keyring, openKeyring } from '../platform/tenancy/keyring.ts';
import { rotateMasterKey } from '../platform/tenancy/rotation.ts';
import { workflowSecrets as workflowSecretsOf } from '../platform/tenancy/secrets/workflow-secrets.ts';
import { tenancyEngine } from '../platform/tenancy/tenancy.ts';
import { tenantLog } from '../platform/tenancy/tenant-log.ts';
import type { Beckon } from './api.ts';
import { parseOptions } from './config.ts';
import { hostReactions } from './host/host.ts';
import type { BeckonOptions } from './options.ts';
import { tablesOf } from './tables.ts';
import { aiStepsOf } from './wiring/ai-steps.ts';
import { analyticsOf } from './wiring/analytics.ts';
import { announcementsOf } from './wiring/announcements.ts';
import { atWorkOf } from './wiring/at-work.ts';
import { automationOf } from './wiring/automation.ts';
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
  const profiles = profilesEngine({ storage, tables, tokenTags: tokenTags(storage, tables) });
  const host = hostReactions(options.hooks ?? {}, { scopes, log });
  const idempotency = idempotencyEngine({ storage, tables, clock, ids });
  const countPlaceholders = placeholderCounter({ meter, log, clock });
  const hotEvents = eventStatements(tables);
  const triggers = triggerCache({ storage, tables, clock });
  // What they remember is everybody's.
  const shared = {
    load: (projects: Parameters<typeof triggers.load>[0]) => storage.apart(() => triggers.load(projects)),
  };
  const known = knownAudiences({ storage, tables, clock, loadOrgZones: orgZoneReader({ storage, tables }) });
  const waits = awaitedCache({ storage, tables, clock });
  const awaited: AwaitedCache = { ...waits, load: (projects) => storage.apart(() => waits.load(projects)) };
  const announcements = announcementsOf({ storage, tables, clock, ids, scopes, secrets, log, options });
  const { announcer } = announcements;
  // Whoever listens to events of the catalog, and who tells other systems.
  const emitter = makeEmitter({
    hot: hotEvents,
    scopes,
    listeners: [triggerListener(shared), awaited, audienceListener(known)],
    announcer,
  });
  const userOf = async ({ scopeId }: InScope, anonymousId: string) =>
    (await storage.select(profiles.hot.aliasesOf, [[scopeId, anonymousId]]))[0]?.userId ?? null;
  const { answerOnce } = idempotency;
  const prodScope = ({ orgId, projectId }: ProjectScope) => tenancy.scope({ orgId, projectId, environment: 'prod' });
  const hotRuns = runStatements(tables);
  const causes = causesOfRuns({ storage, hot: hotRuns });
  const isOrg = async (orgId: string) => (await tenancy.listOrgs()).some(({ id }) => id === orgId);
  const plans = orgPlansOf({ storage, tables, clock, tenancy, options });
  const limits = limitsEngine({
    ...{ storage, tables, clock, plans, isOrg },
    ...{ mailsPerMinute: options.email?.mailsPerMinute, calls: options.limits },
  });
  const delivery = deliveryOf({
    ...{ storage, tables, clock, ids },
    scopes,
    secrets,
    links,
    callbackTokens,
    leaving,
    scopeIdsOfAll: tenancy.scopeIdsOfAll,
    log,
    meter,
    options,
    hasSeveralOrgs: tenancy.hasSeveralOrgs,
    loadProfiles: profiles.load,
    personWith: profiles.personWith,
    userOf,
    emitter,
    causes,
    answerOnce,
    requirePlan: plans.require,
    onOrgZone: (scope, db) => rebuildInNewZone({ storage, tables, clock, definitions: known }, scope, db),
    limits,
    reactions: [bindMessageReaction(stepOutcomes(hotRuns)), ...host.messages],
    countPlaceholders,
  });
  const { sending, tokens } = delivery;

  const audiences = groupsOf({
    ...{ storage, tables, clock, ids, emitter, definitions: known, triggers: shared, profiles },
    ...{ log: () => events.log, scopeOf: tenancy.scope },
  });

  const ai = aiStepsOf({
    ...{ storage, tables, clock, ids, secrets, log, options, isOrg },
    mayShare: (orgId) => plans.allows(orgId, 'sharedModels'),
  });
  const workflowSecrets = workflowSecretsOf({ storage, tables, clock, secrets });
  const automation = automationOf({
    ...{ storage, tables, clock, ids, scopes, log, options, steps, hotEvents, hotRuns, ai },
    postStep: announcements.postStep,
    secrets: workflowSecrets,
    emitter,
    answerOnce,
    requirePlan: plans.require,
    allows: plans.allows,
    triggers: { ...triggers, load: shared.load },
    audiences,
    awaited,
    profiles,
    sending,
    loadSettings: delivery.loadSettings,
    loadKnown: (...asked) => loadKnown(...asked),
    isGivenMember: givenMember(known, (...asked) => loadKnown(...asked)),
    templates: delivery.templates,
    abTests: delivery.abTests,
    prodScope,
    userOf,
  });
  const { behind } = automation;

  // Ingest: who is who comes before what they did, and both before what that starts.
  const events = eventsEngine({
    storage,
    tables,
    clock,
    ids,
    lifecycle: sending.lifecycle,
    findTold: announcements.findTold,
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
      announcements.identified(emitter),
      bindReaction(delivery.conversions),
      ...behind,
      ...host.events,
    ],
  });

  const eventLog = { ...events.log, movingTo: profiles.movingTo };
  const loadKnown = knownOf({ storage, tables, definitions: known, log: eventLog });
  const analytics = analyticsOf({
    ...{ storage, tables, clock, scopes, scopeIdsOfAll: tenancy.scopeIdsOfAll },
    retentionDays: async (orgId) => (await plans.of(orgId)).retentionDays,
    ...{ planOf: plans.of, usageOf: plans.api.usageOf },
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
    more: [...delivery.erasers, audiences.eraser, ...announcements.erasers],
    afterEvents: [analytics.eraser],
  });
  const { messages, runs, raised } = { ...sending.registrations, ...automation.registrations };
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
      queue(of, runs),
      queue(of, raised),
      queue(of, audiences.registrations.builds),
      queue(of, audiences.registrations.checks),
      queue(of, automation.registrations.models),
      queue(of, announcements.registration(automation.stepPosts)),
      queue(of, erasure.registration),
    ],
    setOff: [messages.claim, runs.claim, raised.claim],
    hostAheadMs: parts.remote?.hostAheadMs,
    upkeep: upkeepOf({
      events,
      profiles,
      tokens,
      idempotency,
      more: [
        ...plans.upkeep,
        ...(keepsAll ? [] : [plans.retention]),
        ...[limits, delivery, ai, announcements, analytics].flatMap<Upkeep>(({ upkeep }) => upkeep),
      ],
    }),
  });

  const { sends } = sending;
  const explain = eventExplainer({ storage, tables, ...automation.reads, sends, isWaiting: events.isWaiting });
  const explained = async (scope: Scope, id: string) => {
    const event = await events.recordOf(scope, id);
    return { ...event, workflows: await explain(scope, event) };
  };
  const reads = profiles.reads({ events: events.listOf, messages: sending.forPerson });
  let closing: Promise<void> | undefined;

  const sealedValues = [...sealedValuesOf({ storage, tables, scopes }), ai.sealed, announcements.sealed];
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
    workflows: { ...automation.api, ...guardScopes({ figures: analytics.figures(automation.api.figures) }, scopes) },
    ai: ai.api,
    webhooks: announcements.api,
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
        await ai.close();
        await announcements.close();
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
