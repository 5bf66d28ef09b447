import type { Mutant } from '../../../test/mutant.ts';

const tests = ['packages/core/src/runs/adoption.db.test.ts'];
const SHARES = ['packages/core/src/runs/fan-out.db.test.ts', 'packages/core/src/runs/shares.db.test.ts'];
const file = 'start.ts';

/** Rules of runs that are stepped as soon as they are started. */
export const mutantsOfStarts: readonly Mutant[] = [
  {
    says: 'a run whose first step is for later is left to whoever claims it then',
    find: 'workflow.firstDelayMinutes === 0 && ',
    replace: '',
    file,
    tests,
  },
  {
    says: 'no more runs are adopted than there is room for',
    find: 'adopted.length < room;',
    replace: 'room > 0;',
    file,
    tests,
  },
  {
    says: 'none is adopted where nobody says that it is on disk',
    find: 'hasAlong ? (adoption?.room() ?? 0) : 0',
    replace: 'adoption?.room() ?? 0',
    file,
    tests,
  },
  {
    says: 'adopted runs are taken once they are on disk',
    find: 'draft.along.push({ items: [], after: () => adoption?.take(adopted) });',
    replace: 'adoption?.take(adopted);',
    file,
    tests,
  },
  {
    says: 'an adopted run has the lease that it was written with',
    find: 'dueAt: leaseUntil, leaseUntil };',
    replace: 'dueAt: draft.now, leaseUntil };',
    file,
    tests,
  },
  {
    says: 'ingest says when its drafts are on disk',
    file: '../events/ingest.ts',
    find: 'const hasAlong = !isJoined;',
    replace: 'const hasAlong = false;',
    tests,
  },
  {
    says: 'processes that draw at once do not exceed a share',
    file: 'hot.ts',
    find: '${column(\'used\')} + excluded."used" <= excluded."most" and ',
    replace: '',
    tests: SHARES,
  },
  {
    says: 'a run counts as one of its part of a budget',
    file: 'shares.ts',
    find: 'share: part - 1, shareOf: null',
    replace: 'share: part, shareOf: null',
    tests: SHARES,
  },
  {
    says: 'only some failed runs of a share are written',
    file: 'shares.ts',
    find: 'MAX_REFUSED - before.refused - draw.refused',
    replace: 'count',
    tests: SHARES,
  },
  {
    says: 'a run for which nothing was left is not tried again',
    file: 'control.ts',
    find: ' || run.error === FAN_OUT',
    replace: '',
    tests: SHARES,
  },
];
