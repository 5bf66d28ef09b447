import { setTimeout as sleep } from 'node:timers/promises';
import { STEPS } from '../../../lib/fixtures.ts';
import { numberOf } from '../../people/by-hand.ts';
import type { Side } from '../side.ts';
import type { Runs } from './runs.ts';

/** Milliseconds between two checks for due work. Chosen: a check is a read by an index. */
const LOOK_MS = 5;
const IS_DUE = 'select count(*) from (select 1 from runs where due_at is not null limit 1) as due';

/** The built product with its whole worker. */
export const productSteps = ({ beckon, hand, fill, check }: Runs): Side => ({
  fill: (count) => fill(count / STEPS),
  run: async (count) => {
    beckon.worker.start();
    while ((await numberOf(hand, IS_DUE)) > 0) await sleep(LOOK_MS);
    await beckon.worker.stop();
    return count;
  },
  check,
});
