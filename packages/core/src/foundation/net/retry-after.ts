/** The longest wait that an answer may ask for, in milliseconds; ours: a day, so that no answer parks work for good. */
const LONGEST_MS = 86_400_000;

/**
 * How long a `Retry-After` header asks to wait, from seconds or from an HTTP date.
 *
 * @param value the header as it came; of several the first counts
 * @param now what a date is counted from
 * @returns milliseconds, 0 to a day; undefined when the header is absent or is neither. Throws nothing.
 * Source: RFC 9110, 10.2.3.
 */
export const retryAfterMs = (value: string | readonly string[] | undefined, now: Date): number | undefined => {
  const text = (typeof value === 'string' ? value : value?.[0])?.trim() ?? '';
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : Date.parse(/^[A-Za-z]{3},? /.test(text) ? text : '') - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS);
};
