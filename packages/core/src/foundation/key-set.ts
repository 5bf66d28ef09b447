import { hash } from 'node:crypto';

/** Texts that were seen, without keeping them. */
export type KeySet = {
  has(key: string): boolean;
  add(key: string): unknown;
};

/** Words of one entry: 64 bits of a digest. Of a million texts two are taken for one once in twenty million sets. */
const WORDS = 2;
const FIRST_SLOTS = 1_024;
/** Slots for each entry at least, so that a search ends after a few steps. */
const ROOM = 2;

/**
 * A set of texts in 16 to 32 bytes each, whatever their length: a million addresses in a `Set` hold 100 MB. A text is
 * known by 64 bits of its SHA-256, which nobody can aim at.
 */
export const keySet = (): KeySet => {
  let slots = FIRST_SLOTS;
  let words = new Uint32Array(slots * WORDS);
  let size = 0;
  let [low, high] = [0, 0];

  const digest = (key: string): void => {
    const bytes = hash('sha256', key, 'buffer');
    low = bytes.readUInt32LE(0);
    // Never both zero: that is an empty slot.
    high = bytes.readUInt32LE(4) || 1;
  };
  /** The slot of the digest, or the empty one that it belongs into. */
  const slotOf = (): number => {
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const other = words[slot * WORDS + 1];
      if (other === 0 || (other === high && words[slot * WORDS] === low)) return slot;
    }
  };
  const put = (): boolean => {
    const at = slotOf() * WORDS;
    if (words[at + 1] !== 0) return false;
    words[at] = low;
    words[at + 1] = high;
    return true;
  };
  const grow = (): void => {
    const old = words;
    slots *= 2;
    words = new Uint32Array(slots * WORDS);
    for (let at = 0; at < old.length; at += WORDS) {
      [low, high] = [old[at] ?? 0, old[at + 1] ?? 0];
      if (high !== 0) put();
    }
  };

  return {
    has: (key) => {
      digest(key);
      return words[slotOf() * WORDS + 1] !== 0;
    },
    add: (key) => {
      if ((size + 1) * ROOM > slots) grow();
      digest(key);
      if (put()) size += 1;
    },
  };
};
