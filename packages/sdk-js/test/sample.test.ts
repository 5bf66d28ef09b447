import { describe, expect, it } from 'vitest';
import { findChromium } from './chromium.ts';
import { runSequence } from './sequences.ts';
import { openWorld } from './site.ts';

/** Seeds of few and quick steps, out of those that `npm run browser` lives through. */
const SEEDS = [1, 2] as const;

describe('a sample of sequences in a real browser', () => {
  // skip: needs Chromium, which `npm run browser` installs
  it.skipIf(findChromium() === null)('ends with everything that was sent stored exactly once', async () => {
    const world = await openWorld();
    try {
      for (const seed of SEEDS) {
        const { sent, stored, doubled } = await runSequence(world, seed);
        expect([seed, stored, doubled]).toEqual([seed, sent, 0]);
      }
    } finally {
      await world.close();
    }
  });
});
