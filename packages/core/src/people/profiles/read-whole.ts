// Anybody with a public key can make people whose profiles are full, and then name hundreds of them in one batch. Reading,
// changing and writing one such profile takes the event loop most of a millisecond, so neither reads nor commits take
// more of them than make up some milliseconds.

import type { SelectKey } from '../../database/statements/bulk.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { personTag } from '../events/pipeline.ts';
import { traitsBytes } from './merge.ts';
import type { ProfileView } from './view.ts';

/** Profiles of one read; ours: half a megabyte where all are full. Most batches change fewer. */
export const SLICE = 8;
/** Bytes of traits, as JSON, of the profiles that one commit may change; ours: 4 full ones. PostgreSQL has two at a time. */
export const MAX_CHANGING_BYTES = 256 * 1_024;

/** Of them those that are measured in one turn of the event loop; ours. */
const MEASURED_BYTES = MAX_CHANGING_BYTES / 2;

export type ProfilesToRead = {
  /** What to read, by tag, in the order of the items. */
  readonly full: ReadonlyMap<string, SelectKey>;
  /** Per item the tags that it cannot be planned without. */
  readonly needed: readonly (readonly string[])[];
  /** Of them those whose profiles are going to be written. */
  readonly changed: ReadonlySet<string>;
};

/**
 * Reads whole profiles, a slice at a time, until those that are changed are as many bytes as one commit takes. Throws
 * what `select` throws.
 *
 * @returns `share`: how many of the items, from the first on, make one commit; 1 at least
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
