import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/delivery.db.test.ts'];

export const deliveryInvariants: readonly Invariant[] = [
  {
    says: 'A text message of which nobody knows whether the provider has it is not sent again.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: "channel === 'sms' && outcome.processed === 'unknown' && !resendsAmbiguous",
    replace: "channel === 'push' && outcome.processed === 'unknown' && !resendsAmbiguous",
    tests,
  },
  {
    says: 'A message is given up after its sixth attempt.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: 'attempt >= MAX_ATTEMPTS ||',
    replace: '',
    tests,
  },
  {
    says: 'The waits between the attempts at a message grow.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: 'BACKOFF_MS * 2 ** (attempt - 1)',
    replace: 'BACKOFF_MS * attempt',
    tests,
  },
  {
    says: 'A provider is not asked again before the moment that it named.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: 'Math.min(retryAfterMs, RETRY_AFTER_CAP_MS));',
    replace: '0);',
    tests,
  },
  {
    says: 'A bounce is told from other refusals.',
    path: 'packages/core/src/messaging/sends/finalize/outcome.ts',
    find: "status: outcome.address === 'bounced' ? 'bounced' : 'failed'",
    replace: "status: 'failed'",
    tests,
  },
  {
    says: 'A message that its provider refused for good is not tried again.',
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
    says: 'After a credential was refused one message tries whether it is accepted again.',
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
    says: 'A send that has ended cannot be cancelled.',
    path: 'packages/core/src/messaging/sends/finalize/cancel.ts',
    find: `        if (send.status !== 'queued' || send.startedAt !== null) throw conflict('already_dispatched');
`,
    replace: '',
    tests,
  },
  {
    says: 'An address gets one mail of a send, however many people have it.',
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
    says: 'A scheduled send does not go before its moment.',
    path: 'packages/core/src/messaging/sends/accept/accept.ts',
    find: 'scheduledFor && scheduledFor > now ? scheduledFor : null',
    replace: 'null',
    tests,
  },
];
