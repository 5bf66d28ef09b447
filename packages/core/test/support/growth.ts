/** Number of attempts; the shortest time is that of the work itself, whatever else the machine does. */
const TRIES = 8;
/** Factor between the sizes of the inputs. */
const TIMES = 16;

/**
 * How many times longer one large piece of work takes than the same amount in 16 pieces: about 1 if it is linear, and
 * 16 if it is quadratic. Both alternate and take about as long, so that a busy machine slows down both.
 *
 * @param work does it for an input of a size; all of it should take some milliseconds
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

/** Between the growth of linear work, which leaves more garbage at once, and the 16 of quadratic work. */
export const LINEAR = 8;
