// Who gets a slot. Pure: what is taken already is an argument.

import { type InScope, scopeKey } from '../../foundation/scope.ts';
import type { CapRule } from './rules.ts';

/** A slot under one rule, as one send to one person takes it. */
export type Slot = InScope & { readonly person: string; readonly rule: CapRule; readonly sendId: string };

/** One string for a slot, for maps. */
export const slotKey = ({ person, rule, sendId, ...scope }: Slot): string =>
  `${scopeKey(scope)}/${person}/${rule.id}/${sendId}`;

/** How many slots of a rule a person's sends have, and whether this send is one of them. */
export type Reserved = { readonly reserved: number; readonly isHeld: boolean };

/** What one message asks for: a slot under each of its rules. */
export type Ask = {
  readonly slots: readonly Slot[];
  /** 1 for the message itself; a copy of it hands nothing over to the person. */
  readonly handovers: 0 | 1;
};

/** A slot that is to be taken, or come to again, and for how many hand-overs. */
export type Taking = { readonly slot: Slot; handovers: number };

type Assigned = { readonly taking: Taking; readonly isHeld: boolean };
const NOTHING: readonly Assigned[] = [];

/**
 * What each message takes, in their order: who comes first takes first. All rules or none, which is null. Messages of one
 * send to one person share a slot, which the first of them takes. A copy needs room and takes none: after a refused mail,
 * nobody would give its slot back. Throws nothing.
 */
export const assign = (
  asks: readonly Ask[],
  reservedBefore: (slot: Slot) => Reserved,
): readonly (readonly Taking[] | null)[] => {
  // By the person alone: nearly all of a batch are for different ones, and longer strings cost more than the rest of it.
  const assigned = new Map<string, Assigned[]>();
  return asks.map(({ slots, handovers }) => {
    const shared: Taking[] = [];
    const own: Assigned[] = [];
    for (const slot of slots) {
      const { person, scopeId, rule, sendId } = slot;
      let other: Taking | undefined;
      let fresh = 0;
      for (const { taking, isHeld } of assigned.get(person) ?? NOTHING) {
        if (taking.slot.rule.id !== rule.id || taking.slot.scopeId !== scopeId) continue;
        if (taking.slot.sendId === sendId) other = taking;
        else if (!isHeld) fresh += 1;
      }
      if (other) {
        shared.push(other);
        continue;
      }
      const { reserved, isHeld } = reservedBefore(slot);
      if (!isHeld && reserved + fresh >= rule.max) return null;
      if (handovers > 0) own.push({ taking: { slot, handovers }, isHeld });
    }
    for (const other of shared) other.handovers += handovers;
    for (const one of own) {
      const { person } = one.taking.slot;
      const others = assigned.get(person);
      if (others) others.push(one);
      else assigned.set(person, [one]);
    }
    return own.map(({ taking }) => taking);
  });
};
