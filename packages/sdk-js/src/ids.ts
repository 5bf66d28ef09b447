import type { Globals } from './globals.ts';

/** The counter in the 12 bits after the version, for ids of one millisecond. */
const MAX_COUNT = 0xfff;
const RANDOM_BYTES = 7;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Creates UUIDv7s, each greater than the previous one, even if the clock goes back. Source: RFC 9562, 5.7. */
export const orderedIds = (g: Globals): (() => string) => {
  let last = 0;
  let count = 0;
  return () => {
    const now = g.Date.now();
    if (now > last) [last, count] = [now, 0];
    else if (++count > MAX_COUNT) [last, count] = [last + 1, 0];
    const time = hex(last, 12);
    // `crypto.randomUUID` is missing on insecure origins.
    const bytes = Array.from(g.crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)), (byte) => hex(byte, 2)).join('');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count, 3)}-8${bytes.slice(0, 3)}-${bytes.slice(1, 13)}`;
  };
};

/** Creation time of an ordered id in milliseconds since 1970; NaN for anything else. */
export const timeOfId = (id: string): number => Number.parseInt(id.replace('-', ''), 16);
