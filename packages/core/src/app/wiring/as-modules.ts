// What the files beside this one contribute, in the shape of modules.

import { sealedCredentials } from '../../delivery/providers/sealed.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import { sealedCallbackSecrets } from '../../messaging/callbacks/secrets/secrets.ts';
import { sealedDkimKeys } from '../../messaging/email/domains/sealed.ts';
import { sendingErasers } from '../../messaging/sends/erase/erase.ts';
import { sendingExpiry } from '../../messaging/sends/erase/expire.ts';
import { bindReaction } from '../../people/events/pipeline.ts';
import type { Trace } from '../../platform/erasure/erasure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Tables } from '../tables.ts';
import type { deliveryOf } from './delivery.ts';

type Delivery = ReturnType<typeof deliveryOf>;

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
