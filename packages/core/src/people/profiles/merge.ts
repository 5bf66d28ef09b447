import { withAddressTraits } from '../../foundation/address-text.ts';
import { stableJson } from '../../foundation/hash.ts';
import { utf8Bytes } from '../../foundation/json.ts';
import type { Traits } from './view.ts';

/**
 * Maximum size of a profile's traits in bytes of stored JSON, and their maximum number. Source: contract, ingest and
 * profiles.
 */
export const MAX_PROFILE_BYTES = 64 * 1_024;
export const MAX_PROFILE_TRAITS = 1_000;

/** The key that truncation sets; never a trait. */
const MARK = '_truncated';

export type TraitBounds = { readonly maxBytes?: number; readonly maxTraits?: number };

export type Merged = {
  readonly traits: Readonly<Traits>;
  /** Names that were set, replaced or removed, in the order of the patch. */
  readonly changed: readonly string[];
  /** Part of the patch did not fit and was dropped. */
  readonly isTruncated: boolean;
};

// Size of a JSON member: name, colon, value, comma.
const memberBytes = (name: string, value: unknown): number => utf8Bytes(name) + utf8Bytes(value) + 2;

/** By value: a stored object may have its keys in another order. */
const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || ((typeof a === 'object' || typeof b === 'object') && stableJson(a) === stableJson(b));

const isNothing = (value: unknown): boolean => value === null || value === undefined;

// Filled while profiles are selected for a commit, and read again when they change.
const sizes = new WeakMap<Readonly<Traits>, number>();

/** Bytes of traits as stored JSON; cached per object, which must not be modified. Throws nothing. */
export const traitsBytes = (traits: Readonly<Traits>): number => {
  const known = sizes.get(traits) ?? utf8Bytes(traits);
  sizes.set(traits, known);
  return known;
};

/** Applies several patches to traits. */
export type TraitsEditor = {
  /** True if the trait exists now. */
  has(name: string): boolean;
  /** Applies a patch after the previous ones, as `mergeTraits` does. The cost depends on the patch, not the profile. */
  apply(patch: Readonly<Traits>): Omit<Merged, 'traits'>;
  /** The input object itself if nothing changed. */
  traits(): Readonly<Traits>;
};

const UNCHANGED: Omit<Merged, 'traits'> = { changed: [], isTruncated: false };

/**
 * Applies all patches of one profile in a batch. A client may send hundreds of them for a full profile, so it is copied
 * and measured once. The input is not changed. Throws nothing.
 */
export const editTraits = (
  current: Readonly<Traits>,
  { maxBytes = MAX_PROFILE_BYTES, maxTraits = MAX_PROFILE_TRAITS }: TraitBounds = {},
): TraitsEditor => {
  // Most patches change nothing; only the others pay for a copy and its size.
  let copy: Map<string, unknown> | undefined;
  // Counts a comma after every member, so that all have the same formula.
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
    // Object.fromEntries, because assigning a trait named __proto__ would set the prototype.
    traits: () => (copy && isChanged ? Object.fromEntries(copy) : current),
  };
};

/**
 * Merges a patch into traits. Null removes a trait and frees its space. Equal values change nothing. A value that would
 * exceed the bounds is dropped unless it replaces a larger one. `email` and `phone` are normalized: see `addressText`.
 * The input is not changed; without changes it is returned itself, so the result must not be modified. Throws nothing.
 */
export const mergeTraits = (current: Readonly<Traits>, patch: Readonly<Traits>, bounds?: TraitBounds): Merged => {
  const editor = editTraits(current, bounds);
  const { changed, isTruncated } = editor.apply(patch);
  return { traits: editor.traits(), changed, isTruncated };
};
