/** Tries; the least time of them is what the work itself takes, whatever else the machine does. */
const TRIES = 8;
/** How many times larger the larger input is. */
const TIMES = 16;

/**
 * How many times longer one large piece of work takes than as much in 16 pieces: about 1 where it is linear, and 16 where it is
 * quadratic. Both are tried in turn and take about as long, so that a busy machine slows down both.
 *
 * @param work does it for an input made of a size; all of it should take some milliseconds
 */
export const growthOf = <Input>(
  makeInput: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): number => {
  const [small, large] = [makeInput(size), makeInput(size * TIMES)];
  const timeOf = (input: Input, times: number): number => {
    const began = performance.now();
    for (let turn = 0; turn < times; turn += 1) work(input);
    return performance.now() - began;
  };
  let [pieces, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < TRIES; turn += 1) {
    pieces = Math.min(pieces, timeOf(small, TIMES));
    whole = Math.min(whole, timeOf(large, 1));
  }
  return whole / pieces;
};

/** Between what linear work grows to, which leaves more garbage at once, and the 16 of quadratic work. */
export const LINEAR = 8;
