import type { Mutant } from '../../test/mutant.ts';

/** Rules of plans, for `npm run campaign -- mutants plans`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a plan opens what those before it open',
    file: 'plan.ts',
    find: 'gates: [...open]',
    replace: 'gates',
  },
  {
    says: 'an org whose plan the table lacks has the least',
    file: 'plan.ts',
    find: 'least: all[0] ?? unlimited',
    replace: 'least: unlimited',
  },
  {
    says: 'a plan that is over is known within 10 s',
    file: 'plans.ts',
    find: 'MAX_AGE_MS = 10_000',
    replace: 'MAX_AGE_MS = 11_000',
  },
  {
    says: 'a plan that was set is in force at once in its process',
    file: 'plans.ts',
    find: 'cache.clear();\n        }',
    replace: '}',
  },
  {
    says: 'what is wrong in itself is answered as to everybody',
    file: 'gated.ts',
    find: 'await check?.(scope, ...rest);',
    replace: '',
  },
  {
    says: 'what a plan does not open is refused',
    file: 'gated.ts',
    find: '        throw error;\n',
    replace: '',
  },
  {
    says: 'a quota is never passed',
    file: 'hot.ts',
    find: '<= excluded."most"',
    replace: '<= excluded."most" + 1',
  },
  {
    says: 'events of the service itself are not counted',
    file: 'quota.ts',
    find: "kind === 'event' || kind === 'identify'",
    replace: 'kind !== undefined',
  },
  {
    says: 'a request is taken as a whole or not at all',
    file: 'quota.ts',
    find: 'request ?? id',
    replace: 'id',
  },
  {
    says: 'a request of several commits is begun where all of it would fit',
    file: 'quota.ts',
    find: 'entries.length + (later.get(request)?.length ?? 0)',
    replace: 'entries.length',
  },
  {
    says: 'nothing is kept of an event that has no room',
    file: 'quota.ts',
    find: 'draft.writes.filter(({ tag }) => !ids.has(tag))',
    replace: '[...draft.writes]',
  },
  {
    says: 'what was counted before there was a quota counts',
    file: 'quota.ts',
    find: 'limit - used.spread',
    replace: 'limit',
  },
  {
    says: 'what nothing bounds is spread',
    file: 'quota.ts',
    find: 'const slot = turn + 1;',
    replace: 'const slot = 1;',
  },
  {
    says: 'a transaction of a host counts in a row of its own',
    file: 'quota.ts',
    find: 'isJoined ? OWN_SLOTS',
    replace: 'false ? OWN_SLOTS',
  },
  {
    says: 'a duplicate is one, whatever there is room for',
    file: '../events/ingest.ts',
    find: 'isFirstTry && guessed.refused.size > 0',
    replace: 'false',
  },
  {
    says: 'the month is that of UTC',
    file: 'month.ts',
    find: 'Math.ceil((end - now.getTime()) / 1_000)',
    replace: 'Math.floor((end - now.getTime()) / 1_000)',
  },
  {
    says: 'what is kept is kept as long as the plan says',
    file: 'retention.ts',
    find: 'retentionDays * DAY_MS',
    replace: '30 * DAY_MS',
  },
  {
    says: 'a place is left once nothing of it is past its time',
    file: 'retention.ts',
    find: 'if (count < SLICE) left.pop();',
    replace: 'left.pop();',
  },
  {
    says: 'retention rests once it has been everywhere',
    file: 'retention.ts',
    find: 'if (isResting(now)) return false;',
    replace: '',
  },
  {
    says: 'positions that SQLite gives out again are indexed again',
    file: '../events/expiry/store.ts',
    find: 'await lowerMarks(db, tables);',
    replace: '',
  },
  {
    says: 'a send goes behind its messages',
    file: '../sending/erase/store.ts',
    find: ', notExists(left)',
    replace: '',
  },
  {
    says: 'what is still to happen stays',
    file: '../sending/erase/store.ts',
    find: 'lt(sends.id, below), isOver',
    replace: 'lt(sends.id, below)',
  },
];
