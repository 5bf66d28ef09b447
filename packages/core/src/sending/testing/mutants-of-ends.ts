import type { Mutant } from '../../../test/mutant.ts';

const OUTCOME = ['packages/core/src/sending/settle/outcome.test.ts'];
const CANCEL = ['packages/core/src/sending/settle/cancel.db.test.ts'];
const REACTIONS = ['packages/core/src/sending/settle/reactions.db.test.ts'];
const RESERVATIONS = ['packages/core/src/sending/deliver/reservations.db.test.ts'];

/** Rules of what is reserved and of how messages end: a part of the room's list. */
export const ends: readonly Mutant[] = [
  {
    says: 'a cancel and a hand-over exclude each other',
    file: 'hot.ts',
    find: "('claimed_at')} is null`,",
    replace: "('claimed_at')} is null or 1 = 1`,",
    tests: CANCEL,
  },
  {
    says: 'the messages of a cancelled send end with it',
    file: 'settle/cancel.ts',
    find: '            write(hot.cancelMessages, { ...key, sendId: id, ...end }),\n',
    replace: '',
    tests: CANCEL,
  },
  {
    says: 'a message that was made ended is counted by its send alone',
    file: 'settle/counters.ts',
    find: 'if (from === null || hasEnded(from)) return null;',
    replace: '',
    tests: OUTCOME,
  },
  {
    says: 'a reaction that a change does not concern costs nothing',
    file: 'settle/settle.ts',
    find: 'changes.filter(reaction.concerns)',
    replace: '[...changes]',
    tests: ['packages/core/src/runs/step-outcomes.db.test.ts'],
  },
  {
    says: 'messages that end as they are accepted are heard of',
    file: 'accept/submit.ts',
    find: 'settle.react(changes, now)',
    replace: 'settle.react([], now)',
    tests: REACTIONS,
  },
  {
    says: 'messages that end as they are expanded are heard of',
    file: 'expand/expand.ts',
    find: 'ended.map((row) => bornChange(row, step))',
    replace: '[]',
    tests: REACTIONS,
  },
  {
    says: 'a message is delivered once',
    file: 'track/engagement.ts',
    find: 'message?.deliveredAt === null && ',
    replace: 'message && ',
    tests: REACTIONS,
  },
  {
    says: 'a message is handed over together with what it takes',
    file: 'deliver/handover.ts',
    find: '            ...going.flatMap((message) => reserved.get(message) ?? []),\n',
    replace: '',
    tests: RESERVATIONS,
  },
  {
    says: 'a message for which there was no slot is not tried again',
    file: 'deliver/reservations.ts',
    find: 'if (one) refused.set(one.message, one.stop);',
    replace: 'if (one) refused.delete(one.message);',
    tests: RESERVATIONS,
  },
  {
    says: 'who was refused because of a message that is somebody else’s is asked anew',
    file: 'deliver/reservations.ts',
    find: 'if (refusals.includes(undefined)) refused.clear();\n    else ',
    replace: '',
    tests: RESERVATIONS,
  },
  {
    says: 'a deferred message comes again at its moment',
    file: 'settle/outcome.ts',
    find: 'dueAt: verdict.until',
    replace: 'dueAt: null',
    tests: RESERVATIONS,
  },
];
