import type { Mutant } from '../../../test/mutant.ts';

const AUDIENCE = ['packages/core/src/sending/expand/audience.db.test.ts'];
const EXPAND = ['packages/core/src/sending/expand/expand.db.test.ts'];
const FAN_OUT = ['packages/core/src/sending/expand/fan-out.db.test.ts'];
const PART_SIZE = ['packages/core/src/sending/expand/part-size.test.ts'];
const TURNS = ['packages/core/src/sending/deliver/turns.db.test.ts'];

/** Rules of sends to audiences, and of whose turn it is. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a part is written behind those that are stored',
    file: '../hot.ts',
    find: "where: [...KEY, 'fence', 'expanded'],",
    replace: "where: [...KEY, 'fence'],",
    tests: EXPAND,
  },
  {
    says: 'a send whose parts are gone is begun again from what is stored',
    file: 'expand.ts',
    find: 'if (stored && isStillOurs(send, stored)) throw new Error(GONE);',
    replace: '',
    tests: EXPAND,
  },
  {
    says: 'the last part lasts',
    file: 'expand.ts',
    find: 'mayBeLost: !isLast && ',
    replace: 'mayBeLost: ',
    tests: EXPAND,
  },
  {
    says: 'a part of which the host is told lasts',
    file: 'expand.ts',
    find: ' && reacted.along.length === 0',
    replace: '',
    tests: EXPAND,
  },
  {
    says: 'a part within one member lasts',
    file: 'expand.ts',
    find: 'next.after === null && reacted',
    replace: 'reacted',
    tests: AUDIENCE,
  },
  {
    says: 'a send to an audience goes on behind the last member',
    file: 'expand.ts',
    find: 'expandedPerson: next.person,',
    replace: 'expandedPerson: null,',
    tests: AUDIENCE,
  },
  {
    says: 'the other devices of a member follow, whoever has left',
    file: 'parts.ts',
    find: 'if (after !== null && person !== null)',
    replace: 'if (after === undefined && person !== null)',
    tests: AUDIENCE,
  },
  {
    says: 'an audience that is being computed is waited for',
    file: 'expand.ts',
    find: 'audiences.isReady(send, audienceId)',
    replace: 'true',
    tests: AUDIENCE,
  },
  {
    says: 'who came while a part was made writes before it',
    file: 'expand.ts',
    find: '        await nextTurn();\n        const { rows',
    replace: '        const { rows',
    tests: EXPAND,
  },
  {
    says: 'a send to nobody says so',
    file: 'expand.ts',
    find: 'isLast && targeted === 0',
    replace: 'isLast && targeted < 0',
    tests: AUDIENCE,
  },
  {
    says: 'addresses of a send to an audience are told apart over its parts',
    file: 'expand.ts',
    find: 'seen: isEachOwn(send) ? new Set() : seen,',
    replace: 'seen: new Set(),',
    tests: AUDIENCE,
  },
  {
    says: 'what a statement makes is what was counted',
    file: 'hot.ts',
    find: '{ isGuarded: true },',
    replace: '{ isGuarded: false },',
    tests: FAN_OUT,
  },
  {
    says: 'a statement takes those behind the last part',
    file: 'fan-out.ts',
    find: "surveyOf(hot, send, person ?? '', most)",
    replace: "surveyOf(hot, send, '', most)",
    tests: FAN_OUT,
  },
  {
    says: 'ids of a part go on behind those of the part before',
    file: 'hot.ts',
    find: '`${value(\'base\')} + s."place"`',
    replace: '\'s."place"\'',
    tests: FAN_OUT,
  },
  {
    says: 'whoever has no device is one message that says why',
    file: 'fan-out.ts',
    find: 'rows: suppressed,',
    replace: 'rows: [],',
    tests: FAN_OUT,
  },
  {
    says: 'somebody with very many devices is read in windows',
    file: 'fan-out.ts',
    find: 'if (limit === 1 && rows > cap) return null;',
    replace: '',
    tests: FAN_OUT,
  },
  {
    says: 'a part is short while others write',
    file: 'part-size.ts',
    find: 'sqlite: 0.5, postgres: 10 }',
    replace: 'sqlite: 2_000, postgres: 2_000 }',
    tests: PART_SIZE,
  },
  {
    says: 'a disk that stalls is given longer rests',
    file: 'part-size.ts',
    find: 'rest = Math.min(LONGEST_REST, rest * 2)',
    replace: 'rest = REST[dialect]',
    tests: PART_SIZE,
  },
  {
    says: 'rests become shorter again',
    file: 'part-size.ts',
    find: 'rest = Math.max(REST[dialect], rest / 2)',
    replace: 'rest = Math.max(REST[dialect], rest)',
    tests: PART_SIZE,
  },
  {
    says: 'a long part beside which nobody writes is no stall',
    file: 'part-size.ts',
    find: 'alone < ALONE && ms > STALLED_MS',
    replace: 'ms > STALLED_MS',
    tests: PART_SIZE,
  },
  {
    says: 'a part stays short until nobody has written for a while',
    file: 'part-size.ts',
    find: 'const ALONE = 200;',
    replace: 'const ALONE = 1;',
    tests: PART_SIZE,
  },
  {
    says: 'an expansion leaves the writer to others between its parts',
    file: 'expand.ts',
    find: 'if (restMs > 0) await sleep(restMs, undefined, { signal });',
    replace: '',
    tests: FAN_OUT,
  },
  {
    says: 'what is for many stands behind what is for few',
    file: 'expand.ts',
    find: 'audienceId !== null || recipients.length > MAX_INLINE',
    replace: 'false',
    tests: TURNS,
  },
  {
    says: 'what is for many comes first where it has waited for ten minutes longer',
    file: '../hot.ts',
    find: 'behindMs: 600_000',
    replace: 'behindMs: 6_000_000',
    tests: TURNS,
  },
];
