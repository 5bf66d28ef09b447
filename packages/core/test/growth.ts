/** Tries of each size; the least time of them is what the work itself takes, whatever else the machine does. */
const TRIES = 8;

/**
 * How many times longer work takes when there is `times` as much of it: about `times` where it is linear, and its square where
 * it is quadratic. Both sizes are tried in turn, so that a busy machine slows down both.
 *
 * @param work does it for an input made of a size; it should take a millisecond or more of the smaller one
 */
export const growthOf = <Input>(
  makeInput: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
  times = 16,
): number => {
  const inputs = [makeInput(size), makeInput(size * times)] as const;
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn <= TRIES; turn += 1)
    for (const [which, input] of inputs.entries()) {
      const began = performance.now();
      work(input);
      // The first try compiles the code.
      if (turn > 0) least[which] = Math.min(least[which] ?? 0, performance.now() - began);
    }
  const [small = 0, large = 0] = least;
  return large / Math.max(small, 0.01);
};

/** Growth over 16 times the size: 256 where work is quadratic, and below 80 where it is linear and leaves garbage behind. */
export const LINEAR = 120;
