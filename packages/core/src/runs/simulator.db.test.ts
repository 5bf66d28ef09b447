import { describe, expect, inject, it } from 'vitest';
import { type Report, simulate } from './testing/simulator/simulate.ts';

/** Years in an ordinary run, by what a year takes of each database; `npm run simulate` asks for more. */
const ORDINARY = inject('engine') === 'postgres' ? 5 : 200;
const SEEDS = Number(process.env['BECKON_SIMULATOR_SEEDS'] ?? ORDINARY);
const FIRST = Number(process.env['BECKON_SIMULATOR_FIRST'] ?? 1);

const FIGURES = ['events', 'runs', 'steps', 'edits', 'crashes', 'overtaken', 'merges'] as const;

const sum = (reports: readonly Report[], of: (typeof FIGURES)[number]): number =>
  reports.reduce((total, report) => total + report[of], 0);

describe('a year of workflows', () => {
  it('starts every run once, does every step once and waits as long as it says, whatever goes wrong', async () => {
    const reports: Report[] = [];
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const report = await simulate(seed);
      expect({ seed, broken: report.broken }).toEqual({ seed, broken: [] });
      reports.push(report);
    }
    const figures = FIGURES.map((of) => `${of} ${sum(reports, of)}`);
    console.log(
      `simulator ${inject('engine')} seeds ${FIRST} to ${FIRST + SEEDS - 1}: ${figures.join(', ')}, broken 0`,
    );
    // One year alone may have none.
    if (SEEDS >= 10) expect(sum(reports, 'crashes')).toBeGreaterThan(SEEDS / 2);
    if (SEEDS >= 100) expect(sum(reports, 'overtaken')).toBeGreaterThan(SEEDS / 20);
  });
});
