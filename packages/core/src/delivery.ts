// Wires what lies between a request to reach people and the last answer about it: settings, providers, channels, sending.
// The order of the message reactions stands here.

import { abTestsEngine } from './ab-tests/ab-tests.ts';
import { conversions } from './ab-tests/conversions.ts';
import type { Beckon, BeckonOptions, Log } from './api.ts';
import { emailChannel, emailEngine } from './email/email.ts';
import { emailOpens } from './email/opens.ts';
import { emailRenderer } from './email/render.ts';
import { htmlTracker } from './email/tracking.ts';
import type { TrackingTokens } from './email/tracking-tokens.ts';
import type { Emitter } from './events/emit.ts';
import type { AnswerOnce } from './idempotency/once.ts';
import type { Clock } from './primitives/clock.ts';
import type { Ids } from './primitives/ids.ts';
import type { Meter } from './primitives/meter.ts';
import { addressRules } from './primitives/net/addresses.ts';
import type { InScope } from './primitives/scope.ts';
import type { LoadProfiles } from './profiles/view.ts';
import { credentialsEngine } from './providers/credentials.ts';
import { providerDefinitions } from './providers/definitions.ts';
import { withOwnTransports } from './providers/own-transports.ts';
import { pushChannel } from './push/channel.ts';
import { deadTokens } from './push/invalidate.ts';
import { pushEngine } from './push/push.ts';
import { tokensEngine } from './push/tokens.ts';
import { sendingEngine } from './sending/sending.ts';
import { messageEvents } from './sending/settle/catalog-events.ts';
import { countedMessages } from './sending/settle/counted.ts';
import { type BoundMessageReaction, bindMessageReaction } from './sending/settle/reactions.ts';
import { settingsEngine } from './settings/settings.ts';
import { smsChannel, smsEngine } from './sms/sms.ts';
import type { Storage } from './storage/storage.ts';
import type { Tables } from './tables.ts';
import { guardScopes } from './tenancy/guard.ts';
import type { Keyring } from './tenancy/keyring.ts';
import type { Scopes } from './tenancy/scope-directory.ts';

export type DeliveryDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scopes: Scopes;
  readonly secrets: Keyring;
  readonly links: TrackingTokens;
  readonly log: Log;
  readonly meter: Meter;
  readonly options: BeckonOptions;
  readonly hasSeveralOrgs: () => Promise<boolean>;
  readonly loadProfiles: LoadProfiles;
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
  readonly emitter: Emitter;
  readonly depths: Parameters<typeof messageEvents>[0]['depths'];
  readonly answerOnce: AnswerOnce;
  /** Of other engines, after those of the channels. */
  readonly reactions: readonly BoundMessageReaction[];
};

/** What the host program calls of delivery. */
type DeliveryApis = Pick<Beckon, 'tokens' | 'push' | 'email' | 'sms' | 'sends' | 'settings' | 'outbox' | 'abTests'>;

export const deliveryOf = (deps: DeliveryDeps) => {
  const { storage, tables, clock, ids, scopes, secrets, links, log, meter, options, emitter, depths } = deps;
  const { loadProfiles, userOf, answerOnce, hasSeveralOrgs } = deps;
  const { outbound, publicUrl = null } = options;
  const definitions = providerDefinitions({ clock, random: Math.random, log, hasSeveralOrgs, outbound });
  const stored = credentialsEngine({ storage, tables, clock, secrets, definitions, scopes, log });
  const credentials = withOwnTransports(stored, options.transports ?? {}, { clock, scopes });
  const settings = settingsEngine({ storage, tables, clock, providers: credentials.settings });
  const endpoints = { ...outbound?.webPush, addresses: addressRules(outbound?.allowCidrs) };
  const tokens = tokensEngine({
    endpoints,
    storage,
    tables,
    clock,
    ids,
    userOf,
    vapidPublicKey: (scope) => credentials.vapidPublicKey(scope),
  });
  const abTests = abTestsEngine({ storage, tables, clock, ids });
  const renderMail = emailRenderer(undefined, htmlTracker(links));
  const sending = sendingEngine({
    storage,
    tables,
    clock,
    ids,
    random: Math.random,
    scopes,
    loadProfiles,
    // What is remembered of settings and of credentials is everybody's.
    loadSettings: (asked) => storage.apart(() => settings.load(asked)),
    channels: { push: pushChannel({ storage, tables, scopes }), email: emailChannel(renderMail), sms: smsChannel() },
    tests: abTests.tests,
    credentials: { ...credentials.source, load: (...asked) => storage.apart(() => credentials.source.load(...asked)) },
    nameProvider: credentials.nameProvider,
    emitter,
    depths,
    answerOnce,
    reactions: [
      bindMessageReaction(deadTokens({ storage, tables, emitter, depths })),
      bindMessageReaction(messageEvents({ emitter, depths })),
      ...deps.reactions,
      ...(options.meter ? [bindMessageReaction(countedMessages(meter))] : []),
    ],
    meter,
    resendsAmbiguous: options.sms?.resendOnAmbiguous,
    log,
  });
  credentials.onChange(sending.unpark);
  const counted = conversions({ storage, hot: abTests.hot, clock, variants: sending.variants });

  const apis: DeliveryApis = {
    tokens: guardScopes(tokens.api, scopes),
    push: guardScopes(pushEngine({ clock, submit: sending.submit, endpoints, report: sending.report }), scopes),
    email: {
      ...guardScopes(emailEngine({ submit: sending.submit, publicUrl }), scopes),
      ...emailOpens({ clock, tokens: links, report: sending.report, log }),
    },
    sms: guardScopes(smsEngine({ sending }), scopes),
    sends: guardScopes(sending.sends, scopes),
    settings: guardScopes(settings.api, scopes),
    abTests: guardScopes(abTests.api(sending.variants), scopes),
    outbox: guardScopes(sending.outbox, scopes),
  };
  return {
    apis,
    sending,
    tokens,
    /** Events that tests count. */
    conversions: counted,
    close: async (): Promise<void> => {
      await sending.close();
      credentials.close();
      settings.close();
      abTests.close();
      counted.close();
    },
  };
};
