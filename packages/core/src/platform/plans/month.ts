/** The UTC month of a moment, such as 2026-03. Throws nothing. Source: semantics, Quota. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7);

/** Whole seconds from `now` to the end of a moment's UTC month, at least 1. Throws nothing. */
export const secondsToNextMonth = (at: Date, now: Date): number => {
  const end = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
  return Math.max(1, Math.ceil((end - now.getTime()) / 1_000));
};
