import { stableJson } from '../primitives/hash.ts';
import { utf8Bytes } from '../primitives/json.ts';
import type { Traits } from './view.ts';

/** Bytes of a profile's traits as stored JSON, and their number. Source: contract, ingest and profiles. */
export const MAX_PROFILE_BYTES = 64 * 1_024;
export const MAX_PROFILE_TRAITS = 1_000;

/** The mark that truncation leaves; never a trait. */
const MARK = '_truncated';

export type TraitBounds = { readonly maxBytes?: number; readonly maxTraits?: number };

export type Merged = {
  readonly traits: Readonly<Traits>;
  /** Names that were set, replaced or unset, in the order of the patch. */
  readonly changed: readonly string[];
  /** Something of the patch no longer fitted and was left out. */
  readonly isTruncated: boolean;
};

// What merged traits take as JSON: several items of a batch may change one person, who is measured once.
const sizes = new WeakMap<Readonly<Traits>, number>();

// Of a member of a JSON object: name, colon, value, comma.
const memberBytes = (name: string, value: unknown): number => utf8Bytes(name) + utf8Bytes(value) + 2;

/** By value: a stored object may have its keys in another order. */
const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || ((typeof a === 'object' || typeof b === 'object') && stableJson(a) === stableJson(b));

const isNothing = (value: unknown): boolean => value === null || value === undefined;

/**
 * Traits with a patch merged in: null unsets, which makes room for the rest; what is equal changes nothing; what would
 * pass the bounds is left out, unless it takes the place of something larger. The input is not changed, and is the
 * result where there was nothing to change; nobody may change the result. Throws nothing.
 */
export const mergeTraits = (
  current: Readonly<Traits>,
  patch: Readonly<Traits>,
  { maxBytes = MAX_PROFILE_BYTES, maxTraits = MAX_PROFILE_TRAITS }: TraitBounds = {},
): Merged => {
  const edits = Object.entries(patch).filter(([name, value]) => {
    if (name === MARK) return false;
    const isKnown = Object.hasOwn(current, name);
    return isNothing(value) ? isKnown : !isKnown || !isEqual(current[name], value);
  });
  // Most patches say what is known: only the others pay for a copy and for its size.
  if (edits.length === 0) return { traits: current, changed: [], isTruncated: false };

  const traits = new Map(Object.entries(current));
  const leftOut = new Set<string>();
  // As if each member were followed by a comma, so that all of them count alike.
  let counted = (sizes.get(current) ?? utf8Bytes(current)) + (traits.size > 0 ? 1 : 0);
  for (const [name, value] of edits)
    if (isNothing(value)) {
      counted -= memberBytes(name, current[name]);
      traits.delete(name);
    }
  for (const [name, value] of edits) {
    if (isNothing(value)) continue;
    const isNew = !traits.has(name);
    const grown = memberBytes(name, value) - (isNew ? 0 : memberBytes(name, current[name]));
    if ((isNew && traits.size >= maxTraits) || (grown > 0 && counted + grown - 1 > maxBytes)) {
      leftOut.add(name);
      continue;
    }
    traits.set(name, value);
    counted += grown;
  }
  // Not an assignment per name: that would let a trait named __proto__ set a prototype.
  const merged = Object.fromEntries(traits);
  sizes.set(merged, counted - (traits.size > 0 ? 1 : 0));
  const changed = edits.flatMap(([name]) => (leftOut.has(name) ? [] : [name]));
  return { traits: merged, changed, isTruncated: leftOut.size > 0 };
};
