import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Capped, openCapped, rule } from '../../../test/support/caps/capped.ts';
import { race, randomOf } from '../../../test/support/caps/race.ts';
import { openDatabase } from '../../database/open.ts';
import type { Storage } from '../../database/storage.ts';

/** Source: semantics, Frequency caps. */
const CAP = 3;
const WORKERS = 16;
const SEEDS = 20;
/** The whole campaign takes minutes: BECKON_CAPS_CAMPAIGN=1 runs it. */
const isWhole = process.env['BECKON_CAPS_CAMPAIGN'] === '1';
const { users, sends } = isWhole ? { users: 50, sends: 100 } : { users: 8, sends: 16 };

describe('frequency caps across processes', () => {
  let world: Capped;
  let storages: Storage[];
  beforeEach(async () => {
    world = await openCapped(rule(CAP));
    // The server's clock is used instead of a test clock.
    const { url } = world.database;
    storages = [];
    for (let at = 0; at < WORKERS; at += 1) storages.push((await openDatabase({ url, poolSize: 2 })).storage);
  });
  afterEach(async () => {
    await Promise.all(storages.map((storage) => storage.close()));
    await world.close();
  });

  it(
    'sixteen workers with hundreds of sends reach the cap of every user and never exceed it',
    async () => {
      const total = { over: 0, under: 0, sent: 0, suppressed: 0 };
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const options = { name: `seed ${seed}`, users, sends, cap: CAP, random: randomOf(seed) };
        const figures = await race(world, storages, options);
        expect({ seed, over: figures.over, under: figures.under }).toEqual({ seed, over: 0, under: 0 });
        total.over += figures.over;
        total.under += figures.under;
        total.sent += figures.sent;
        total.suppressed += figures.suppressed;
      }
      console.log(
        `caps: workers ${WORKERS} seeds ${SEEDS} users ${users} sends ${sends} cap ${CAP} over ${total.over} ` +
          `under ${total.under} sent ${total.sent} suppressed ${total.suppressed}`,
      );
      expect(total).toEqual({
        over: 0,
        under: 0,
        sent: SEEDS * users * CAP,
        suppressed: SEEDS * users * (sends - CAP),
      });
    },
    isWhole ? 3_600_000 : 180_000,
  );
});
