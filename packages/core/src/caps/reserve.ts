// A slot under every rule that a message stands under, taken in the transaction of its handover. On PostgreSQL the plan
// first locks one row for each person, in order, so that whoever counts behind it sees all that others have taken; on
// SQLite nobody else writes meanwhile.

import { type InScope, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { Reservation, Reserving } from '../sending/deliver/reservations.ts';
import type { SelectKey } from '../storage/bulk.ts';
import type { Storage } from '../storage/storage.ts';
import { type Write, write } from '../storage/write-set.ts';
import { type Ask, assign, type Slot, slotKey, type Taken } from './assign.ts';
import type { CapHot } from './hot.ts';
import { type CountedChannels, countedFor, rulesFor } from './rules.ts';

export type ReserveDeps = {
  readonly storage: Pick<Storage, 'select' | 'dialect'>;
  readonly hot: CapHot;
  readonly channels: CountedChannels;
};

/** By `slotKey`. */
type Loaded = ReadonlyMap<string, Taken>;

const NONE: Taken = { taken: 0, isHeld: false };

/** Slots under frequency caps. It has to be the last reservation: messages of one send share what the first takes. */
export const capReservation = ({ storage, hot, channels }: ReserveDeps): Reservation<Loaded> => {
  const isShared = storage.dialect.name === 'postgres';

  /** Of each message it is asked several times in one handover. */
  const asks = new WeakMap<Reserving, Ask>();
  const askOf = (message: Reserving): Ask => {
    const known = asks.get(message);
    if (known) return known;
    const { row, send } = message;
    const rules = rulesFor(message);
    const person = rules.length === 0 ? null : countedFor(row, send?.content ?? null, channels);
    const ask: Ask = {
      slots: person === null ? [] : rules.map((rule) => ({ ...scopeOf(row), person, rule, sendId: row.sendId })),
      handovers: row.role === 'to' ? 1 : 0,
    };
    asks.set(message, ask);
    return ask;
  };

  /** One row for each person of whom it has not been asked. */
  const locks = (slots: readonly Slot[], locked: Set<string>): Write[] =>
    slots.flatMap((slot: InScope & Pick<Slot, 'person'>) => {
      const key = `${scopeKey(slot)}/${slot.person}`;
      if (!isShared || locked.has(key)) return [];
      locked.add(key);
      return [write(hot.lock, { ...scopeOf(slot), person: slot.person })];
    });

  return {
    name: 'frequency_cap',
    onFailure: { verdict: 'suppressed', reason: 'frequency_cap' },
    isReadAnew: true,
    concerns: (message) => askOf(message).slots.length > 0,
    load: async (messages) => {
      const slots = new Map<string, SelectKey>();
      for (const message of messages)
        for (const slot of askOf(message).slots)
          slots.set(slotKey(slot), [scopeKey(slot), slot.person, slot.rule.id, slot.sendId]);
      const found = new Map<string, Taken>();
      for (const row of await storage.select(hot.taken, [...slots.values()]))
        found.set(`${scopeKey(row)}/${row.person}/${row.rule}/${row.sendId}`, row);
      return found;
    },
    write: (messages, loaded) => {
      const locked = new Set<string>();
      return assign(messages.map(askOf), (slot) => loaded.get(slotKey(slot)) ?? NONE).map(
        (takings) =>
          takings && [
            ...locks(
              takings.map(({ slot }) => slot),
              locked,
            ),
            ...takings.map(({ slot: { person, rule, sendId, ...scope }, handovers }) =>
              write(hot.take, {
                ...scopeOf(scope),
                person,
                rule: rule.id,
                sendId,
                handovers,
                most: rule.max,
                lastsMs: rule.lastsMs,
              }),
            ),
          ],
      );
    },
    saw: (message, loaded) =>
      Object.fromEntries(
        askOf(message).slots.map((slot) => {
          const { channel, class: kind, max, per } = slot.rule;
          const { taken } = loaded.get(slotKey(slot)) ?? NONE;
          return [`${channel} ${kind} per ${per.n} ${per.unit}`, `${taken} of ${max}`];
        }),
      ),
  };
};
