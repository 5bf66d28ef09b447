import { randomInt } from 'node:crypto';

/** A number from 0 (inclusive) to 1, the next of its sequence. */
export type Random = () => number;

/** Rounds in a plain test run; more by BECKON_KILL_ROUNDS. */
const ROUNDS = 3;

/** True for a run of kills by themselves: nothing else takes the machine's time. Throws nothing. */
export const isCampaign = (): boolean => process.env['BECKON_KILL_ROUNDS'] !== undefined;

/** How many kills each test makes. Throws TypeError for a variable that is no positive integer. */
export const killRounds = (): number => {
  const rounds = Number(process.env['BECKON_KILL_ROUNDS'] ?? ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('BECKON_KILL_ROUNDS must be a positive integer');
  return rounds;
};

/**
 * What every choice of a run follows from: BECKON_KILL_SEED, or one of this run's own. The same seed makes the same
 * choices and delays; which statement a kill hits is up to the machine.
 */
export const killSeed = (): number => Number(process.env['BECKON_KILL_SEED'] ?? randomInt(1, 2 ** 31));

/** A sequence that follows from its name. Throws nothing. Source: FNV-1a and mulberry32, both public domain. */
export const randomOf = (name: string): Random => {
  let state = 2_166_136_261;
  for (let at = 0; at < name.length; at += 1) state = Math.imul(state ^ name.charCodeAt(at), 16_777_619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The half of a list that chance picks; the list itself stays as it is. */
export const halfOf = <Item>(items: readonly Item[], random: Random): Item[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, Math.ceil(items.length / 2))
    .map(({ item }) => item);
