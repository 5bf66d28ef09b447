import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/webhooks.db.test.ts'];

export const webhooksInvariants: readonly Invariant[] = [
  {
    says: "A webhook's signature covers the time of the attempt.",
    path: 'packages/core/src/webhooks/sign.ts',
    find: `const start = \`\${id}.\${seconds}.\`;`,
    replace: `const start = \`\${id}.\`;`,
    tests,
  },
  {
    says: 'Both secrets sign during a rotation.',
    path: 'packages/core/src/webhooks/sealed.ts',
    find: 'previous.untilMs > now.getTime() ? both : newest',
    replace: 'previous.untilMs > now.getTime() ? newest : newest',
    tests,
  },
  {
    says: 'A replaced secret stops signing after its grace period.',
    path: 'packages/core/src/webhooks/sealed.ts',
    find: 'previous.untilMs > now.getTime() ? both : newest',
    replace: 'both',
    tests,
  },
  {
    says: 'A failed delivery is retried by the schedule.',
    path: 'packages/core/src/webhooks/schedule.ts',
    find: 'WAITS_MS[attempts - 1]',
    replace: 'WAITS_MS[attempts]',
    tests,
  },
  {
    says: 'A delivery that is answered 429 is retried.',
    path: 'packages/core/src/webhooks/post.ts',
    find: 'const RETRIED = new Set([408, 429]);',
    replace: 'const RETRIED = new Set([408]);',
    tests,
  },
  {
    says: 'A redirect does not count as a successful delivery.',
    path: 'packages/core/src/webhooks/post.ts',
    find: 'status >= 200 && status < 300',
    replace: 'status >= 200 && status < 400',
    tests,
  },
  {
    says: 'A webhook that is answered 410 gets no more deliveries.',
    path: 'packages/core/src/webhooks/deliver/outcome.ts',
    find: "if (isGone) return 'gone';",
    replace: '',
    tests,
  },
  {
    says: 'A webhook cannot use a private address.',
    path: 'packages/core/src/webhooks/webhooks.ts',
    find: 'isPulled ? null : urlProblem(url, urls)',
    replace: 'null',
    tests,
  },
  {
    says: 'A running delivery cannot be replayed.',
    path: 'packages/core/src/webhooks/history/store.ts',
    find: '.where(and(byId(scope, id), inArray(t.status, [...FINISHED])))',
    replace: '.where(byId(scope, id))',
    tests,
  },
];
