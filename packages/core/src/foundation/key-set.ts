import { hash } from 'node:crypto';

/** A set of texts that does not store the texts. */
export type KeySet = {
  has(key: string): boolean;
  add(key: string): unknown;
};

/**
 * 32-bit words per entry: 64 bits of a digest. In a set of a million texts, two collide once in twenty million sets.
 */
const WORDS = 2;
const FIRST_SLOTS = 1_024;
/** Minimum slots per entry, so that a search ends after a few steps. */
const SLOTS_PER_ENTRY = 2;

/**
 * A set of texts in 16 to 32 bytes each, whatever their length; a million addresses in a `Set` take 100 MB. A text is
 * identified by 64 bits of its SHA-256, for which nobody can construct collisions cheaply.
 */
export const keySet = (): KeySet => {
  let slots = FIRST_SLOTS;
  let words = new Uint32Array(slots * WORDS);
  let size = 0;
  let [low, high] = [0, 0];

  const digest = (key: string): void => {
    const bytes = hash('sha256', key, 'buffer');
    low = bytes.readUInt32LE(0);
    // Never 0, which marks an empty slot.
    high = bytes.readUInt32LE(4) || 1;
  };
  /** The slot of the digest, or the empty slot where it belongs. */
  const slotOf = (): number => {
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const stored = words[slot * WORDS + 1];
      if (stored === 0 || (stored === high && words[slot * WORDS] === low)) return slot;
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
      if ((size + 1) * SLOTS_PER_ENTRY > slots) grow();
      digest(key);
      if (put()) size += 1;
    },
  };
};
