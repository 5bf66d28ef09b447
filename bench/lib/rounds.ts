/** What one contender did in one turn, by the name of the figure. */
export type Figures = Readonly<Record<string, number>>;
/** Every contender's turns, in the order of the rounds. */
export type Results = ReadonlyMap<string, readonly Figures[]>;

/** Somebody whose turn it is. */
export type Racer = { readonly name: string; turn(): Promise<Figures> };

/** Work and record do not agree, or a limit that a gate needs did not run: the figures mean nothing. */
export class VoidRun extends Error {
  override readonly name = 'VoidRun';
}

/**
 * Lets all take their turns, round by round; who begins changes each round, because a fixed order has made a layer
 * look faster than what is beneath it.
 */
export const takeTurns = async (racers: readonly Racer[], rounds: number): Promise<Results> => {
  const results = new Map<string, Figures[]>(racers.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < racers.length; place += 1) {
      const racer = racers[(round + place) % racers.length];
      if (racer) results.get(racer.name)?.push(await racer.turn());
    }
  }
  return results;
};

/** One figure of one contender, round by round. Throws VoidRun when it was not measured. */
export const series = (results: Results, name: string, figure: string): number[] => {
  const turns = results.get(name);
  if (!turns || turns.length === 0) throw new VoidRun(`${name} did not run`);
  return turns.map((turn) => turn[figure] ?? Number.NaN);
};
