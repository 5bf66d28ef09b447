/** Lets a few do something at once while the others wait in the order in which they came. */
export type Seats = <T>(work: () => Promise<T>) => Promise<T>;

/** A room with so many seats. Throws nothing of its own. */
export const seats = (count: number): Seats => {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
};
