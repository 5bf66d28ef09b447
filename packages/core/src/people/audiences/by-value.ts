import type { Mentions } from './predicate/mentions.ts';
import type { AudienceStage } from './schema.ts';
// Index of audiences by the value of a trait. If a hundred audiences test a trait, most require another value, so a
// user outside of them need not be evaluated for each.

import type { Predicate, Scalar, TraitLeaf } from './predicate/types.ts';

/**
 * Returns the audiences mentioning the trait that may match this value. The others cannot match, whatever the other
 * facts are. Throws nothing.
 */
export type ByValue = (value: unknown) => readonly DynamicAudience[];

type Range = { readonly min: number; readonly max: number };

/** Values that a predicate requires: one of a list, or a number from `least` to `most`. */
type Needed = { readonly values: readonly Scalar[] } | Range;

const neededBy = (leaf: TraitLeaf): Needed | null => {
  switch (leaf.op) {
    case 'eq':
      return { values: [leaf.value] };
    case 'in':
      return { values: leaf.value };
    case 'gt':
    case 'gte':
      return { min: leaf.value, max: Number.POSITIVE_INFINITY };
    case 'lt':
    case 'lte':
      return { min: Number.NEGATIVE_INFINITY, max: leaf.value };
    case 'between':
      return { min: leaf.value[0], max: leaf.value[1] };
    default:
      return null;
  }
};

// Conditions under `all` must all hold, so one list of values suffices, and ranges are intersected.
const neededOf = (predicate: Predicate, trait: string): Needed | null => {
  const ranges: Range[] = [];
  for (const node of 'all' in predicate ? predicate.all : [predicate]) {
    const needed = 'trait' in node && node.trait === trait ? neededBy(node) : null;
    if (needed === null) continue;
    if ('values' in needed) return needed;
    ranges.push(needed);
  }
  if (ranges.length === 0) return null;
  return {
    min: Math.max(...ranges.map(({ min }) => min)),
    max: Math.min(...ranges.map(({ max }) => max)),
  };
};

/** Builds the index for one trait. Throws nothing. */
export const byValue = (trait: string, all: readonly DynamicAudience[]): ByValue => {
  const always: DynamicAudience[] = [];
  const named = new Map<unknown, DynamicAudience[]>();
  const bounded: (Range & { readonly audience: DynamicAudience })[] = [];
  for (const audience of all) {
    // The next change by time is computed for every affected audience.
    const needed = audience.all.isTimed ? null : neededOf(audience.predicate, trait);
    if (needed === null) always.push(audience);
    else if ('min' in needed) bounded.push({ ...needed, audience });
    else
      for (const value of new Set(needed.values)) {
        const those = named.get(value);
        if (those) those.push(audience);
        else named.set(value, [audience]);
      }
  }
  return (value) => {
    const found = [...always, ...(named.get(value) ?? [])];
    if (typeof value === 'number')
      for (const { min, max, audience } of bounded) if (value >= min && value <= max) found.push(audience);
    return found;
  };
};

/** A dynamic audience. */
export type DynamicAudience = {
  readonly id: string;
  readonly name: string;
  /** As evaluated: with the project's time zone in place of `org`. */
  readonly predicate: Predicate;
  /** As stored by its author. */
  readonly stored: Predicate;
  readonly stage: AudienceStage | null;
  /** Mentions of its own predicate. */
  readonly own: Mentions;
  /** Including the mentions of audiences it refers to, transitively. */
  readonly all: Mentions;
};
