// Reads profiles in slices. A client with a public key can create full profiles and name hundreds of them in one batch.
// Reading, changing and writing a full profile takes the event loop most of a millisecond, so reads and commits are
// limited to a few milliseconds of them.

import type { SelectKey } from '../../database/statements/bulk.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { personTag } from '../events/pipeline.ts';
import { traitsBytes } from './merge.ts';
import type { ProfileView } from './view.ts';

/** Profiles per read. Chosen: half a megabyte if all are full; most batches change fewer. */
export const SLICE = 8;
/**
 * Maximum bytes of traits, as JSON, of the profiles that one commit changes. Chosen: 4 full profiles, because
 * PostgreSQL runs two commits at a time.
 */
export const MAX_CHANGING_BYTES = 256 * 1_024;

/** Bytes measured per event loop turn. Chosen: half a commit. */
const MEASURED_BYTES = MAX_CHANGING_BYTES / 2;

export type ProfilesToRead = {
  /** Profiles to read by tag, in the order of the items. */
  readonly full: ReadonlyMap<string, SelectKey>;
  /** Per item: tags of the profiles that its plan requires. */
  readonly needed: readonly (readonly string[])[];
  /** Tags of the profiles that will be written. */
  readonly changed: ReadonlySet<string>;
};

/**
 * Reads whole profiles in slices until the changed ones fill one commit. Throws the errors of `select`.
 *
 * @returns `share`: how many items, from the first on, fit one commit; at least 1
 */
export const readWhole = async (
  select: (keys: readonly SelectKey[]) => Promise<readonly ProfileView[]>,
  { full, needed, changed }: ProfilesToRead,
): Promise<{ readonly rows: readonly ProfileView[]; readonly share: number }> => {
  const ids = [...full];
  const rows: ProfileView[] = [];
  const bytesOf = new Map<string, number>();
  let bytes = 0;
  let measured = 0;
  let from = 0;
  while (from < ids.length && bytes <= MAX_CHANGING_BYTES) {
    if (from > 0) await nextTurn();
    const slice = ids.slice(from, from + SLICE);
    from += SLICE;
    for (const row of await select(slice.map(([, key]) => key))) {
      rows.push(row);
      const tag = personTag(row, row.person);
      if (!changed.has(tag)) continue;
      const own = traitsBytes(row.traits);
      bytesOf.set(tag, own);
      bytes += own;
      measured += own;
      if (measured < MEASURED_BYTES) continue;
      measured = 0;
      await nextTurn();
    }
  }
  if (bytes <= MAX_CHANGING_BYTES) return { rows, share: needed.length };
  const isRead = new Set(ids.slice(0, from).map(([tag]) => tag));
  const counted = new Set<string>();
  let bytesLeft = MAX_CHANGING_BYTES;
  const share = needed.findIndex((tags) => {
    for (const tag of tags) {
      if (!counted.has(tag)) bytesLeft -= bytesOf.get(tag) ?? 0;
      counted.add(tag);
    }
    return bytesLeft < 0 || tags.some((tag) => !isRead.has(tag));
  });
  return { rows, share: share === -1 ? needed.length : Math.max(1, share) };
};
