// Who gets a slot. Pure: what is taken already is an argument.

import type { InScope } from '../primitives/scope.ts';
import type { CapRule } from './rules.ts';

/** A slot under one rule, as one send to one person takes it. */
export type Slot = InScope & { readonly person: string; readonly rule: CapRule; readonly sendId: string };

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

type Keys = { readonly pool: string; readonly slot: string };
/** Each slot is asked for its keys several times in one handover. */
const known = new WeakMap<Slot, Keys>();
const keysOf = (slot: Slot): Keys => {
  const found = known.get(slot);
  if (found) return found;
  const pool = `${slot.scopeId}/${slot.person}/${slot.rule.id}`;
  const made = { pool, slot: `${pool}/${slot.sendId}` };
  known.set(slot, made);
  return made;
};
const poolOf = (slot: Slot): string => keysOf(slot).pool;
/** One string per slot, for maps. */
export const slotKey = (slot: Slot): string => keysOf(slot).slot;

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
    if (shared.has(slotKey(slot))) return true;
    const { taken, isHeld } = takenBefore(slot);
    return isHeld || taken + (fresh.get(poolOf(slot)) ?? 0) < slot.rule.max;
  };
  return asks.map(({ slots, handovers }) => {
    if (!slots.every(isFree)) return null;
    return slots.flatMap((slot): Taking[] => {
      const other = shared.get(slotKey(slot));
      if (other) {
        other.handovers += handovers;
        return [];
      }
      const taking = { slot, handovers };
      shared.set(slotKey(slot), taking);
      if (!takenBefore(slot).isHeld) fresh.set(poolOf(slot), (fresh.get(poolOf(slot)) ?? 0) + 1);
      return [taking];
    });
  });
};
