/** Email permits of all organizations, shared by all processes of a database. */
export type MailPermits = {
  /** Takes up to `requested` permits; returns how many were granted, when the next one is free, and the interval. */
  take(
    orgId: string,
    requested: number,
  ): Promise<{ readonly granted: number; readonly waitMs: number; readonly everyMs: number }>;
  /** Returns permits of sends that were not handed over at all. */
  giveBack(orgId: string, count: number): Promise<void>;
};
