import { withAddressTraits } from '../../foundation/address-text.ts';
import { stableJson } from '../../foundation/hash.ts';
import { utf8Bytes } from '../../foundation/json.ts';
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

// Of a member of a JSON object: name, colon, value, comma.
const memberBytes = (name: string, value: unknown): number => utf8Bytes(name) + utf8Bytes(value) + 2;

/** By value: a stored object may have its keys in another order. */
const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || ((typeof a === 'object' || typeof b === 'object') && stableJson(a) === stableJson(b));

const isNothing = (value: unknown): boolean => value === null || value === undefined;

// Whoever decides how many profiles one commit takes has measured them before they are changed.
const sizes = new WeakMap<Readonly<Traits>, number>();

/** Bytes of traits as stored JSON; measured once per object, which nobody may change. Throws nothing. */
export const traitsBytes = (traits: Readonly<Traits>): number => {
  const known = sizes.get(traits) ?? utf8Bytes(traits);
  sizes.set(traits, known);
  return known;
};

/** Traits on their way from one patch to the next. */
export type TraitsEditor = {
  /** True for a trait that is there by now. */
  has(name: string): boolean;
  /** What a patch changes, after those before it: as `mergeTraits` says. Costs what the patch holds, not the profile. */
  apply(patch: Readonly<Traits>): Omit<Merged, 'traits'>;
  /** The input itself where nothing changed. */
  traits(): Readonly<Traits>;
};

const UNCHANGED: Omit<Merged, 'traits'> = { changed: [], isTruncated: false };

/**
 * For the patches of one person in one batch: anybody may send hundreds of them for a profile that is full, so it is
 * copied and measured once, whatever their number. The input is not changed. Throws nothing.
 */
export const editTraits = (
  current: Readonly<Traits>,
  { maxBytes = MAX_PROFILE_BYTES, maxTraits = MAX_PROFILE_TRAITS }: TraitBounds = {},
): TraitsEditor => {
  // Most patches say what is known: only the others pay for a copy and for its size.
  let copy: Map<string, unknown> | undefined;
  // As if each member were followed by a comma, so that all of them count alike.
  let counted = 0;
  let isChanged = false;

  const has = (name: string): boolean => (copy ? copy.has(name) : Object.hasOwn(current, name));
  const ownOf = (name: string): unknown => (copy ? copy.get(name) : current[name]);
  const opened = (): Map<string, unknown> => {
    if (copy) return copy;
    copy = new Map(Object.entries(current));
    counted = traitsBytes(current) + (copy.size > 0 ? 1 : 0);
    return copy;
  };

  const apply = (patch: Readonly<Traits>): Omit<Merged, 'traits'> => {
    const edits = Object.entries(withAddressTraits(patch)).filter(([name, value]) => {
      if (name === MARK) return false;
      const isKnown = has(name);
      return isNothing(value) ? isKnown : !isKnown || !isEqual(ownOf(name), value);
    });
    if (edits.length === 0) return UNCHANGED;
    const traits = opened();
    const leftOut = new Set<string>();
    for (const [name, value] of edits)
      if (isNothing(value)) {
        counted -= memberBytes(name, traits.get(name));
        traits.delete(name);
      }
    for (const [name, value] of edits) {
      if (isNothing(value)) continue;
      const isNew = !traits.has(name);
      const grown = memberBytes(name, value) - (isNew ? 0 : memberBytes(name, traits.get(name)));
      if ((isNew && traits.size >= maxTraits) || (grown > 0 && counted + grown - 1 > maxBytes)) {
        leftOut.add(name);
        continue;
      }
      traits.set(name, value);
      counted += grown;
    }
    const changed = edits.flatMap(([name]) => (leftOut.has(name) ? [] : [name]));
    isChanged ||= changed.length > 0;
    return { changed, isTruncated: leftOut.size > 0 };
  };

  return {
    has,
    apply,
    // Not an assignment per name: that would let a trait named __proto__ set a prototype.
    traits: () => (copy && isChanged ? Object.fromEntries(copy) : current),
  };
};

/**
 * Traits with a patch merged in: null unsets, which makes room for the rest; what is equal changes nothing; what would
 * pass the bounds is left out, unless it takes the place of something larger. `email` and `phone` are stored as addresses
 * are read: see `addressText`. The input is not changed, and is the result where there was nothing to change; nobody may
 * change the result. Throws nothing.
 */
export const mergeTraits = (current: Readonly<Traits>, patch: Readonly<Traits>, bounds?: TraitBounds): Merged => {
  const editor = editTraits(current, bounds);
  const { changed, isTruncated } = editor.apply(patch);
  return { traits: editor.traits(), changed, isTruncated };
};
