import type { Mutant } from '../../../../test/mutant.ts';

/** Rules of limiters and of what they share, for `npm run mutants -- work/concurrency/calls`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a limiter begins no more at once than its capacity',
    file: 'limiter.ts',
    find: 'Math.max(capacity.now() - taken, 0)',
    replace: 'capacity.now()',
  },
  {
    says: 'jobs begin in the order in which they came',
    file: 'limiter.ts',
    find: 'queue.push(...jobs.slice(0, fitting));',
    replace: 'queue.unshift(...jobs.slice(0, fitting));',
  },
  {
    says: 'jobs that do not fit are answered',
    file: 'limiter.ts',
    find: 'return jobs.slice(fitting);',
    replace: 'return jobs.slice(jobs.length);',
  },
  {
    says: 'a job that was not made ready gives its capacity back',
    file: 'limiter.ts',
    find: 'preparing -= jobs.length;',
    replace: 'preparing -= prepared.length;',
  },
  {
    says: 'a job that was not made ready gives its share back',
    file: 'limiter.ts',
    find: 'for (let ended = prepared.length; ended < jobs.length; ended += 1) ending();',
    replace: '',
  },
  {
    says: 'a job that has ended gives its share back',
    file: 'limiter.ts',
    find: '    taken -= 1;\n    ending();',
    replace: '    taken -= 1;',
  },
  {
    says: 'no job is made ready ahead of its capacity where that is forbidden',
    file: 'limiter.ts',
    find: 'isAhead ? Math.min(',
    replace: 'isAhead || rate >= 0 ? Math.min(',
  },
  {
    says: 'no job is made ready ahead of its capacity where calls are long',
    file: 'limiter.ts',
    find: 'Math.floor(AHEAD.worthMs * rate)',
    replace: 'AHEAD.most',
  },
  {
    says: 'jobs are put off for longer while none ends',
    file: 'limiter.ts',
    find: 'STUCK_FACTOR * (nowMs - stuckSinceMs)',
    replace: '0',
  },
  {
    says: 'jobs are put off by the time that those before them need',
    file: 'limiter.ts',
    find: 'busyUntilMs + eachMs',
    replace: 'busyUntilMs',
  },
  {
    says: 'jobs of which none ends do not flow',
    file: 'limiter.ts',
    find: 'nowMs - stuckSinceMs < STUCK_MS',
    replace: 'true',
  },
  {
    says: 'once some rows did not fit, as many are claimed as end',
    file: 'pace.ts',
    find: 'asked = free;',
    replace: '',
  },
  {
    says: 'a few rows are not claimed alone',
    file: 'pace.ts',
    find: 'if (free < LEAST)',
    replace: 'if (free < 1)',
  },
  {
    says: 'who is slow keeps nobody waiting who is behind',
    file: 'pace.ts',
    find: 'nowMs - claimedMs >= LULL_MS ? asked : 0',
    replace: '0',
  },
  {
    says: 'a long burst keeps nobody waiting who is behind it',
    file: 'pace.ts',
    find: ' || nowMs - crowdedSinceMs >= PATIENCE_MS',
    replace: '',
  },
  {
    says: 'a burst is over when no more is claimed than there is',
    file: 'pace.ts',
    find: 'if (!isMore) crowdedSinceMs = null;',
    replace: '',
  },
  {
    says: 'behind what does not fit there has to be more',
    file: 'pace.ts',
    find: 'if (isMore) crowdedSinceMs ??= nowMs;',
    replace: 'crowdedSinceMs ??= nowMs;',
  },
  {
    says: 'a limiter leaves a share to the others',
    file: 'shared-budget.ts',
    find: 'Math.floor((SHARE * free - held) / (1 + SHARE))',
    replace: 'free',
  },
  {
    says: 'a limiter that holds its share takes no more',
    file: 'shared-budget.ts',
    find: '(SHARE * free - held)',
    replace: '(SHARE * free)',
  },
  {
    says: 'what is given back is free for others',
    file: 'shared-budget.ts',
    find: 'free += 1;',
    replace: 'free += 0;',
  },
];
