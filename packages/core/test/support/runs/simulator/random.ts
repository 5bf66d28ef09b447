// All random choices of a simulation, derived from its seed.

import { seeded } from '../../seeded.ts';

export type Random = ReturnType<typeof randomOf>;

export const randomOf = (seed: number) => {
  const next = seeded(seed);
  /** A random integer from `min` to `max`, both inclusive. */
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const chance = (share: number): boolean => next() < share;
  const pick = <T>(items: readonly T[]): T => {
    const item = items[int(0, items.length - 1)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  };
  return { next, int, chance, pick };
};
