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
export type CapRequest = {
  readonly slots: readonly Slot[];
  /** 1 for the message itself; 0 for a copy, which hands nothing over to the user. */
  readonly handovers: 0 | 1;
};

/** An entry to reserve or to add to, with the number of handovers. */
export type EntryUse = { readonly slot: Slot; handovers: number };

type AssignedUse = { readonly use: EntryUse; readonly isHeld: boolean };
const NOTHING: readonly AssignedUse[] = [];

/**
 * Assigns the entries of messages in order; earlier messages reserve first. A message gets an entry under each of its
 * rules or null. Messages of one send to one user share an entry, which the first of them reserves. A copy needs
 * capacity and reserves nothing: after a rejected email nothing would release its entry. Throws nothing.
 */
export const assign = (
  requests: readonly CapRequest[],
  reservedBefore: (slot: Slot) => Reserved,
): readonly (readonly EntryUse[] | null)[] => {
  // Keyed by user only: nearly all messages of a batch have different users, and longer keys would cost more than
  // everything else.
  const assigned = new Map<string, AssignedUse[]>();
  return requests.map(({ slots, handovers }) => {
    const shared: EntryUse[] = [];
    const uses: AssignedUse[] = [];
    for (const slot of slots) {
      const { person, scopeId, rule, sendId } = slot;
      let other: EntryUse | undefined;
      let fresh = 0;
      for (const { use, isHeld } of assigned.get(person) ?? NOTHING) {
        if (use.slot.rule.id !== rule.id || use.slot.scopeId !== scopeId) continue;
        if (use.slot.sendId === sendId) other = use;
        else if (!isHeld) fresh += 1;
      }
      if (other) {
        shared.push(other);
        continue;
      }
      const { reserved, isHeld } = reservedBefore(slot);
      if (!isHeld && reserved + fresh >= rule.max) return null;
      if (handovers > 0) uses.push({ use: { slot, handovers }, isHeld });
    }
    for (const other of shared) other.handovers += handovers;
    for (const one of uses) {
      const { person } = one.use.slot;
      const others = assigned.get(person);
      if (others) others.push(one);
      else assigned.set(person, [one]);
    }
    return uses.map(({ use }) => use);
  });
};
