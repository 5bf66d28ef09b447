import type { Mutant } from '../../../../test/mutant.ts';

const GATE = ['packages/core/src/sending/deliver/gates/quiet-hours.test.ts'];
const WINDOW = ['packages/core/src/sending/deliver/gates/quiet-window.test.ts'];
const CLOCK = ['packages/core/src/primitives/zone-clock.test.ts'];
const FACTS = ['packages/core/src/sending/deliver/facts.test.ts'];
const NIGHT = ['packages/core/src/sending/deliver/quiet-hours.db.test.ts'];
const LIMITER = ['packages/core/src/work/concurrency/calls/limiter.test.ts'];

/** Rules of quiet hours, for `npm run campaign -- mutants sending/deliver/gates`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'quiet hours come before anything is rendered',
    file: 'judge.ts',
    find: '  quietHours,\n  rendering,\n',
    replace: '  rendering,\n  quietHours,\n',
    tests: GATE,
  },
  {
    says: 'the end of quiet hours is not quiet',
    file: 'quiet-window.ts',
    find: 'return timeMs < endMs && startsOn((weekday + 6) % 7);',
    replace: 'return timeMs <= endMs && startsOn((weekday + 6) % 7);',
    tests: WINDOW,
  },
  {
    says: 'after midnight the day on which the window started counts',
    file: 'quiet-window.ts',
    find: 'startsOn((weekday + 6) % 7)',
    replace: 'startsOn(weekday)',
    tests: WINDOW,
  },
  {
    says: 'a window that ends as it starts is off',
    file: 'quiet-window.ts',
    find: 'setting.enabled && window.startMs !== window.endMs',
    replace: 'setting.enabled',
    tests: WINDOW,
  },
  {
    says: 'where clocks change on the way the end is looked for anew',
    file: 'quiet-window.ts',
    find: 'if (endMs < to) return endMs;',
    replace: 'if (endMs < Number.POSITIVE_INFINITY) return endMs;',
    tests: WINDOW,
  },
  {
    says: 'a change of clocks that leaves the window ends it',
    file: 'quiet-window.ts',
    find: '    if (!isWithin(window, fromMs + offsetMs)) return fromMs;\n',
    replace: '',
    tests: WINDOW,
  },
  {
    says: 'an offset holds until clocks change',
    file: '../../../primitives/zone-clock.ts',
    find: 'if (offsetAt(next) !== offsetMs) return { from, to: changeIn(to, next), offsetMs };',
    replace: '',
    tests: CLOCK,
  },
  {
    says: 'an offset holds from when clocks changed',
    file: '../../../primitives/zone-clock.ts',
    find: 'offsetAt(early) === offsetMs ? early : changeIn(early, second)',
    replace: 'early',
    tests: CLOCK,
  },
  {
    says: 'a stretch is looked for once',
    file: '../../../primitives/zone-clock.ts',
    find: 'for (const span of spans) if (atMs >= span.from && atMs < span.to) return span;',
    replace: '',
    tests: CLOCK,
  },
  {
    says: 'exempt classes go at any hour',
    file: 'quiet-hours.ts',
    find: ' || isExempt(message, setting)) return null;',
    replace: ') return null;',
    tests: GATE,
  },
  {
    says: 'a message waits no longer than it may',
    file: 'quiet-hours.ts',
    find: ' || until.getTime() > lastMs',
    replace: '',
    tests: GATE,
  },
  {
    says: 'how long it may wait is counted from its first deferral',
    file: 'quiet-hours.ts',
    find: '(message.row.deferredAt ?? now)',
    replace: 'now',
    tests: GATE,
  },
  {
    says: 'the first deferral is kept by the ones after it',
    file: '../../hot.ts',
    find: "deferredAt: 'keep'",
    replace: "deferredAt: 'value'",
    tests: NIGHT,
  },
  {
    says: 'quiet hours may suppress instead',
    file: 'quiet-hours.ts',
    find: "setting.behavior === 'suppress' || ",
    replace: '',
    tests: GATE,
  },
  {
    says: 'a zone that there is not counts as none',
    file: '../facts.ts',
    find: 'zone && zoneClock(zone) !== null',
    replace: 'zone',
    tests: FACTS,
  },
  {
    says: 'a push goes by the zone of its device',
    file: '../facts.ts',
    find: "channel === 'push' ? state?.timezone : profile && timezoneOf(profile)",
    replace: 'state?.timezone ?? (profile && timezoneOf(profile))',
    tests: FACTS,
  },
  {
    says: 'a mail that has to wait is not rendered',
    file: '../facts.ts',
    find: "    if (quietHours.judge(message, { now, sendStatus: null }).verdict !== 'pass') continue;\n",
    replace: '',
    tests: FACTS,
  },
  {
    says: 'what was handed over and waited for its call is judged again',
    file: '../dispatch.ts',
    find: "if (verdict.verdict === 'pass') return false;",
    replace: 'return false;',
    tests: NIGHT,
  },
  {
    says: 'what is taken back has used no attempt and is on its way no more',
    file: '../../settle/outcome.ts',
    find: "stoppedChange({ ...row, status: 'sending' }",
    replace: "stoppedChange({ ...row, attempt: row.attempt + 1, status: 'sending' }",
    tests: NIGHT,
  },
  {
    says: 'a trial that was taken back is left to another message',
    file: '../dispatch.ts',
    find: 'if (isProbe) connection.circuit.abandon();',
    replace: '',
    tests: NIGHT,
  },
  {
    says: 'what was judged just now is not judged again',
    file: '../dispatch.ts',
    find: 'if (now.getTime() - judgedAt.getTime() <= JUDGED_FOR_MS) return false;',
    replace: '',
    tests: NIGHT,
  },
  {
    says: 'a job that was not run says nothing of how long jobs take',
    file: '../../../work/concurrency/calls/limiter.ts',
    find: '    if (tookMs !== null) {\n',
    replace: '    {\n',
    tests: LIMITER,
  },
  {
    says: 'a deferred message is counted as one',
    file: '../../settle/counters.ts',
    find: 'countOf(change) !== null || deferralOf(change) !== 0',
    replace: 'countOf(change) !== null',
    tests: NIGHT,
  },
  {
    says: 'a deferred message that is handed over is deferred no more',
    file: '../../settle/counters.ts',
    find: '    send.deferred -= 1;\n',
    replace: '',
    tests: NIGHT,
  },
  {
    says: 'who is erased is deferred no more',
    file: '../../erase/erase.ts',
    find: "({ status }) => status === 'deferred'",
    replace: '() => false',
    tests: NIGHT,
  },
  {
    says: 'new credentials let a deferred message go, too',
    file: '../../store.ts',
    find: "inArray(messages.status, ['queued', 'deferred']),\n      ];",
    replace: "eq(messages.status, 'queued'),\n      ];",
    tests: NIGHT,
  },
];
