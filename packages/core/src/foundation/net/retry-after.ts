/** Longest wait, in milliseconds. Chosen: one day, so that no response delays work for good. */
const LONGEST_MS = 86_400_000;

/**
 * The wait of a `Retry-After` header, from seconds or from an HTTP date.
 *
 * @param value the header; the first of several counts
 * @param now the time from which a date is counted
 * @returns milliseconds, 0 to one day; undefined if the header is absent or invalid. Throws nothing.
 * Source: RFC 9110, 10.2.3.
 */
export const retryAfterMs = (value: string | readonly string[] | undefined, now: Date): number | undefined => {
  const text = (typeof value === 'string' ? value : value?.[0])?.trim() ?? '';
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : Date.parse(/^[A-Za-z]{3},? /.test(text) ? text : '') - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS);
};
