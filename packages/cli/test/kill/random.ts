import { randomInt } from 'node:crypto';

/** The next number of a sequence, from 0 (inclusive) to 1. */
export type Random = () => number;

/** Default rounds; BECKON_KILL_ROUNDS sets more. */
const ROUNDS = 3;

/** True for a campaign, in which nothing else uses the machine. Throws nothing. */
export const isCampaign = (): boolean => process.env['BECKON_KILL_ROUNDS'] !== undefined;

/** Kills per test. Throws TypeError for an invalid variable. */
export const killRounds = (): number => {
  const rounds = Number(process.env['BECKON_KILL_ROUNDS'] ?? ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('BECKON_KILL_ROUNDS must be a positive integer');
  return rounds;
};

/**
 * Seed of all random choices: BECKON_KILL_SEED, or a new one. The same seed gives the same choices and delays, but a kill
 * may hit another statement.
 */
export const killSeed = (): number => Number(process.env['BECKON_KILL_SEED'] ?? randomInt(1, 2 ** 31));

/** A random sequence seeded by its name. Throws nothing. Source: FNV-1a and mulberry32, both public domain. */
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

/** A random half of a list; does not change the list. */
export const halfOf = <Item>(items: readonly Item[], random: Random): Item[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, Math.ceil(items.length / 2))
    .map(({ item }) => item);
