// Providers and messaging: from a send request to the last report about its messages.

import { providersModule } from '../delivery/providers/module.ts';
import { endpointRules } from '../delivery/providers/outbound.ts';
import { closeAll } from '../foundation/modules.ts';
import { guardScopes } from '../platform/tenancy/guard.ts';
import { abTestContributions, abTestsModule } from './ab-tests/module.ts';
import { callbackSecretsModule, callbacksModule } from './callbacks/module.ts';
import { capsModule } from './caps/module.ts';
import { emailCallbackDefinitions } from './email/callbacks/email-callbacks.ts';
import { emailDomainsModule } from './email/domains/module.ts';
import { emailCallbacksModule, emailContributions, emailModule } from './email/module.ts';
import { emailTemplate } from './email/template.ts';
import { type MessagingNeeds, type MessagingOptions, type MessagingPlatform, partsOf } from './parts.ts';
import { geofencesModule } from './push/geofences/module.ts';
import { liveActivitiesModule, liveActivityContributions } from './push/live-activities/module.ts';
import { pushContributions, pushModule, tokensModule } from './push/module.ts';
import { pushTemplate } from './push/template.ts';
import { sendsModule } from './sends/module.ts';
import { settingsModule } from './settings/module.ts';
import { providerOrder, settingsReader } from './settings/reader.ts';
import { smsCallbackSources, smsContributions, smsModule } from './sms/module.ts';
import { smsTemplate } from './sms/template.ts';
import { subscriptionContributions, subscriptionsModule } from './subscriptions/module.ts';
import { suppressionsModule } from './suppressions/module.ts';
import { templatesModule } from './templates/module.ts';

