// Wires what lies between a request to reach people and the last answer about it: settings, providers, channels, sending.
// The order of the message reactions stands here.

import type { Storage } from '../../database/storage.ts';
import { credentialsEngine } from '../../delivery/providers/credentials.ts';
import { providerDefinitions } from '../../delivery/providers/definitions.ts';
import { loadInOrder, type OrderOf } from '../../delivery/providers/order.ts';
import { withOwnTransports } from '../../delivery/providers/own-transports.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import type { Meter } from '../../foundation/meter.ts';
import { addressRules } from '../../foundation/net/addresses.ts';
import type { CountPlaceholders } from '../../foundation/placeholder-user-id.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import type { Upkeep } from '../../jobs/maintenance.ts';
import { abTestsEngine } from '../../messaging/ab-tests/ab-tests.ts';
import { conversions } from '../../messaging/ab-tests/conversions.ts';
import { callbacksEngine } from '../../messaging/callbacks/callbacks.ts';
import { callbackEraser } from '../../messaging/callbacks/erase.ts';
import type { PathTokens } from '../../messaging/callbacks/path-token.ts';
import { callbackSecrets } from '../../messaging/callbacks/secrets/secrets.ts';
import { callbackUrls } from '../../messaging/callbacks/urls.ts';
import { frequencyCaps } from '../../messaging/caps/caps.ts';
import { bouncesEngine } from '../../messaging/email/bounces.ts';
import { amazonRequests } from '../../messaging/email/callbacks/amazon.ts';
import { emailCallbackDefinitions, emailCallbacks } from '../../messaging/email/callbacks/email-callbacks.ts';
import { emailDomainsEngine } from '../../messaging/email/domains/domains.ts';
import { txtLookUp } from '../../messaging/email/domains/look-up.ts';
import { emailChannel, emailEngine } from '../../messaging/email/email.ts';
import { emailOpens } from '../../messaging/email/opens.ts';
import { emailRenderer } from '../../messaging/email/render.ts';
import { emailTemplate } from '../../messaging/email/template.ts';
import { htmlTracker } from '../../messaging/email/tracking.ts';
import type { TrackingTokens } from '../../messaging/email/tracking-tokens.ts';
import { unsubscribeLinks } from '../../messaging/email/unsubscribe-links.ts';
import { pushChannel } from '../../messaging/push/channel.ts';
import { geofencesEngine } from '../../messaging/push/geofences/geofences.ts';
import { deadTokens } from '../../messaging/push/invalidate.ts';
import { liveActivitiesEngine } from '../../messaging/push/live-activities/live-activities.ts';
import { liveActivityAnswers } from '../../messaging/push/live-activities/reaction.ts';
import { liveActivityStatements } from '../../messaging/push/live-activities/statements.ts';
import { pushEngine } from '../../messaging/push/push.ts';
import { pushTemplate } from '../../messaging/push/template.ts';
import { tokensEngine } from '../../messaging/push/tokens.ts';
import { messageEvents } from '../../messaging/sends/finalize/catalog-events.ts';
import { countedMessages } from '../../messaging/sends/finalize/counted.ts';
import { type BoundMessageReaction, bindMessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import { sendingEngine } from '../../messaging/sends/sending.ts';
import { type LoadSettings, type OnOrgZone, settingsEngine } from '../../messaging/settings/settings.ts';
import { smsCallbacks } from '../../messaging/sms/callbacks/source.ts';
import { statusUrl } from '../../messaging/sms/callbacks/status-url.ts';
import { smsChannel, smsEngine } from '../../messaging/sms/sms.ts';
import { smsTemplate } from '../../messaging/sms/template.ts';
import { choicesOf, choicesStill, subscriptionsEngine } from '../../messaging/subscriptions/subscriptions.ts';
import { reportedAddresses } from '../../messaging/suppressions/reported-addresses.ts';
import { suppressionsEngine } from '../../messaging/suppressions/suppressions.ts';
import { templatesEngine } from '../../messaging/templates/templates.ts';
import { audiencesForSends } from '../../people/audiences/sends/sends.ts';
import type { Emitter } from '../../people/events/emit.ts';
import type { LoadProfiles } from '../../people/profiles/view.ts';
import type { Eraser } from '../../platform/erasure/eraser.ts';
import type { AnswerOnce } from '../../platform/idempotency/once.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import { guardScopes } from '../../platform/tenancy/guard.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import type { Scopes } from '../../platform/tenancy/scope-directory.ts';
import type { Beckon } from '../api.ts';
import type { BeckonOptions } from '../options.ts';
import type { Tables } from '../tables.ts';
import { planGates } from './plan-gates.ts';

export type DeliveryDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scopes: Scopes;
  readonly secrets: Keyring;
  readonly links: TrackingTokens;
  readonly callbackTokens: PathTokens;
  /** Of links to unsubscribe. */
  readonly leaving: TrackingTokens;
  readonly log: Log;
  readonly meter: Meter;
  readonly options: BeckonOptions;
  readonly hasSeveralOrgs: () => Promise<boolean>;
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
  readonly loadProfiles: LoadProfiles;
  /** Who has this number on their profile. */
  readonly personWith: (scope: InScope, number: string) => Promise<string | null>;
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
  readonly emitter: Emitter;
  readonly causes: Parameters<typeof messageEvents>[0]['causes'];
  readonly countPlaceholders: CountPlaceholders;
  readonly requirePlan: RequirePlan;
  readonly onOrgZone: OnOrgZone;
  readonly answerOnce: AnswerOnce;
  readonly limits: Pick<Limits, 'isCounted' | 'places'>;
  /** Of other engines, after those of the channels. */
  readonly reactions: readonly BoundMessageReaction[];
};

