import type { Providers } from '../../delivery/providers/module.ts';
import { noMeter } from '../../foundation/meter.ts';
import { inOrder } from '../../foundation/modules.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import type { Emitter } from '../../people/events/emit.ts';
import type { LoadProfiles } from '../../people/profiles/view.ts';
import type { Trace } from '../../platform/erasure/erasure.ts';
import type { AnswerOnce } from '../../platform/idempotency/once.ts';
import type { MailPermits } from '../../platform/limits/mail-permits.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { LoadSettings } from '../settings/reader.ts';
import type { SendAudiences } from './audience.ts';
import type { Channels } from './channel.ts';
import type { LoadChoices } from './choices.ts';
import type { Precondition } from './deliver/message.ts';
import { type BoundReservation, RESERVATION_ORDER } from './deliver/reservations.ts';
import type { SendTests } from './deliver/variants.ts';
import { type EraseOfRuns, sendingErasers } from './erase/erase.ts';
import { sendingExpiry } from './erase/expire.ts';
import { messageEvents } from './finalize/catalog-events.ts';
import { countedMessages } from './finalize/counted.ts';
import { type BoundMessageReaction, bindMessageReaction, MESSAGE_REACTION_ORDER } from './finalize/reactions.ts';
import type { LoadCauses } from './lifecycle.ts';
import type { LoadSenderRules } from './senders.ts';
import { type Sending, sendingEngine } from './sending.ts';
import type { StatusCallback } from './status-callback.ts';
import type { SendingTables } from './tables.ts';

export type SendsPlatform = Platform<SendingTables>;

type Needs = {
  readonly loadProfiles: LoadProfiles;
  readonly loadSettings: LoadSettings;
  readonly loadChoices: LoadChoices;
  readonly loadSenders: LoadSenderRules;
  readonly channels: Channels;
  readonly audiences: SendAudiences;
  readonly tests: SendTests;
  readonly providers: Pick<Providers, 'source' | 'nameProvider' | 'onChange'>;
  readonly requirePlan: RequirePlan;
  readonly answerOnce: AnswerOnce;
  readonly permits: MailPermits;
  readonly emitter: Emitter;
  /** Causes that events of workflow messages inherit. */
  readonly causes: LoadCauses;
  readonly statusCallback: StatusCallback;
  readonly resendsAmbiguous: boolean | undefined;
  /** Reactions of all modules, in any order. */
  readonly messageReactions: readonly BoundMessageReaction[];
  readonly reservations: readonly BoundReservation[];
  readonly preconditions: readonly Precondition[];
};

/** Functions for other modules. */
export type Sends = Sending & { readonly eraseOfRuns: EraseOfRuns };

/** Builds sends: from acceptance to the end of the last message. */
export const sendsModule = (platform: SendsPlatform, { providers, messageReactions, ...needs }: Needs) => {
  const { storage, tables, clock, meter } = platform;
  const { emitter, causes } = needs;
  const sending = sendingEngine(platform, {
    ...needs,
    random: Math.random,
    credentials: providers.source,
    nameProvider: providers.nameProvider,
    reactions: inOrder(MESSAGE_REACTION_ORDER, [
      ...messageReactions,
      bindMessageReaction(messageEvents({ emitter, causes })),
      ...(meter === noMeter ? [] : [bindMessageReaction(countedMessages(meter))]),
    ]),
    reservations: inOrder(RESERVATION_ORDER, needs.reservations),
  });
  providers.onChange(sending.resume);
  const { messages, sends } = sending.registrations;
  const queues: readonly MakeQueue[] = [(options) => queue(options, messages), (options) => queue(options, sends)];
  const { eraser, ofRuns } = sendingErasers({ storage, tables, clock });
  const expiry = sendingExpiry({ storage, tables });
  return {
    name: 'sends',
    api: sending.sends,
    internal: { ...sending, eraseOfRuns: ofRuns } satisfies Sends,
    queues,
    erasers: [eraser],
    traces: [
      async (scope, person) => (await sending.forPerson(scope, person, { limit: 1 })).data.length > 0,
    ] satisfies readonly Trace[],
    expiring: [
      { name: 'messages', expire: expiry.messages },
      { name: 'sends', expire: expiry.sends },
    ],
    close: sending.close,
  };
};
