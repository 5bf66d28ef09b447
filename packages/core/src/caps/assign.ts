// Who gets a slot. Pure: what is taken already is an argument.

import { type InScope, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { CapRule } from './rules.ts';

/** What tells slots apart. */
type SlotName = InScope & { readonly person: string; readonly rule: CapRule; readonly sendId: string };

/** A slot under one rule, as one send to one person takes it. */
export type Slot = SlotName & {
  /** One string for all slots of the person under the rule, and one for this slot, for maps. */
  readonly pool: string;
  readonly key: string;
};

/** Both strings are made once: a handover asks for them several times. Throws nothing. */
export const slotOf = (name: SlotName): Slot => {
  const { person, rule, sendId } = name;
  const pool = `${scopeKey(name)}/${person}/${rule.id}`;
  return { ...scopeOf(name), person, rule, sendId, pool, key: `${pool}/${sendId}` };
};

/** How many slots of a rule a person's sends have, and whether this send is one of them. */
export type Taken = { readonly taken: number; readonly isHeld: boolean };

/** What one message asks for: a slot under each of its rules. */
export type Ask = {
  readonly slots: readonly Slot[];
  /** 1 for the message itself; a copy of it hands nothing over to the person. */
  readonly handovers: 0 | 1;
};

/** A slot that is to be taken, or come to again, and for how many hand-overs. */
export type Taking = { readonly slot: Slot; handovers: number };

/**
 * What each message takes, in their order: who comes first takes first. All rules or none, which is null. Messages of one
 * send to one person share a slot, which the first of them takes. Throws nothing.
 */
export const assign = (
  asks: readonly Ask[],
  takenBefore: (slot: Slot) => Taken,
): readonly (readonly Taking[] | null)[] => {
  const fresh = new Map<string, number>();
  const shared = new Map<string, Taking>();
  const isFree = (slot: Slot): boolean => {
    if (shared.has(slot.key)) return true;
    const { taken, isHeld } = takenBefore(slot);
    return isHeld || taken + (fresh.get(slot.pool) ?? 0) < slot.rule.max;
  };
  return asks.map(({ slots, handovers }) => {
    if (!slots.every(isFree)) return null;
    return slots.flatMap((slot): Taking[] => {
      const other = shared.get(slot.key);
      if (other) {
        other.handovers += handovers;
        return [];
      }
      const taking = { slot, handovers };
      shared.set(slot.key, taking);
      if (!takenBefore(slot).isHeld) fresh.set(slot.pool, (fresh.get(slot.pool) ?? 0) + 1);
      return [taking];
    });
  });
};
