import { describe, expect, it } from 'vitest';
import { type Outcome, runSequence } from '../sequences.ts';
import { openWorld, type World } from '../site.ts';

/** Seeds listed in docs/internals/campaigns.md as failing on a landed commit. */
const KNOWN = new Set(process.env['BECKON_TEST_KNOWN_SEEDS']?.split(',').map(Number));
/** `BECKON_BROWSER_SEEDS` seeds from `BECKON_BROWSER_SEED` on; a failure names its own. */
const COUNT = Number(process.env['BECKON_BROWSER_SEEDS'] ?? 20);
const FIRST = Number(process.env['BECKON_BROWSER_SEED'] ?? 1);
/**
 * Number of parallel worlds, each with its own service and browser. Chosen for two cores: much of a seed is waiting.
 */
const LANES = Math.min(3, COUNT);

describe('random sequences of users, networks and services', () => {
  it('every random sequence ends with each sent event stored exactly once', async () => {
    const seeds = Array.from({ length: COUNT }, (_, index) => FIRST + index).filter((seed) => !KNOWN.has(seed));
    const count = seeds.length;
    const outcomes: Outcome[] = [];
    const live = async (world: World, seed: number): Promise<void> => {
      const outcome = await runSequence(world, seed);
      outcomes.push(outcome);
      const { sent, stored, doubled, waiting, steps } = outcome;
      console.log(
        `sequence seed ${seed}: sent ${sent} = stored ${stored}, doubled ${doubled}, waiting ${waiting} (${steps.join(', ')})`,
      );
    };
    const runSeeds = async (): Promise<void> => {
      let world = await openWorld();
      try {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          try {
            await live(world, seed);
          } catch (error) {
            // A crashed browser says nothing about the client: the seed starts again in another one.
            if (world.browser.isConnected())
              throw new Error(`sequence seed ${seed} could not be lived through: ${error}`, { cause: error });
            console.log(`sequence seed ${seed}: the browser ended (${error})`);
            await world.close();
            world = await openWorld();
            await live(world, seed);
          }
        }
      } finally {
        await world.close();
      }
    };
    await Promise.all(Array.from({ length: LANES }, runSeeds));
    const total = outcomes.reduce((sum, { sent }) => sum + sent, 0);
    console.log(`sequences: ${outcomes.length} seeds, ${total} events sent and stored`);
    expect(outcomes.filter(({ sent, stored, doubled, waiting }) => sent !== stored || doubled + waiting > 0)).toEqual(
      [],
    );
    expect(outcomes).toHaveLength(count);
  });
});
