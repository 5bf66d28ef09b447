import type { Mentions } from './predicate/mentions.ts';
import type { AudienceStage } from './schema.ts';
// Which audiences are left once the value of a trait is known. Of a hundred that ask about a trait most want another value
// of it, and whoever is in none of them need not be judged by each.

import type { Predicate, Scalar, TraitLeaf } from './predicate/types.ts';

/**
 * Of the audiences that mention one trait those that may hold of somebody with this value: the others do not, whatever else
 * is known. Throws nothing.
 */
export type ByValue = (value: unknown) => readonly LiveAudience[];

type Range = { readonly least: number; readonly most: number };

/** What a value has to be for a predicate to be true: one of these, or a number from `least` to `most`. */
type Needed = { readonly values: readonly Scalar[] } | Range;

const neededBy = (leaf: TraitLeaf): Needed | null => {
  switch (leaf.op) {
    case 'eq':
      return { values: [leaf.value] };
    case 'in':
      return { values: leaf.value };
    case 'gt':
    case 'gte':
      return { least: leaf.value, most: Number.POSITIVE_INFINITY };
    case 'lt':
    case 'lte':
      return { least: Number.NEGATIVE_INFINITY, most: leaf.value };
    case 'between':
      return { least: leaf.value[0], most: leaf.value[1] };
    default:
      return null;
  }
};

// Each by itself has to be true, so of several any one may be looked at, and of bounds all.
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
    least: Math.max(...ranges.map(({ least }) => least)),
    most: Math.min(...ranges.map(({ most }) => most)),
  };
};

/** Arranges the audiences that mention a trait. Throws nothing. */
export const byValue = (trait: string, all: readonly LiveAudience[]): ByValue => {
  const always: LiveAudience[] = [];
  const named = new Map<unknown, LiveAudience[]>();
  const bounded: (Range & { readonly audience: LiveAudience })[] = [];
  for (const audience of all) {
    // When time changes a verdict is asked of each that is concerned.
    const needed = audience.all.isTimed ? null : neededOf(audience.predicate, trait);
    if (needed === null) always.push(audience);
    else if ('least' in needed) bounded.push({ ...needed, audience });
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
      for (const { least, most, audience } of bounded) if (value >= least && value <= most) found.push(audience);
    return found;
  };
};

/** An audience that follows from what is known of people. */
export type LiveAudience = {
  readonly id: string;
  readonly name: string;
  /** As it is evaluated: with the project's time zone in place of `org`. */
  readonly predicate: Predicate;
  /** As its author wrote it. */
  readonly stored: Predicate;
  readonly stage: AudienceStage | null;
  /** Of its predicate alone. */
  readonly own: Mentions;
  /** With what the audiences mention that it names, and those that they name. */
  readonly all: Mentions;
};
