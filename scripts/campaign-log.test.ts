import { describe, expect, it } from 'vitest';
import { agesOf, knownSeedsOf, readLog, rowsOf, withRow } from './campaign-log.ts';
import { CAMPAIGNS } from './campaigns.ts';
import { isInPart } from './moving-seed.ts';
import { cpuSecondsOf } from './steps.ts';

const page = `## Known failing seeds

| campaign | seed | symptom |
|---|---|---|
| simulate | 17 | a wait ends a day late |

## Runs

| date | campaign | commit | figures |
|---|---|---|---|
`;
const row = { date: '2026-11-28', campaign: 'kill', commit: '1c600f12', figures: 'lost 0' };

describe('log of campaigns', () => {
  it("each run adds one row at the end of the log's table", () => {
    const second = { ...row, figures: 'lost 0, twice 1' };
    expect(rowsOf(withRow(withRow(page, row), second))).toEqual([row, second]);
  });

  it('a page without a table of runs is rejected', () => {
    expect(() => withRow('# Campaigns', row)).toThrow('no table of runs');
  });

  it('known failing seeds belong to one campaign', () => {
    expect(knownSeedsOf(page, 'simulate')).toEqual([17]);
    expect(knownSeedsOf(page, 'browser')).toEqual([]);
  });

  it('the log tells how many days ago each campaign last ran', () => {
    const log = withRow(page, row);
    expect(agesOf(log, ['kill', 'both'], new Date('2026-12-01T12:00:00Z'))).toEqual([
      'campaign kill: 3 days ago on 1c600f12: lost 0',
      'campaign both: never run',
    ]);
  });

  it('the log of this repository lists runs of known campaigns only', () => {
    expect(rowsOf(readLog()).filter(({ campaign }) => !(campaign in CAMPAIGNS))).toEqual([]);
  });
});

describe('campaign parts', () => {
  it('the parts of a campaign have distinct names, so that --from is unambiguous', () => {
    for (const { parts } of Object.values(CAMPAIGNS)) {
      const names = parts(1, []).map(({ name }) => name);
      expect(names).not.toHaveLength(0);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('every seed is simulated once', () => {
    const starts = CAMPAIGNS['simulate']
      ?.parts(100, ['600'])
      .flatMap(({ env = {} }) => [[Number(env['BECKON_SIMULATOR_FIRST']), Number(env['BECKON_SIMULATOR_SEEDS'])]]);
    expect(starts).toEqual([
      [100, 250],
      [100, 5],
      [350, 250],
      [350, 5],
      [600, 100],
      [600, 2],
    ]);
  });
});

describe('sample of one in three', () => {
  const files = Array.from({ length: 300 }, (_, at) => `packages/core/src/module-${at}.db.test.ts`);

  it('a sample has about a third of the files and differs from seed to seed', () => {
    const chosen = [1, 2].map((seed) => files.filter((file) => isInPart(file, seed, 3)));
    for (const some of chosen) {
      expect(some.length).toBeGreaterThan(70);
      expect(some.length).toBeLessThan(130);
    }
    expect(chosen[0]).not.toEqual(chosen[1]);
  });

  it('thirty seeds sample every file', () => {
    const seeds = Array.from({ length: 30 }, (_, at) => at);
    expect(files.filter((file) => !seeds.some((seed) => isInPart(file, seed, 3)))).toEqual([]);
  });
});

describe('CPU seconds of a step', () => {
  it('the CPU seconds of a step are user and system time of its processes, not of the shell around them', () => {
    expect(cpuSecondsOf('0m0.010s 0m0.002s\n1m2.500s 0m0.250s\n')).toBe(62.75);
  });

  it('the CPU seconds of a step are 0 if nothing was measured', () => {
    expect(cpuSecondsOf('')).toBe(0);
  });
});
