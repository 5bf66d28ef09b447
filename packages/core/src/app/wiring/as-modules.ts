// What the files beside this one contribute, in the shape of modules.

import { runEraser, runExpiry } from '../../automation/runs/erase.ts';
import { sealedCredentials } from '../../delivery/providers/sealed.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import { sealedCallbackSecrets } from '../../messaging/callbacks/secrets/secrets.ts';
import { sealedDkimKeys } from '../../messaging/email/domains/sealed.ts';
import { sendingErasers } from '../../messaging/sends/erase/erase.ts';
import { sendingExpiry } from '../../messaging/sends/erase/expire.ts';
import type { Emitter } from '../../people/events/emit.ts';
import { bindReaction } from '../../people/events/pipeline.ts';
import type { Trace } from '../../platform/erasure/erasure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Tables } from '../tables.ts';
import type { aiStepsOf } from './ai-steps.ts';
import type { analyticsOf } from './analytics.ts';
import type { announcementsOf } from './announcements.ts';
import type { automationOf } from './automation.ts';
import type { deliveryOf } from './delivery.ts';

type Delivery = ReturnType<typeof deliveryOf>;
type Automation = ReturnType<typeof automationOf>;

export const messagingParts = (
  { storage, tables, clock, scopes }: Platform<Tables>,
  { sending, tokens, conversions, erasers, upkeep, close }: Delivery,
) => {
  const expiry = sendingExpiry({ storage, tables });
  return {
    name: 'messaging',
    ingestReactions: [bindReaction(tokens.merges), bindReaction(conversions)],
    queues: [
      (options) => queue(options, sending.registrations.messages),
      (options) => queue(options, sending.registrations.sends),
    ] satisfies readonly MakeQueue[],
    erasers: [sendingErasers({ storage, tables, clock }).eraser, tokens.eraser, ...erasers],
    traces: [
      async (scope, person) => (await tokens.ofPerson(scope, person)).length > 0,
      async (scope, person) => (await sending.forPerson(scope, person, { limit: 1 })).data.length > 0,
    ] satisfies readonly Trace[],
    expiring: [
      { name: 'messages', expire: expiry.messages },
      { name: 'sends', expire: expiry.sends },
    ],
    maintenance: upkeep,
    sealedValues: [
      sealedCredentials({ storage, tables, scopes }),
      sealedCallbackSecrets({ storage, tables, scopes }),
      sealedDkimKeys({ storage, tables, scopes }),
    ],
    close,
  };
};

export const automationParts = (
  { storage, tables, clock }: Platform<Tables>,
  { registrations }: Automation,
  ai: ReturnType<typeof aiStepsOf>,
) => ({
  name: 'automation',
  queues: [
    (options) => queue(options, registrations.runs),
    (options) => queue(options, registrations.raised),
    (options) => queue(options, registrations.models),
  ] satisfies readonly MakeQueue[],
  erasers: [runEraser({ storage, tables, eraseSends: sendingErasers({ storage, tables, clock }).ofRuns })],
  expiring: [{ name: 'runs', expire: runExpiry({ storage, tables }) }],
  maintenance: ai.upkeep,
  sealedValues: [ai.sealed],
  close: ai.close,
});

export const webhookParts = (
  announcements: ReturnType<typeof announcementsOf>,
  { stepPosts }: Automation,
  emitter: Emitter,
) => ({
  name: 'webhooks',
  ingestReactions: [announcements.identified(emitter)],
  queues: [(options) => queue(options, announcements.registration(stepPosts))] satisfies readonly MakeQueue[],
  erasers: announcements.erasers,
  maintenance: announcements.upkeep,
  sealedValues: [announcements.sealed],
  close: announcements.close,
});

export const analyticsParts = ({ eraser, upkeep }: ReturnType<typeof analyticsOf>) => ({
  name: 'analytics',
  erasers: [eraser],
  maintenance: upkeep,
});
