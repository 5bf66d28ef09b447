import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/limits.db.test.ts'];

export const limitsInvariants: readonly Invariant[] = [
  {
    says: 'A frequency cap of one channel limits messages of that channel.',
    path: 'packages/core/src/messaging/caps/rules.ts',
    find: "rule.channel === 'all' || rule.channel === channel",
    replace: "rule.channel === 'all'",
    tests,
  },
  {
    says: 'A message that its provider rejected counts for no frequency cap.',
    path: 'packages/core/src/messaging/caps/release.ts',
    find: 'one.isEnd ||= hasEnded(change.status)',
    replace: 'one.isEnd ||= false',
    tests,
  },
  {
    says: 'A frequency cap for marketing does not stop transactional messages.',
    path: 'packages/core/src/messaging/caps/rules.ts',
    find: "rule.class === 'all' || rule.class === kind",
    replace: 'send !== null || rule.class',
    tests,
  },
  {
    says: 'Quiet hours end at their end time.',
    path: 'packages/core/src/messaging/sends/deliver/gates/quiet-window.ts',
    find: 'return timeMs < endMs && startsOn((weekday + 6) % 7);',
    replace: 'return timeMs <= endMs && startsOn((weekday + 6) % 7);',
    tests,
  },
  {
    says: 'Quiet hours do not defer transactional messages.',
    path: 'packages/core/src/messaging/sends/deliver/gates/quiet-hours.ts',
    find: ' || isExempt(message, setting)) return null;',
    replace: ') return null;',
    tests,
  },
  {
    says: "Quiet hours use the user's time zone.",
    path: 'packages/core/src/messaging/sends/deliver/facts.ts',
    find: "channel === 'push' ? state?.timezone : profile && timezoneOf(profile)",
    replace: 'state?.timezone',
    tests,
  },
  {
    says: 'An idempotency key with another body is rejected.',
    path: 'packages/core/src/platform/idempotency/idempotency.ts',
    find: `        if (row.bodyHash !== bodyHash) throw mismatch(field);
`,
    replace: '',
    tests,
  },
  {
    says: 'An idempotent response is stored for 24 hours.',
    path: 'packages/core/src/platform/idempotency/statements.ts',
    find: "set: { answer: 'value', expiresAt: 'value' },",
    replace: "set: { answer: 'value' },",
    tests,
  },
  {
    says: 'A quota is never exceeded.',
    path: 'packages/core/src/platform/plans/statements.ts',
    find: '<= excluded."max_events"',
    replace: '<= excluded."max_events" + 1',
    tests,
  },
  {
    says: 'A feature outside the plan is rejected.',
    path: 'packages/core/src/platform/plans/gated.ts',
    find: `        throw error;
`,
    replace: '',
    tests,
  },
  {
    says: 'A plan includes the features of smaller plans.',
    path: 'packages/core/src/platform/plans/plan.ts',
    find: 'gates: [...open]',
    replace: 'gates',
    tests,
  },
  {
    says: 'A cursor is bound to the filter of its list.',
    path: 'packages/core/src/messaging/sends/read/sends.ts',
    find: "['messages', scopeKey(scope), channel, id, filter]",
    replace: "['messages', scopeKey(scope), channel, id]",
    tests,
  },
  {
    says: 'A rate limit admits exactly its burst at once.',
    path: 'packages/core/src/platform/limits/gcra.ts',
    find: 'waitUs <= 0',
    replace: 'waitUs < 0',
    tests,
  },
];
