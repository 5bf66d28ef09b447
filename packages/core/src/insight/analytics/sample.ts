/*
 * Counts distinct users in bounded memory. A user is 32 bits of a digest. When a sample is full, its level rises by one,
 * and it keeps only digests with one more leading zero: 1 in 2^level. So samples of the same users are equal, samples can
 * be merged, and each entry represents 2^level users. Level 0 is exact, except that two of 10,000 users share a digest in
 * 1 case of 100.
 */

const BITS = 32;
/** Initial capacity; a power of two, like all capacities. */
const FIRST = 256;

/** A table of digests with flags. */
export type Sample = {
  /** Adds flags of a digest; a digest outside of the sample's level is ignored. */
  add(digest: number, flags: number): void;
  /** Raises the level if it is lower. */
  raise(level: number): void;
  readonly level: number;
  /** Number of digests in the sample. */
  readonly size: number;
  /** In no order. */
  each(visit: (digest: number, flags: number) => void): void;
};

/** Whether samples of a level contain a digest. Throws nothing. */
export const isIn = (digest: number, level: number): boolean => digest < 2 ** (BITS - level);
/** The part of a profile key that samples store. Throws nothing. */
export const digestOf = (personKey: number): number => personKey % 2 ** BITS;

/** An empty sample of at most `most` users. Throws nothing. */
export const sampleOf = (most: number): Sample => {
  let capacity = FIRST;
  // Flags of 0 mark a free cell: no digest is added without flags.
  let digests = new Uint32Array(capacity);
  let flagged = new Uint8Array(capacity);
  let size = 0;
  let level = 0;
  /** The sample contains digests below this value. */
  let end = 2 ** BITS;

  const place = (digest: number): number => {
    let at = digest & (capacity - 1);
    while (flagged[at] !== 0 && digests[at] !== digest) at = (at + 1) & (capacity - 1);
    return at;
  };
  const put = (digest: number, flags: number): void => {
    const at = place(digest);
    if (flagged[at] === 0) size += 1;
    digests[at] = digest;
    flagged[at] = (flagged[at] ?? 0) | flags;
  };
  const rebuild = (newCapacity: number): void => {
    end = 2 ** (BITS - level);
    const [oldDigests, oldFlags] = [digests, flagged];
    capacity = newCapacity;
    digests = new Uint32Array(capacity);
    flagged = new Uint8Array(capacity);
    size = 0;
    oldFlags.forEach((flags, at) => {
      const digest = oldDigests[at] ?? 0;
      if (flags !== 0 && digest < end) put(digest, flags);
    });
  };
  return {
    add: (digest, flags) => {
      if (digest >= end) return;
      put(digest, flags);
      if (size > most) {
        level += 1;
        rebuild(capacity);
      } else if (size * 2 > capacity) rebuild(capacity * 2);
    },
    raise: (to) => {
      if (to <= level) return;
      level = to;
      rebuild(capacity);
    },
    get level() {
      return level;
    },
    get size() {
      return size;
    },
    each: (visit) =>
      flagged.forEach((flags, at) => {
        if (flags !== 0) visit(digests[at] ?? 0, flags);
      }),
  };
};

/** Characters of an entry: 32 bits of digest and 4 of flags, 6 per character. */
const ENTRY = 6;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const SIXES = new Uint8Array(128);
for (let at = 0; at < ALPHABET.length; at += 1) SIXES[ALPHABET.charCodeAt(at)] = at;

/** A digest with up to four flags as text. */
const entryOf = (digest: number, flags: number): string => {
  const high = Math.floor(digest / 2 ** 14);
  const low = ((digest & 0x3fff) << 4) | flags;
  const three = (bits: number): string =>
    (ALPHABET[bits >> 12] ?? '') + (ALPHABET[(bits >> 6) & 63] ?? '') + (ALPHABET[bits & 63] ?? '');
  return three(high) + three(low);
};

/** Serializes a sample. Throws nothing. */
export const writeSample = (sample: Sample): string => {
  const entries: string[] = [];
  sample.each((digest, flags) => entries.push(entryOf(digest, flags)));
  return entries.join('');
};

/** Reads the entries of a serialized sample. Throws nothing. */
export const readEntries = (text: string, visit: (digest: number, flags: number) => void): void => {
  const six = (at: number): number => SIXES[text.charCodeAt(at)] ?? 0;
  for (let at = 0; at < text.length; at += ENTRY) {
    const low = (six(at + 3) << 12) | (six(at + 4) << 6) | six(at + 5);
    const high = (six(at) << 12) | (six(at + 1) << 6) | six(at + 2);
    visit(high * 2 ** 14 + (low >> 4), low & 15);
  }
};

/** The text without these digests; the same string if it contains none. Throws nothing. */
export const withoutDigests = (text: string, digests: ReadonlySet<number>): string => {
  const kept: string[] = [];
  readEntries(text, (digest, flags) => {
    if (!digests.has(digest)) kept.push(entryOf(digest, flags));
  });
  return kept.length * ENTRY === text.length ? text : kept.join('');
};
