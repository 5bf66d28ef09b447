/** The places of all orgs, shared by all processes of a database. */
export type MailPlaces = {
  /** Takes up to so many: how many there were, when the next one is free, and how often one is. */
  take(
    orgId: string,
    wanted: number,
  ): Promise<{ readonly taken: number; readonly waitMs: number; readonly everyMs: number }>;
  /** Gives places back of sends of which nothing was handed over. */
  giveBack(orgId: string, count: number): Promise<void>;
};
