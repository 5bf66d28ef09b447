import type { Mutant } from '../../../test/mutant.ts';

/** Rules of what is counted of a workflow's runs, for `npm run campaign -- mutants runs/figures`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a day begins by the clock of the zone',
    file: 'interval.ts',
    find: 'const localMs = atMs + zone.spanAt(atMs).offsetMs;',
    replace: 'const localMs = atMs;',
  },
  {
    says: 'a week begins on Monday',
    file: 'interval.ts',
    find: 'const FIRST_MONDAY = 4;',
    replace: 'const FIRST_MONDAY = 3;',
  },
  {
    says: 'of several attempts at a step the last counts',
    file: '../store.ts',
    find: '.where(eq(attempts.nth, 1))',
    replace: '.where(sql`${attempts.nth} > 0`)',
  },
  {
    says: 'a run that came to its end is no exit',
    file: 'tally.ts',
    find: 'if (step && isExit(run))',
    replace: 'if (step && dueAt === null)',
  },
  {
    says: 'outcomes are those of runs that are completed',
    file: 'tally.ts',
    find: "if (status === 'completed' && outcome !== null)",
    replace: 'if (outcome !== null)',
  },
  {
    says: 'versions are counted apart',
    file: 'tally.ts',
    find: 'const key = `${version}/${path}`;',
    replace: 'const key = path;',
  },
  {
    says: 'what began in this millisecond is counted',
    file: 'figures.ts',
    find: 'now.getTime() + 1;',
    replace: 'now.getTime();',
  },
  {
    says: 'figures say where runs were left out',
    file: 'figures.ts',
    find: 'counted === maxRuns &&',
    replace: 'counted < 0 &&',
  },
];