/** What the host program calls of delivery. */
type DeliveryApis = Pick<
  Beckon,
  | 'tokens'
  | 'geofences'
  | 'liveActivities'
  | 'push'
  | 'email'
  | 'sms'
  | 'sends'
  | 'abTests'
  | 'settings'
  | 'templates'
  | 'outbox'
  | 'suppressions'
  | 'callbacks'
  | 'subscriptions'
  | 'bounces'
  | 'emailDomains'
>;

export const deliveryOf = (deps: DeliveryDeps) => {
  const { storage, tables, clock, ids, scopes, secrets, links, leaving, log, meter, options, emitter, causes } = deps;
  const { loadProfiles, userOf, answerOnce, hasSeveralOrgs, requirePlan, countPlaceholders } = deps;
  const { outbound, publicUrl = null } = options;
  const definitions = providerDefinitions({ clock, random: Math.random, log, hasSeveralOrgs, outbound });
  const { dnsServers, requireVerifiedDomains = false } = options.email ?? {};
  const domains = emailDomainsEngine({
    storage,
    tables,
    clock,
    ids,
    secrets,
    scopes,
    lookUp: txtLookUp(dnsServers),
    isAlwaysRequired: requireVerifiedDomains,
  });
  const { dkimOf } = domains;
  const stored = credentialsEngine({ storage, tables, clock, secrets, definitions, scopes, log, dkimOf });
  const orderOf: OrderOf = async (keys) => {
    const settingsOf = await settings.load(keys);
    return (key) => (key.channel === 'push' ? [] : settingsOf(key).channels[key.channel].providers);
  };
  const ordered = { ...stored, source: { ...stored.source, load: loadInOrder(stored.source.load, orderOf) } };
  const credentials = withOwnTransports(ordered, options.transports ?? {}, { clock, scopes });
  const checks = callbackSecrets({
    storage,
    tables,
    clock,
    secrets,
    definitions: emailCallbackDefinitions,
    urlOf: callbackUrls(publicUrl, deps.callbackTokens),
    log,
  });
  const settings = settingsEngine({
    storage,
    tables,
    clock,
    providers: credentials.settings,
    callbacks: checks.settings,
    onOrder: (scope, channel) => sending.unpark(scope, channel),
    onOrgZone: deps.onOrgZone,
  });
  // What is remembered of settings is everybody's.
  const loadSettings: LoadSettings = (asked) => storage.apart(() => settings.load(asked));
  const endpoints = { ...outbound?.webPush, addresses: addressRules(outbound?.allowCidrs) };
  const tokens = tokensEngine({
    endpoints,
    storage,
    tables,
    clock,
    ids,
    userOf,
    countPlaceholders,
    vapidPublicKey: (scope) => credentials.vapidPublicKey(scope),
    reactivates: async (scope) => (await loadSettings([scope]))(scope).channels.push.reactivateOnRegister,
  });
  const geofences = geofencesEngine({
    ...{ storage, tables, clock, ids, emitter, userOf, countPlaceholders },
    ownerOf: tokens.ownerOf,
  });
  const suppressions = suppressionsEngine({ storage, tables, clock });
  const abTests = abTestsEngine({ storage, tables, clock, ids });
  const renderMail = emailRenderer(undefined, htmlTracker(links));
  const channels = {
    push: pushChannel({ storage, tables, scopes }),
    email: { ...emailChannel(renderMail, unsubscribeLinks(leaving, publicUrl)), states: suppressions.states('email') },
    sms: { ...smsChannel(), states: suppressions.states('sms') },
  };
  const chose = choicesStill({ tables });
  const caps = frequencyCaps({ storage, tables, channels, loadSettings });
  const audiences = audiencesForSends({ storage, tables });
  const sending = sendingEngine({
    storage,
    tables,
    clock,
    ids,
    random: Math.random,
    scopes,
    loadProfiles,
    loadSettings,
    loadSenders: (asked) => storage.apart(() => domains.senders(asked)),
    loadChoices: choicesOf({ storage, tables }),
    channels,
    audiences,
    tests: abTests.tests,
    requirePlan,
    // As of settings.
    credentials: { ...credentials.source, load: (...asked) => storage.apart(() => credentials.source.load(...asked)) },
    nameProvider: credentials.nameProvider,
    emitter,
    causes,
    answerOnce,
    reactions: [
      bindMessageReaction(deadTokens({ storage, tables, emitter, causes })),
      bindMessageReaction(liveActivityAnswers({ storage, hot: liveActivityStatements(tables), emitter })),
      bindMessageReaction(reportedAddresses(suppressions)),
      bindMessageReaction(messageEvents({ emitter, causes })),
      caps.reaction,
      ...deps.reactions,
      ...(options.meter ? [bindMessageReaction(countedMessages(meter))] : []),
    ],
    // Caps are the last: what any other one stops takes no slot.
    reservations: [caps.reservation],
    places: deps.limits.places,
    still: ({ row, send, addressState, choices }) => {
      const { person, channel } = row;
      const isChosen = person !== null && send?.class === 'marketing';
      return [
        ...suppressions.still(row, channel, row.address, addressState),
        ...(isChosen ? [chose({ ...scopeOf(row), person, channel }, choices)] : []),
      ];
    },
    meter,
    resendsAmbiguous: options.sms?.resendOnAmbiguous,
    statusCallback: (message, { provider, inbound }) => {
      // Its scope was read to find the connection. What nothing could be checked with is not asked for.
      const orgId = scopes.known(message.scopeId)?.orgId;
      if (publicUrl === null || orgId === undefined || !inbound || inbound.secrets.length === 0) return null;
      return statusUrl(publicUrl, { provider, orgId, messageId: message.id });
    },
    log,
  });
  credentials.onChange(sending.unpark);
  const counted = conversions({ storage, hot: abTests.hot, clock, variants: sending.variants });
  const { lookUpSends, plan: planSend, react } = sending;
  const liveActivities = liveActivitiesEngine({
    ...{ storage, tables, audiences, clock, ids, emitter, lookUpSends, planSend, react, countPlaceholders },
    requirePlan: deps.requirePlan,
  });
  const amazon = amazonRequests({ allowCidrs: outbound?.allowCidrs, ca: outbound?.ca });
  const callbacks = callbacksEngine({
    storage,
    tables,
    clock,
    ids,
    scopes,
    secrets,
    tokens: deps.callbackTokens,
    find: sending.find,
    // Who posts what becomes of messages.
    sources: [
      ...emailCallbacks({
        storage,
        reports: sending.reports,
        report: sending.report,
        fetchCertificate: amazon.fetchCertificate,
        confirm: amazon.confirm,
        secrets: (scope, provider) => checks.secretsOf(scope, 'email', provider),
      }),
      ...smsCallbacks({
        storage,
        scopes,
        configured: (keys) => credentials.source.load(keys),
        settingsOf: credentials.inbound,
        scopesOfMessage: sending.find.scopesOf,
        newestTo: sending.find.newestTo,
        personWith: deps.personWith,
        reports: sending.reports,
        emitter,
        lists: suppressions,
      }),
    ],
    publicUrl,
    log,
  });

  const kinds = { push: pushTemplate, email: emailTemplate, sms: smsTemplate };
  const templates = templatesEngine({
    storage,
    tables,
    clock,
    ids,
    kinds,
    renderPreview: sending.preview,
  });
  const useTemplate = templates.use;

  const { unsubscribing } = sending;
  const subscriptions = subscriptionsEngine({
    storage,
    tables,
    clock,
    links: leaving,
    loadProfiles,
    unsubscribing,
    suppressions,
  });

  const gates = planGates(requirePlan);
  const apis: DeliveryApis = {
    tokens: guardScopes(tokens.api, scopes),
    geofences: guardScopes(gates.geofences(geofences.api), scopes),
    liveActivities: guardScopes(gates.liveActivities(liveActivities.api), scopes),
    push: guardScopes(
      pushEngine({ clock, submit: sending.submit, useTemplate, endpoints, report: sending.report }),
      scopes,
    ),
    email: {
      ...guardScopes(
        emailEngine({ submit: sending.submit, useTemplate, publicUrl, isCounted: deps.limits.isCounted }),
        scopes,
      ),
      ...emailOpens({ clock, tokens: links, report: sending.report, log }),
    },
    sms: guardScopes(smsEngine({ sending, useTemplate }), scopes),
    sends: guardScopes(sending.sends, scopes),
    settings: guardScopes(settings.api, scopes),
    templates: guardScopes(gates.templates(templates.api, kinds), scopes),
    emailDomains: guardScopes(domains.api, scopes),
    abTests: guardScopes(gates.abTests(abTests.api(sending.variants)), scopes),
    outbox: guardScopes(sending.outbox, scopes),
    callbacks: guardScopes(callbacks.api, scopes, ['receive']),
    bounces: bouncesEngine({
      clock,
      ownerOf: async (messageId) => sending.findOwner(messageId, await deps.scopeIdsOfAll()),
      reports: sending.reports,
    }),
    suppressions: guardScopes(suppressions.api, scopes),
    subscriptions: { ...guardScopes(subscriptions.byUser, scopes), ...subscriptions.byLink },
  };
  return {
    apis,
    sending,
    loadSettings,
    templates,
    abTests,
    tokens,
    erasers: [
      callbackEraser({ storage, tables }),
      geofences.eraser,
      liveActivities.eraser,
      suppressions.eraser,
      subscriptions.eraser,
      caps.eraser,
    ] satisfies readonly Eraser[],
    upkeep: [
      { name: 'callbacks', run: callbacks.sweep },
      { name: 'geofence crossings', run: geofences.sweep },
      { name: 'live activities', run: liveActivities.sweep },
      { name: 'frequency caps', run: caps.sweep },
      { name: 'email domains', run: domains.recheck },
    ] satisfies readonly Upkeep[],
    /** Events that tests count. */
    conversions: counted,
    close: async (): Promise<void> => {
      await sending.close();
      credentials.close();
      settings.close();
      geofences.close();
      await amazon.close();
      domains.close();
      abTests.close();
      counted.close();
    },
  };
};
