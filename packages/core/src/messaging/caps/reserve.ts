// A slot under every rule that a message stands under, taken in the transaction of its handover. On PostgreSQL the plan
// first locks one row for each person, in order, so that whoever counts behind it sees all that others have taken; on
// SQLite nobody else writes meanwhile.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Reservation, Reserving } from '../sends/deliver/reservations.ts';
import { type Ask, assign, type Reserved, type Slot, slotKey, type Taking } from './assign.ts';
import { type CountedChannels, countedFor, rulesFor } from './rules.ts';
import type { CapStatements } from './statements.ts';

/** What each message takes, in their order, and what is taken already. */
type Loaded = { readonly takings: ReturnType<typeof assign>; readonly reservedIn: (slot: Slot) => Reserved };

const NONE: Reserved = { reserved: 0, isHeld: false };
const noneOf = (): Reserved => NONE;

/** Slots under frequency caps. It has to be the last reservation: messages of one send share what the first takes. */
export const capReservation = ({
  storage,
  statements,
  channels,
}: {
  readonly storage: Pick<Storage, 'select' | 'dialect'>;
  readonly statements: CapStatements;
  readonly channels: CountedChannels;
}): Reservation<Loaded> => {
  const isShared = storage.dialect.name === 'postgres';
  /** Of those who were asked last somebody had no slot left: the next ones rather count than try in vain. */
  let isTight = false;

  const askOf = (message: Reserving): Ask => {
    const { row, send } = message;
    const { sendId } = row;
    const person = countedFor(row, send?.content ?? null, channels);
    return {
      slots: person === null ? [] : rulesFor(message).map((rule) => ({ scopeId: row.scopeId, person, rule, sendId })),
      handovers: row.role === 'to' ? 1 : 0,
    };
  };

  /** Copies without their mail in the same batch write no slot whose guard would notice that there is no room. */
  const hasLoneCopy = (asks: readonly Ask[]): boolean => {
    const copies = asks.filter(({ handovers }) => handovers === 0);
    if (copies.length === 0) return false;
    const mails = new Set(asks.flatMap(({ slots, handovers }) => (handovers === 0 ? [] : slots.map(slotKey))));
    return copies.some(({ slots }) => slots.some((slot) => !mails.has(slotKey(slot))));
  };

  /** One row for each person of whom it has not been asked. */
  const locks = (reserved: readonly Taking[], locked: Set<string>): Write[] =>
    reserved.flatMap(({ slot }) => {
      const key = `${scopeKey(slot)}/${slot.person}`;
      if (locked.has(key)) return [];
      locked.add(key);
      return [write(statements.lock, { ...scopeOf(slot), person: slot.person })];
    });

  return {
    name: 'frequency_cap',
    onFailure: { verdict: 'suppressed', reason: 'frequency_cap' },
    isReadAnew: true,
    concerns: (message) => rulesFor(message).length > 0,
    load: async (messages, isFirst) => {
      const asks = messages.map(askOf);
      const untaken = isFirst && !isTight && !hasLoneCopy(asks) ? assign(asks, noneOf) : [null];
      // Each write counts for itself. Only who is refused for what others take has to know what they have already.
      if (!untaken.includes(null)) return { takings: untaken, reservedIn: noneOf };
      const slots = new Map<string, SelectKey>();
      for (const ask of asks)
        for (const slot of ask.slots)
          slots.set(slotKey(slot), [scopeKey(slot), slot.person, slot.rule.id, slot.sendId]);
      const found = new Map<string, Reserved>();
      for (const row of await storage.select(statements.reserved, [...slots.values()]))
        found.set(`${scopeKey(row)}/${row.person}/${row.rule}/${row.sendId}`, row);
      const reservedIn = (slot: Slot): Reserved => found.get(slotKey(slot)) ?? NONE;
      const takings = assign(asks, reservedIn);
      isTight = takings.includes(null);
      return { takings, reservedIn };
    },
    write: (_, { takings }) => {
      const locked = new Set<string>();
      return takings.map(
        (reserved) =>
          reserved && [
            ...(isShared ? locks(reserved, locked) : []),
            ...reserved.map(({ slot, handovers }) => {
              const { person, rule, sendId } = slot;
              return write(statements.take, {
                ...scopeOf(slot),
                person,
                rule: rule.id,
                sendId,
                handovers,
                most: rule.max,
                lastsMs: rule.lastsMs,
              });
            }),
          ],
      );
    },
    evidence: (message, { reservedIn }) =>
      Object.fromEntries(
        askOf(message).slots.map((slot) => {
          const { channel, class: kind, max, per } = slot.rule;
          const { reserved } = reservedIn(slot);
          return [`${channel} ${kind} per ${per.n} ${per.unit}`, `${reserved} of ${max}`];
        }),
      ),
  };
};
