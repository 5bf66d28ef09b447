// Reserves a cap entry under every rule of a message, in the transaction of its handover. On PostgreSQL the commit
// first locks one row per user, in order, so that the next counting transaction sees all earlier entries; SQLite has
// one writer at a time.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Reservation, Reserving } from '../sends/deliver/reservations.ts';
import { assign, type CapRequest, type EntryUse, type Reserved, type Slot, slotKey } from './assign.ts';
import { type CountedChannels, countedFor, rulesFor } from './rules.ts';
import type { CapStatements } from './statements.ts';

/** The entries that each message reserves, in order, and the existing ones. */
type Loaded = { readonly uses: ReturnType<typeof assign>; readonly reservedIn: (slot: Slot) => Reserved };

const NONE: Reserved = { reserved: 0, isHeld: false };
const noneOf = (): Reserved => NONE;

/**
 * The frequency cap reservation. It must be the last one, because messages of one send share the entry of the first.
 */
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
  /** True if the last batch had a refusal: the next one counts existing entries instead of failing on its guards. */
  let isTight = false;

  const requestOf = (message: Reserving): CapRequest => {
    const { row, send } = message;
    const { sendId } = row;
    const person = countedFor(row, send?.content ?? null, channels);
    return {
      slots: person === null ? [] : rulesFor(message).map((rule) => ({ scopeId: row.scopeId, person, rule, sendId })),
      handovers: row.role === 'to' ? 1 : 0,
    };
  };

  /**
   * True if there are copies without their email in the batch: they write no entry, so no guard would detect a full
   * rule.
   */
  const hasLoneCopy = (requests: readonly CapRequest[]): boolean => {
    const copies = requests.filter(({ handovers }) => handovers === 0);
    if (copies.length === 0) return false;
    const mails = new Set(requests.flatMap(({ slots, handovers }) => (handovers === 0 ? [] : slots.map(slotKey))));
    return copies.some(({ slots }) => slots.some((slot) => !mails.has(slotKey(slot))));
  };

  /** One lock row for each user not locked yet. */
  const locks = (reserved: readonly EntryUse[], locked: Set<string>): Write[] =>
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
      const requests = messages.map(requestOf);
      const assumedFree = isFirst && !isTight && !hasLoneCopy(requests) ? assign(requests, noneOf) : [null];
      // Each write counts for itself. Existing entries matter only if a message is refused because of other messages.
      if (!assumedFree.includes(null)) return { uses: assumedFree, reservedIn: noneOf };
      const slots = new Map<string, SelectKey>();
      for (const request of requests)
        for (const slot of request.slots)
          slots.set(slotKey(slot), [scopeKey(slot), slot.person, slot.rule.id, slot.sendId]);
      const found = new Map<string, Reserved>();
      for (const row of await storage.select(statements.reserved, [...slots.values()]))
        found.set(`${scopeKey(row)}/${row.person}/${row.rule}/${row.sendId}`, row);
      const reservedIn = (slot: Slot): Reserved => found.get(slotKey(slot)) ?? NONE;
      const uses = assign(requests, reservedIn);
      isTight = uses.includes(null);
      return { uses, reservedIn };
    },
    write: (_, { uses }) => {
      const locked = new Set<string>();
      return uses.map(
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
        requestOf(message).slots.map((slot) => {
          const { channel, class: kind, max, per } = slot.rule;
          const { reserved } = reservedIn(slot);
          return [`${channel} ${kind} per ${per.n} ${per.unit}`, `${reserved} of ${max}`];
        }),
      ),
  };
};
