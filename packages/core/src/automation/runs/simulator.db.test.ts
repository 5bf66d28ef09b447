import { describe, expect, inject, it } from 'vitest';
import { type Report, simulate } from '../../../test/support/runs/simulator/simulate.ts';
import { wholeFrom } from '../../../test/support/test-seed.ts';

/** Years of an ordinary run, by the speed of each database; a campaign asks for more. */
const ORDINARY = inject('engine') === 'postgres' ? 2 : 40;
const SEEDS = wholeFrom('BECKON_SIMULATOR_SEEDS') ?? ORDINARY;
/** CI derives the seed from the commit, so that each commit tests other years. */
const FIRST = wholeFrom('BECKON_SIMULATOR_FIRST') ?? wholeFrom('BECKON_TEST_SEED') ?? 1;

/** Seeds listed in docs/internals/campaigns.md as failing on a landed commit. */
const KNOWN = new Set(process.env['BECKON_TEST_KNOWN_SEEDS']?.split(',').map(Number));

const FIGURES = ['events', 'runs', 'steps', 'edits', 'crashes', 'overtaken', 'merges'] as const;

const sum = (reports: readonly Report[], of: (typeof FIGURES)[number]): number =>
  reports.reduce((total, report) => total + report[of], 0);

describe('a simulated year of workflows', () => {
  it('every run starts once, every step executes once and waits are exact, whatever fails', async () => {
    const reports: Report[] = [];
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      if (KNOWN.has(seed)) continue;
      const report = await simulate(seed);
      expect({ seed, broken: report.broken }).toEqual({ seed, broken: [] });
      reports.push(report);
    }
    const figures = FIGURES.map((of) => `${of} ${sum(reports, of)}`);
    console.log(
      `simulator ${inject('engine')} seeds ${FIRST} to ${FIRST + SEEDS - 1}: ${figures.join(', ')}, broken 0`,
    );
    // A single year may have none.
    if (SEEDS >= 10) expect(sum(reports, 'crashes')).toBeGreaterThan(SEEDS / 2);
    if (SEEDS >= 100) expect(sum(reports, 'overtaken')).toBeGreaterThan(SEEDS / 20);
  });
});
