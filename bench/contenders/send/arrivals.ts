/** What reached a stand-in in one turn. */
export type Arrived = {
  readonly total: number;
  /** Different messages among them. */
  readonly distinct: number;
};

/** Counts messages by their ids, and tells when enough of them are there. */
export const arrivals = () => {
  let ids = new Set<string>();
  let total = 0;
  let wanted: { readonly count: number; readonly met: () => void } | undefined;
  return {
    take: (id: string): void => {
      total += 1;
      ids.add(id);
      if (wanted && total >= wanted.count) {
        wanted.met();
        wanted = undefined;
      }
    },
    /** Forgets everything. */
    begin: (): void => {
      ids = new Set();
      total = 0;
    },
    /** Resolves true when that many are there, false when they are not within the time. */
    reached: (count: number, limitMs: number): Promise<boolean> =>
      new Promise((resolve) => {
        if (total >= count) {
          resolve(true);
          return;
        }
        const timer = setTimeout(() => {
          wanted = undefined;
          resolve(false);
        }, limitMs);
        wanted = {
          count,
          met: () => {
            clearTimeout(timer);
            resolve(true);
          },
        };
      }),
    arrived: (): Arrived => ({ total, distinct: ids.size }),
  };
};

export type Take = ReturnType<typeof arrivals>['take'];
