// The generic cell rate algorithm on whole microseconds: one number per bucket, the theoretical arrival time.
// Source: semantics, Rate limits.

/** One request every `periodUs` microseconds, and `burst` at once after a pause. */
export type Rate = { readonly periodUs: number; readonly burst: number };

export type Decision =
  | { readonly isAllowed: true; readonly tatUs: number }
  /** Nothing changed; the request would be allowed in this many microseconds. */
  | { readonly isAllowed: false; readonly waitUs: number };

/** Decides about one request of a cost at `nowUs`, on a bucket at `tatUs`. Pure; throws nothing. */
export const decide = (tatUs: number, nowUs: number, { periodUs, burst }: Rate, cost = 1): Decision => {
  const next = Math.max(tatUs, nowUs) + cost * periodUs;
  const waitUs = next - burst * periodUs - nowUs;
  return waitUs <= 0 ? { isAllowed: true, tatUs: next } : { isAllowed: false, waitUs };
};

/** Number of requests of cost 1 that would be allowed at `nowUs`. Pure; throws nothing. */
export const left = (tatUs: number, nowUs: number, { periodUs, burst }: Rate): number =>
  Math.max(Math.floor((nowUs + burst * periodUs - Math.max(tatUs, nowUs)) / periodUs), 0);

/** Number of requests that are allowed at `nowUs`, the bucket after them, and the wait for the next one. */
export const decideUpTo = (
  tatUs: number,
  nowUs: number,
  { periodUs, burst }: Rate,
  requested: number,
): { readonly count: number; readonly tatUs: number; readonly waitUs: number } => {
  const startUs = Math.max(tatUs, nowUs);
  const free = Math.floor((nowUs + burst * periodUs - startUs) / periodUs);
  const count = Math.min(Math.max(free, 0), requested);
  const nextUs = startUs + count * periodUs;
  return { count, tatUs: nextUs, waitUs: Math.max(nextUs + periodUs - burst * periodUs - nowUs, 0) };
};
