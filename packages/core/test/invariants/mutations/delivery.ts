import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/delivery.db.test.ts'];

export const deliveryInvariants: readonly Invariant[] = [
  {
    says: 'An SMS with an unknown result is not sent again.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: "channel === 'sms' && outcome.processed === 'unknown' && !resendsAmbiguous",
    replace: "channel === 'push' && outcome.processed === 'unknown' && !resendsAmbiguous",
    tests,
  },
  {
    says: 'A message fails after its sixth attempt.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: 'attempt >= MAX_ATTEMPTS ||',
    replace: '',
    tests,
  },
  {
    says: 'The waits between the attempts of a message grow.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: 'BACKOFF_MS * 2 ** (attempt - 1)',
    replace: 'BACKOFF_MS * attempt',
    tests,
  },
  {
    says: 'A provider is not called before its Retry-After.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: 'Math.min(retryAfterMs, RETRY_AFTER_CAP_MS));',
    replace: '0);',
    tests,
  },
  {
    says: 'A bounce is distinguished from other rejections.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: "status: outcome.address === 'bounced' ? 'bounced' : 'failed'",
    replace: "status: 'failed'",
    tests,
  },
  {
    says: 'A message that its provider rejected for good is not retried.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: `  if (outcome.result === 'failed')
    return outcome.address === undefined
      ? failed(problem)`,
    replace: `  if (outcome.result === 'failed')
    return outcome.address === undefined
      ? { ...before, ...problem, status: 'queued', dueAt: new Date(now.getTime() + BACKOFF_MS) }`,
    tests,
  },
  {
    says: 'After a credential was rejected, one message tests whether it is accepted again.',
    path: 'packages/core/src/delivery/providers/circuit.ts',
    find: "return { may: 'one', othersUntil: new Date(now.getTime() + CIRCUIT_MS) };",
    replace: "return { may: 'all' };",
    tests,
  },
  {
    says: 'A provider that throws fails one message and no other.',
    path: 'packages/core/src/messaging/sends/deliver/dispatch.ts',
    find: `        return THREW;
`,
    replace: `        throw error;
`,
    tests,
  },
  {
    says: 'A finished send cannot be cancelled.',
    path: 'packages/core/src/messaging/sends/finalize/cancel.ts',
    find: `        if (send.status !== 'queued' || send.startedAt !== null) throw conflict('already_dispatched');
`,
    replace: '',
    tests,
  },
  {
    says: 'An address gets one email of a send, however many users have it.',
    path: 'packages/core/src/messaging/sends/rows.ts',
    find: `  if (usedKeys.has(key)) return false;
`,
    replace: '',
    tests,
  },
  {
    says: 'A send counts each of its messages.',
    path: 'packages/core/src/messaging/sends/finalize/counters.ts',
    find: 'send[counts] += 1;',
    replace: 'send[counts] = 1;',
    tests,
  },
  {
    says: 'A scheduled send is not sent before its time.',
    path: 'packages/core/src/messaging/sends/accept/accept.ts',
    find: 'scheduledFor && scheduledFor > now ? scheduledFor : null',
    replace: 'null',
    tests,
  },
];
