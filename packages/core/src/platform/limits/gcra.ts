// The generic cell rate algorithm on whole microseconds: one number per bucket, the theoretical arrival time.
// Source: semantics, Rate limits.

/** A request every `periodUs` microseconds, and `burst` of them at once where none came for long. */
export type Rate = { readonly periodUs: number; readonly burst: number };

export type Taken =
  | { readonly isAllowed: true; readonly tatUs: number }
  /** Nothing changed; in so many microseconds it would be allowed. */
  | { readonly isAllowed: false; readonly waitUs: number };

/** One request that costs so much, at `nowUs`, to a bucket that stands at `tatUs`. Pure; throws nothing. */
export const taken = (tatUs: number, nowUs: number, { periodUs, burst }: Rate, cost = 1): Taken => {
  const next = Math.max(tatUs, nowUs) + cost * periodUs;
  const waitUs = next - burst * periodUs - nowUs;
  return waitUs <= 0 ? { isAllowed: true, tatUs: next } : { isAllowed: false, waitUs };
};

/** How many requests of cost 1 would be allowed at `nowUs`. Pure; throws nothing. */
export const left = (tatUs: number, nowUs: number, { periodUs, burst }: Rate): number =>
  Math.max(Math.floor((nowUs + burst * periodUs - Math.max(tatUs, nowUs)) / periodUs), 0);

/** How many of `wanted` requests are allowed at `nowUs`, where the bucket stands after them, and when the next one is. */
export const takenUpTo = (
  tatUs: number,
  nowUs: number,
  { periodUs, burst }: Rate,
  wanted: number,
): { readonly count: number; readonly tatUs: number; readonly waitUs: number } => {
  const startUs = Math.max(tatUs, nowUs);
  const free = Math.floor((nowUs + burst * periodUs - startUs) / periodUs);
  const count = Math.min(Math.max(free, 0), wanted);
  const nextUs = startUs + count * periodUs;
  return { count, tatUs: nextUs, waitUs: Math.max(nextUs + periodUs - burst * periodUs - nowUs, 0) };
};
