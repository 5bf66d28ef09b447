import type { Mutant } from '../../test/mutant.ts';

/** Rules of limits, for `npm run campaign -- mutants limits`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a request without provider gives its cost back',
    file: 'limits.ts',
    find: "if (isBeckonError(error, 'PROVIDER_NOT_CONFIGURED')) await store.giveBack(scope.orgId, rate);",
    replace: '',
  },
  {
    says: 'the statement decides, not what was read before it',
    file: 'store.ts',
    find: 'eq(table.isProbation, isProbation), allowed)',
    replace: 'eq(table.isProbation, isProbation))',
  },
  {
    says: 'the last place of a burst is one',
    file: 'gcra.ts',
    find: 'waitUs <= 0',
    replace: 'waitUs < 0',
  },
  {
    says: 'places that another process took meanwhile are not taken again',
    file: 'store.ts',
    find: ', eq(table.tatUs, tatUs));',
    replace: ');',
  },
  {
    says: 'a process asks for what is over its allowance',
    file: 'calls.ts',
    find: 'if (own.owed + cost > allowance(bucket)) return',
    replace: 'if (cost > 1_000_000) return',
  },
  {
    says: 'what a bucket never holds is let pass where it is full',
    file: 'calls.ts',
    find: 'const cost = Math.min(asked, bucket.burst);\n      const result',
    replace: 'const cost = asked;\n      const result',
  },
  {
    says: 'a clock that was set back empties no bucket',
    file: 'calls.ts',
    find: 'if (us + aheadUs < lastUs) aheadUs = lastUs - us;',
    replace: '',
  },
  {
    says: 'a rate that was changed makes nobody wait for longer than a bucket takes',
    file: 'calls.ts',
    find: 'if (own.tatUs > latestUs) own.tatUs = latestUs;',
    replace: '',
  },
  {
    says: 'an org’s own number holds',
    file: 'calls.ts',
    find: 'own === undefined ? usual : perMinute(own)',
    replace: 'usual',
  },
  {
    says: 'full buckets are forgotten before others',
    file: 'buckets.ts',
    find: 'if (tatUs <= nowUs) kept',
    replace: 'if (tatUs < 0) kept',
  },
  {
    says: 'whoever guesses secrets over IPv6 has fewer attempts',
    file: 'call-rates.ts',
    find: "network.includes(':')",
    replace: 'false',
  },
  {
    says: 'a secret key reports events from a bucket of its own',
    file: 'call-rates.ts',
    find: "caller === undefined || caller.kind === 'public'",
    replace: 'true',
  },
  {
    says: 'what was had for a call that wanted more is given back',
    file: 'exchange.ts',
    find: 'bucket.owed -= free;',
    replace: '',
  },
  {
    says: 'what could not be told is told later',
    file: 'exchange.ts',
    find: 'one.bucket.owed += tellings[at]?.owed ?? 0;',
    replace: '',
  },
  {
    says: 'a bucket that is hardly used is not told of',
    file: 'exchange.ts',
    find: 'Math.abs(bucket.owed) * 2 < allowance(named) || ',
    replace: '',
  },
  {
    says: 'a shared bucket gives no more than there is',
    file: 'store.ts',
    find: 'when ${free} < ${said(table.wanted)} then ${free} ',
    replace: '',
  },
  {
    says: 'an org’s own number holds while its plan opens it',
    file: 'org-rates.ts',
    find: " || !(await plans.allows(orgId, 'rateLimits'))",
    replace: '',
  },
];