/** Builds the modules in import order: those that sending uses, sending, then those that use sending. */
export const messagingModule = (platform: MessagingPlatform, needs: MessagingNeeds, options: MessagingOptions) => {
  const { callbackTokens, unsubscribeTokens, links, limits } = needs;
  const { publicUrl = null, outbound, transports } = options;
  const endpoints = endpointRules(outbound);

  const reader = settingsReader(platform);
  const loadSettings = reader.load;
  const domains = emailDomainsModule(platform, options.email);
  const { dkimOf, senders: loadSenders } = domains.internal;
  const orderOf = providerOrder(loadSettings);
  const providers = providersModule(platform, { ...needs, outbound, transports, orderOf, dkimOf });
  const definitions = emailCallbackDefinitions;
  const secrets = callbackSecretsModule(platform, { definitions, tokens: callbackTokens, publicUrl });
  const tokens = tokensModule(platform, { ...needs, endpoints, loadSettings, providers: providers.internal });
  const geofences = geofencesModule(platform, { ...needs, tokens: tokens.internal });
  const suppressions = suppressionsModule(platform);
  const choices = subscriptionContributions(platform);
  const tests = abTestContributions(platform);
  const { states } = suppressions.internal;
  const push = pushContributions(platform, needs);
  const email = emailContributions({ links, unsubscribeTokens, publicUrl, states: states('email') });
  const sms = smsContributions(platform, { publicUrl, states: states('sms') });
  const channels = { push: push.internal.channel, email: email.internal.channel, sms: sms.internal.channel };
  const caps = capsModule(platform, { channels, loadSettings });
  const activityAnswers = liveActivityContributions(platform, needs);
  const contributions = partsOf(
    { name: 'settings reader', close: reader.close },
    domains,
    providers,
    secrets,
    tokens,
    geofences,
    suppressions,
    choices,
    tests,
    push,
    email,
    sms,
    caps,
    activityAnswers,
  );

  const reactions = contributions.flatMap(({ messageReactions = [] }) => messageReactions);
  const sends = sendsModule(platform, {
    ...needs,
    ...{ channels, loadSettings, loadSenders, loadChoices: choices.internal.loadChoices, tests: tests.internal },
    ...{ providers: providers.internal, permits: limits.mailPermits, statusCallback: sms.internal.statusCallback },
    resendsAmbiguous: options.sms?.resendOnAmbiguous,
    messageReactions: [...reactions, ...needs.messageReactions],
    reservations: contributions.flatMap(({ reservations = [] }) => reservations),
    preconditions: contributions.flatMap(({ preconditions = [] }) => preconditions),
  });
  const sending = sends.internal;
  const using = { ...needs, sends: sending };

  const abTests = abTestsModule(platform, { ...using, reader: tests.internal, variants: sending.variants });
  const liveActivities = liveActivitiesModule(platform, using);
  const mailCallbacks = emailCallbacksModule(platform, { ...using, outbound, secretsOf: secrets.internal.secretsOf });
  const textCallbacks = smsCallbackSources(platform, {
    ...{ ...using, providers: providers.internal, suppressions: suppressions.internal },
  });
  const sources = [...mailCallbacks.internal.sources, ...textCallbacks.internal.sources];
  const callbacks = callbacksModule(platform, { tokens: callbackTokens, publicUrl, find: sending.find, sources });
  const kinds = { push: pushTemplate, email: emailTemplate, sms: smsTemplate };
  const templates = templatesModule(platform, { ...needs, kinds, renderPreview: sending.preview });
  const subscriptions = subscriptionsModule(platform, {
    ...{ ...needs, links: unsubscribeTokens },
    ...{ unsubscribing: sending.unsubscribing, suppressions: suppressions.internal },
  });
  const settings = settingsModule(platform, {
    ...{ reader, providers: providers.internal.settings, callbacks: secrets.internal.settings },
    ...{ resume: sending.resume, onOrgZone: needs.onOrgZone },
  });
  const withTemplates = { ...using, useTemplate: templates.internal.use };
  const pushes = pushModule(platform, { ...withTemplates, endpoints });
  const mails = emailModule(platform, {
    ...{ ...withTemplates, publicUrl, loadSettings },
    hasMailPermit: limits.hasMailPermit,
  });
  const texts = smsModule(withTemplates);
  const engines = partsOf(
    sends,
    abTests,
    liveActivities,
    mailCallbacks,
    textCallbacks,
    callbacks,
    templates,
    subscriptions,
    settings,
    pushes,
    mails,
    texts,
  );

  const modules = [...contributions, ...engines];
  const guarded = <Api extends object>(api: Api): Api => guardScopes(api, platform.scopes);
  return {
    name: 'messaging',
    apis: {
      tokens: guarded(tokens.api),
      geofences: guarded(geofences.api),
      liveActivities: guarded(liveActivities.api),
      push: guarded(pushes.api),
      email: { ...guarded(mails.api), ...mails.openApi },
      sms: guarded(texts.api),
      sends: guarded(sends.api),
      abTests: guarded(abTests.api),
      settings: guarded(settings.api),
      templates: guarded(templates.api),
      outbox: guarded(sending.outbox),
      suppressions: guarded(suppressions.api),
      callbacks: { ...guarded(callbacks.api), ...callbacks.openApi },
      subscriptions: { ...guarded(subscriptions.api), ...subscriptions.openApi },
      bounces: mails.internal.bounces,
      emailDomains: guarded(domains.api),
    },
    internal: {
      sends: sending,
      loadSettings,
      tokens: tokens.internal,
      templates: templates.internal,
      abTests: { tests: tests.internal, textsOf: tests.internal.textsOf },
    },
    ingestReactions: modules.flatMap(({ ingestReactions = [] }) => ingestReactions),
    queues: modules.flatMap(({ queues = [] }) => queues),
    erasers: modules.flatMap(({ erasers = [] }) => erasers),
    traces: modules.flatMap(({ traces = [] }) => traces),
    expiring: modules.flatMap(({ expiring = [] }) => expiring),
    maintenance: modules.flatMap(({ maintenance = [] }) => maintenance),
    sealedValues: modules.flatMap(({ sealedValues = [] }) => sealedValues),
    close: () => closeAll(modules),
  };
};
