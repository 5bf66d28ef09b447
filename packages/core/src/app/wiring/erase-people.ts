import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { mailAddress } from '../../foundation/email-address.ts';
import type { Ids } from '../../foundation/ids.ts';
import { userPerson } from '../../foundation/person.ts';
import { scopeOf } from '../../foundation/scope.ts';
import type { tokensEngine } from '../../messaging/push/tokens.ts';
import type { Sending } from '../../messaging/sends/sending.ts';
import type { eventsEngine } from '../../people/events/events.ts';
import type { profilesEngine } from '../../people/profiles/profiles.ts';
import type { Eraser } from '../../platform/erasure/eraser.ts';
import { erasureEngine } from '../../platform/erasure/erasure.ts';
import type { idempotencyEngine } from '../../platform/idempotency/idempotency.ts';
import type { Tables } from '../tables.ts';

export type ErasePeopleDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly idempotency: Pick<ReturnType<typeof idempotencyEngine>, 'eraser'>;
  readonly profiles: Pick<ReturnType<typeof profilesEngine>, 'load' | 'erasure'>;
  readonly sending: Pick<Sending, 'forPerson'>;
  readonly tokens: Pick<ReturnType<typeof tokensEngine>, 'ofPerson' | 'eraser'>;
  readonly events: Pick<ReturnType<typeof eventsEngine>, 'erasers'>;
  /** Of runs, before the sends that no run made. */
  readonly runs: readonly Eraser[];
  readonly sends: Eraser;
  /** Of the engines that bring their own. */
  readonly more: readonly Eraser[];
  /** Of those that make something of events: it would be made again while one is left. */
  readonly afterEvents: readonly Eraser[];
};

/** Wires erasure over every engine that keeps something of people: whoever keeps more adds an eraser to the list. */
export const erasePeople = ({ storage, tables, clock, ids, ...engines }: ErasePeopleDeps) => {
  const { idempotency, profiles, sending, tokens, events, runs, sends, more, afterEvents } = engines;
  return erasureEngine({
    storage,
    tables,
    clock,
    ids,
    isKnown: async (scope, userId) => {
      const person = userPerson(userId);
      if ((await profiles.load([{ ...scopeOf(scope), person }])).size > 0) return true;
      if ((await tokens.ofPerson(scope, person)).length > 0) return true;
      return (await sending.forPerson(scope, person, { limit: 1 })).data.length > 0;
    },
    describe: async (scope, userId) => {
      const person = await profiles.erasure.describe(scope, userId);
      // As a trait has it, and as mail is stored and sent: an international domain is written in another way there.
      const stored = person.addresses.flatMap((address) => mailAddress(address) ?? []);
      return { ...person, addresses: [...new Set([...person.addresses, ...stored])] };
    },
    erasers: [
      // Found by what the profile says.
      idempotency.eraser,
      profiles.erasure.profile,
      ...runs,
      sends,
      tokens.eraser,
      ...more,
      ...events.erasers,
      ...afterEvents,
      // Whoever takes up what a dead worker left finds everybody by the aliases.
      profiles.erasure.aliases,
    ],
  });
};
