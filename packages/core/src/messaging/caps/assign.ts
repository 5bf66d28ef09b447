// Assigns cap entries to messages. Pure: existing reservations are an argument.

import { type InScope, scopeKey } from '../../foundation/scope.ts';
import type { CapRule } from './rules.ts';

/** An entry under one rule, as one send to one user reserves it. */
export type Slot = InScope & { readonly person: string; readonly rule: CapRule; readonly sendId: string };

/** Map key of an entry. */
export const slotKey = ({ person, rule, sendId, ...scope }: Slot): string =>
  `${scopeKey(scope)}/${person}/${rule.id}/${sendId}`;

/** Number of entries of a user under a rule, and whether this send holds one of them. */
export type Reserved = { readonly reserved: number; readonly isHeld: boolean };

/** The request of one message: an entry under each of its rules. */
export type Ask = {
  readonly slots: readonly Slot[];
  /** 1 for the message itself; 0 for a copy, which hands nothing over to the user. */
  readonly handovers: 0 | 1;
};

/** An entry to reserve or to add to, with the number of handovers. */
export type Taking = { readonly slot: Slot; handovers: number };

type Assigned = { readonly taking: Taking; readonly isHeld: boolean };
const NOTHING: readonly Assigned[] = [];

/**
 * Assigns the entries of messages in order; earlier messages reserve first. A message gets an entry under each of its
 * rules or null. Messages of one send to one user share an entry, which the first of them reserves. A copy needs
 * capacity and reserves nothing: after a rejected email nothing would release its entry. Throws nothing.
 */
export const assign = (
  asks: readonly Ask[],
  reservedBefore: (slot: Slot) => Reserved,
): readonly (readonly Taking[] | null)[] => {
  // Keyed by user only: nearly all messages of a batch have different users, and longer keys would cost more than
  // everything else.
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
