import type { Mutant } from '../../../test/mutant.ts';

/** Rules of live activities, for `npm run campaign -- mutants push/live-activities`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'timestamps of one activity only grow',
    file: 'push.ts',
    find: 'Math.max(seconds(now), ...rows.map(({ lastTimestamp }) => lastTimestamp + 1))',
    replace: 'seconds(now)',
  },
  {
    says: 'an end ends the activity',
    file: 'push.ts',
    find: "status: isEnd ? 'ended' : 'active'",
    replace: "status: 'active'",
  },
  {
    says: 'nothing goes to an activity that is over',
    file: 'push.ts',
    find: "status === 'active' && (only",
    replace: '(only',
  },
  {
    says: 'what waited is told once',
    file: 'live-activities.ts',
    find: '        await store.takePending(scope, name);',
    replace: '        void name;',
  },
  {
    says: 'a dead token ends its activity',
    file: 'reaction.ts',
    find: "status: 'invalidated', endedAt: now",
    replace: "status: 'active', endedAt: now",
  },
  {
    says: 'only what APNs accepted, or called dead, is told',
    file: 'reaction.ts',
    find: "(change.status === 'sent' || isDead(change))",
    replace: "change.status !== 'failed'",
  },
  {
    says: 'a token that changes is that of the same activity',
    file: 'live-activities.ts',
    find: '`id:${activityId}`',
    replace: '`token:${token}`',
  },
  {
    says: 'an activity whose token was dead lives on by a new one',
    file: 'live-activities.ts',
    find: "row?.status === 'invalidated' && row.token !== token",
    replace: 'false',
  },
  {
    says: 'an answer for an old token ends nothing',
    file: 'reaction.ts',
    find: 'token !== null && token !== change.feedback?.address',
    replace: 'false',
  },
  {
    says: 'a token of the sandbox is refused in prod',
    file: 'schema.ts',
    find: "environment === 'test' || HEX",
    replace: "environment !== 'nowhere' || HEX",
  },
  {
    says: 'only devices of the type are asked to start',
    file: 'store.ts',
    find: '            eq(starters.activityType, activityType),\n',
    replace: '',
  },
];
