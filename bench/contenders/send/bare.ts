import { randomUUID } from 'node:crypto';
import { providerDefinitions } from '../../../packages/core/src/delivery/providers/definitions.ts';
import { memorySharedToken } from '../../../packages/core/src/delivery/transports/apns/token.ts';
import type { Transport } from '../../../packages/core/src/delivery/transports/port.ts';
import { systemClock } from '../../../packages/core/src/foundation/clock.ts';
import { poster } from '../../../packages/core/src/webhooks/post.ts';
import type { Benched } from '../../lib/benched.ts';
import type { Caller } from './caller.ts';
import { outboundOf, type World } from './fixtures.ts';
import { HOOKS_AT_ONCE, hooks } from './hooks.ts';
import { mails, pushes, texts } from './messages.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const callerOf = <M>(
  { maxInFlight, send }: Pick<Transport<M, never>, 'maxInFlight' | 'send'>,
  messageOf: (index: number, id: string) => M,
): Caller => ({
  atOnce: maxInFlight,
  size: 1,
  call: async (index) => {
    const { signal } = new AbortController();
    const outcome = await send(messageOf(index, randomUUID()), { signal, attempt: 1 });
    if (outcome.result !== 'accepted') throw new Error(`a message was not accepted: ${outcome.code}`);
  },
});

const hookCaller = (world: World): Caller => {
  const { allowCidrs, ca } = outboundOf(world);
  const { post } = poster({ clock: systemClock, allowCidrs, ca });
  const hook = hooks(world.peers);
  return {
    atOnce: HOOKS_AT_ONCE,
    size: 1,
    call: async (index) => {
      const { outcome, error } = await post(hook(index, randomUUID()), new AbortController().signal);
      if (outcome !== 'delivered') throw new Error(`a webhook was not told: ${error}`);
    },
  };
};

/** The product's own transport, created as the product creates it, without anything around it. */
export const bareCaller = async (provider: Benched, world: World): Promise<Caller> => {
  const kinds = providerDefinitions({
    hasSeveralOrgs: async () => false,
    clock: systemClock,
    random: Math.random,
    log: silent,
    outbound: outboundOf(world),
  });
  const { settings } = world;
  const options = { sharedToken: memorySharedToken(), dkimOf: async () => null };
  switch (provider) {
    case 'apns':
      return callerOf(await kinds.apns.read(settings.apns).make(options), pushes('apns', world));
    case 'fcm':
      return callerOf(await kinds.fcm.read(settings.fcm).make(options), pushes('fcm', world));
    case 'webpush':
      return callerOf(await kinds.webpush.read(settings.webpush).make(options), pushes('webpush', world));
    case 'smtp':
      return callerOf(await kinds.smtp.read(settings.smtp).make(options), mails());
    case 'twilio':
      return callerOf(await kinds.twilio.read(settings.twilio).make(options), texts());
    case 'webhook':
      return hookCaller(world);
  }
};
