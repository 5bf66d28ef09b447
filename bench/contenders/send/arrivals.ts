/** What reached a stand-in in one turn. */
export type Arrived = {
  readonly total: number;
  /** Distinct messages among them. */
  readonly distinct: number;
};

/** Counts messages by their ids, and reports when enough of them have arrived. */
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
    /** Resets all counts. */
    begin: (): void => {
      ids = new Set();
      total = 0;
    },
    /** Resolves true when this many have arrived, false at the time limit. */
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
