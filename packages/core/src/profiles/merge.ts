import { stableJson } from '../primitives/hash.ts';
import type { Traits } from './tables.ts';

/** Bytes of a profile's traits as stored JSON, and their number. Source: contract, ingest and profiles. */
export const MAX_PROFILE_BYTES = 64 * 1_024;
export const MAX_PROFILE_TRAITS = 1_000;

/** The mark that truncation leaves; never a trait. */
const MARK = '_truncated';

export type Merged = {
  readonly traits: Traits;
  /** Names that were set, replaced or unset, in the order of the patch. */
  readonly changed: readonly string[];
  /** Something of the patch no longer fitted and was left out. */
  readonly isTruncated: boolean;
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
/** A member of `{}` with its colon, and with the comma that parts it from `others` others. */
const memberBytes = (name: string, value: unknown, others: number): number =>
  bytesOf(name) + bytesOf(value) + (others > 0 ? 2 : 1);

/** Whatever the order of keys: PostgreSQL gives objects back in its own. */
const isEqual = (one: unknown, other: unknown): boolean => one === other || stableJson(one) === stableJson(other);

/**
 * Traits with a patch merged in: null unsets, what is equal changes nothing, what would pass the bounds is left out.
 * The input is not changed. Throws nothing.
 */
export const mergeTraits = (
  current: Readonly<Traits>,
  patch: Readonly<Traits>,
  { maxBytes = MAX_PROFILE_BYTES, maxTraits = MAX_PROFILE_TRAITS }: { maxBytes?: number; maxTraits?: number } = {},
): Merged => {
  const traits = new Map(Object.entries(current));
  const changed: string[] = [];
  let bytes = bytesOf(current);
  let isTruncated = false;
  for (const [name, value] of Object.entries(patch)) {
    if (name === MARK) continue;
    const old = traits.get(name);
    if (value === null || value === undefined) {
      if (!traits.delete(name)) continue;
      bytes -= memberBytes(name, old, traits.size);
      changed.push(name);
      continue;
    }
    if (old !== undefined && isEqual(old, value)) continue;
    const after = bytes + (old === undefined ? memberBytes(name, value, traits.size) : bytesOf(value) - bytesOf(old));
    if (after > maxBytes || (old === undefined && traits.size >= maxTraits)) {
      isTruncated = true;
      continue;
    }
    traits.set(name, value);
    bytes = after;
    changed.push(name);
  }
  return { traits: Object.fromEntries(traits), changed, isTruncated };
};
