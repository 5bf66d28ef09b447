const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Milliseconds of `500ms`, `20s`, `5m`, `12h` or `90d`; null for anything else. Throws nothing. */
export const parseDuration = (text: string): number | null => {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const factor = UNIT_MS.get(unit);
  return factor === undefined ? null : Number(digits) * factor;
};

/** A whole number of the largest unit that fits, as `parseDuration` reads it: `10m`. Throws nothing. */
export const durationText = (ms: number): string => {
  const [unit = 'ms', factor = 1] = [...UNIT_MS].findLast(([, unitMs]) => ms > 0 && ms % unitMs === 0) ?? [];
  return `${ms / factor}${unit}`;
};
